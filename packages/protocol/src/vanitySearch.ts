import { type Hex, toBytes, toHex } from "viem";
import { launchTokenCreationCode } from "./contracts/launchTokenCreationCode.ts";
import { createTokenPredictor, type LaunchParams } from "./launchAddress.ts";
import { readVanitySuffix } from "./vanitySuffix.ts";
import type { Contracts } from "./verify/check.ts";

export type VanityTerms = {
  /** The contracts of the deployment, of which the search uses `launch_factory` and `fee_locker`. */
  contracts: Contracts;
  /** The address that launches the token. */
  creator: string;
  /** The parameters of the launch. The search begins at their salt. */
  params: LaunchParams;
  /** 1 to 8 hex digits in any case. */
  suffix: string;
};

/** A salt, the token's address with it, and the number of salts that were tried. */
export type VanitySalt = { salt: Hex; token: Hex; tried: number };

export type VanitySearch = {
  /** The mean number of salts that a search tries: 16 for each digit, multiplied. */
  expected: number;
  /** The number of salts that were tried. */
  tried(): number;
  /** Tries the next `count` salts. @returns The salt with the suffix; null if it is not among them. */
  tryNext(count: number): VanitySalt | null;
};

/** The position of the last four bytes of an address: a suffix has at most 8 digits. */
const endStart = 16;

/**
 * Creates a search for a salt with which a token's address ends with a suffix. It tries the salts of a fixed order, so
 * that equal terms have equal results.
 *
 * @throws RangeError for a suffix of another form
 */
export function createVanitySearch({ contracts, creator, params, suffix }: VanityTerms): VanitySearch {
  const wanted = readVanitySuffix(suffix);
  const predict = createPinnedPredictor(contracts, creator, params);
  const expected = 16 ** wanted.length;
  const end = Number.parseInt(wanted, 16);
  const salt = toBytes(params.salt);
  const counter = new DataView(salt.buffer, salt.byteOffset + salt.length - 8, 8);
  let tried = 0;
  return {
    expected,
    tried: () => tried,
    tryNext: (count) => {
      for (let i = 0; i < count; i++) {
        counter.setBigUint64(0, BigInt(tried));
        tried++;
        const token = predict(salt);
        const last = new DataView(token.buffer, token.byteOffset + endStart, 4).getUint32(0);
        if (last % expected === end) return { salt: toHex(salt), token: toHex(token), tried };
      }
      return null;
    },
  };
}

/** Predicts the token of a launch in lower case. `contracts` as in {@link VanityTerms}. */
export const predictToken = (contracts: Contracts, creator: string, params: LaunchParams): Hex =>
  toHex(createPinnedPredictor(contracts, creator, params)(toBytes(params.salt)));

function createPinnedPredictor({ launch_factory, fee_locker }: Contracts, creator: string, params: LaunchParams) {
  const context = {
    launchFactory: launch_factory as Hex,
    feeLocker: fee_locker as Hex,
    tokenCreationCode: launchTokenCreationCode as Hex,
  };
  return createTokenPredictor(context, creator as Hex, params);
}
