import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Recipient } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { Chain } from "../chain/chain.ts";
import { getMulticall3, type HeadBlock, readCodes, tryReadContracts } from "../chain/readChain.ts";
import { createLockerReads, findLaunchToken, findUnfitReceiver, findUniswapContract } from "./unfitReceiver.ts";

type Recipients = readonly Pick<Recipient, "wallet">[];

/**
 * Checks payout addresses without the chain. Payments of a splitter to a rejected address would be lost.
 *
 * @throws SlipwayError `address_checksum` for a wrong EIP-55 checksum, `recipient_cannot_receive` for a precompile or a
 * contract of the manifest.
 */
export function requireValidPayouts(recipients: Recipients, manifest: Manifest): void {
  for (const [index, { wallet }] of recipients.entries()) {
    const field = getField(index);
    const checksum = checkAddressChecksum(wallet);
    if (checksum.status === "wrong") {
      throw new SlipwayError(
        "address_checksum",
        `The checksum of ${wallet} is wrong: a digit was mistyped, or the case was changed.`,
        { field, details: { wallet, checksummed: checksum.checksummed } },
      );
    }
    const kind = findUnfitReceiver(wallet, manifest);
    if (kind !== null) throw createRefusal(index, wallet, kind);
  }
}

/** Finds the payout addresses with code at the newest block. Takes one round trip, which can also read the head. */
export async function findPayoutsWithCode(chain: Pick<Chain, "request">, recipients: Recipients): Promise<Set<Hex>> {
  return listWithCode(recipients, await readCodes(chain, toAddresses(recipients), "latest"));
}

const toAddresses = (recipients: Recipients) => recipients.map(({ wallet }) => checksummed(wallet));

const listWithCode = (recipients: Recipients, codes: readonly Hex[]) =>
  new Set(toAddresses(recipients).filter((_, index) => codes[index] !== "0x"));

/**
 * Checks the code of payout addresses. Takes one round trip.
 *
 * @param withCode - The result of `findPayoutsWithCode` for the head.
 * @returns A warning for each address that has code.
 * @throws SlipwayError `recipient_cannot_receive` for a pool or a launch token, `chain_unavailable`.
 */
export async function checkPayoutCode(
  chain: Pick<Chain, "request" | "client">,
  recipients: Recipients,
  withCode: ReadonlySet<Hex>,
  manifest: Manifest,
  head: HeadBlock,
): Promise<Warning[]> {
  const addresses = toAddresses(recipients);
  const contracts = addresses.map((wallet, index) => ({ wallet, index })).filter(({ wallet }) => withCode.has(wallet));
  const [codes, kinds] = await Promise.all([
    readCodes(chain, addresses, head.number),
    Promise.all(contracts.map(({ wallet }) => findKind(chain, wallet, manifest, head))),
  ]);
  if (listWithCode(recipients, codes).symmetricDifference(withCode).size > 0) {
    throw new SlipwayError("chain_unavailable", "The code of a payout address has just changed; try again.");
  }
  return contracts.map(({ wallet, index }, i) => {
    if (kinds[i] !== null) throw createRefusal(index, wallet, kinds[i]!);
    return {
      code: "recipient_is_contract",
      message: `The payout address ${wallet} is a contract: payments are lost unless the contract can transfer tokens.`,
    };
  });
}

/** Returns the kind of a contract that cannot transfer what it receives; null for any other address. */
async function findKind(
  chain: Pick<Chain, "request" | "client">,
  address: Hex,
  manifest: Manifest,
  head: HeadBlock,
): Promise<string | null> {
  const [answers, uniswapContract] = await Promise.all([
    tryReadContracts(chain, head.number, createLockerReads(address, manifest), getMulticall3(manifest)),
    findUniswapContract(chain, address, manifest, head.number),
  ]);
  return findLaunchToken(answers) ?? uniswapContract;
}

function createRefusal(index: number, wallet: string, kind: string): SlipwayError {
  return new SlipwayError("recipient_cannot_receive", `The payout address ${wallet} is ${kind}.`, {
    field: getField(index),
    details: { wallet },
  });
}

const getField = (index: number) => `recipients[${index}].wallet`;
