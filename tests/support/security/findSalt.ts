import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { type LaunchParams, launchAddress, toLaunchAddressContext } from "@slipway/protocol/launchAddress";
import type { Hex } from "viem";
import { randomSalt } from "./actors.ts";
import { decodeIndependently } from "./decodeIndependently.ts";
import type { Answer, TestStack } from "./startTestStack.ts";

/**
 * Finds a salt that puts the token of a prepared launch on the wanted side of the wrapped native asset. On one side,
 * few salts match, so a request to the service for each salt would take long.
 *
 * @param prepared - The answer to the same launch with any salt.
 */
export function findSalt({ manifest }: TestStack, { body }: Answer, wantsToken0: boolean): Hex {
  const decoded = decodeIndependently(body.transaction);
  if (decoded.kind !== "launch") throw new Error(`the answer is no launch: ${decoded.kind}`);
  const { name, symbol, contractURI, splitter, partner, feeBps } = decoded;
  const weth = manifest.wrapped_native.address as Hex;
  const context = toLaunchAddressContext(manifest, launchTokenCreationCode as Hex);
  for (;;) {
    const salt = randomSalt();
    const params = { name, symbol, contractURI, splitter, salt, partner, feeBps } as LaunchParams;
    const { token } = launchAddress(context, body.transaction.from, params);
    if (BigInt(token) < BigInt(weth) === wantsToken0) return salt;
  }
}
