import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  type Allocation,
  draftSplitterSalt,
  encodeCreateSplitter,
  encodeSplitterClone,
  predictFactorySplitter,
} from "@slipway/protocol/splitter";
import { decodeFunctionResult, type Hex } from "viem";
import type { Chain } from "../chain/chain.ts";
import type { HeadBlock } from "../chain/readChain.ts";
import { awaitChain } from "../chain/rpcError.ts";
import { readCode, readIsFactoryMade } from "../chain/verifySplitterDeployment.ts";
import type { Call } from "./simulate.ts";

/** The splitter that the factory creates for a draft: address and runtime code. */
export type MadeSplitter = { address: Hex; code: Hex };

/** Predicts the splitter that the factory creates for a draft. It does not depend on a sender or a nonce. */
export function predictMadeSplitter(
  manifest: Manifest,
  draftId: string,
  allocations: readonly Allocation[],
): MadeSplitter {
  const { splitter_factory, splitter_implementation } = manifest.current;
  const implementation = splitter_implementation.address as Hex;
  const salt = draftSplitterSalt(draftId);
  return {
    address: predictFactorySplitter(splitter_factory.address as Hex, implementation, allocations, salt),
    code: encodeSplitterClone(implementation, allocations),
  };
}

/** Creates the call of the factory that creates a draft's splitter. The call has no effect if the splitter exists. */
export function createMakeSplitterCall(
  manifest: Manifest,
  draftId: string,
  allocations: readonly Allocation[],
  from: Hex,
): Call & { to: Hex } {
  return {
    from,
    to: manifest.current.splitter_factory.address as Hex,
    data: encodeCreateSplitter(allocations, draftSplitterSalt(draftId)),
    value: 0n,
  };
}

/**
 * Reads whether the factory has created the draft's splitter, at the head. Any account may have called the factory: the
 * result is the same.
 *
 * @throws SlipwayError `manifest_unverified` if the splitter's address has other code, `chain_unavailable`.
 */
export async function isSplitterMade(
  chain: Pick<Chain, "request">,
  manifest: Manifest,
  made: MadeSplitter,
  head: HeadBlock,
): Promise<boolean> {
  const factory = manifest.current.splitter_factory.address as Hex;
  const [code, isRecorded] = await awaitChain(
    Promise.all([
      readCode(chain, made.address, head.number),
      readIsFactoryMade(chain, factory, made.address, head.number),
    ]),
  );
  if (code === "0x" && !isRecorded) return false;
  if (isRecorded && code.toLowerCase() === made.code) return true;
  throw new SlipwayError("manifest_unverified", "The code of the draft's splitter is not the pinned code.");
}

/**
 * Asserts that the factory returns the predicted address. The address commits to its code (CREATE2).
 *
 * @param returned - The data that the simulated call returned.
 * @throws SlipwayError `manifest_unverified`.
 */
export function assertMadeSplitter(returned: Hex, splitter: Hex): void {
  const made = decodeFunctionResult({ abi: splitterFactoryAbi, functionName: "create", data: returned });
  if (made.toLowerCase() === splitter.toLowerCase()) return;
  throw new SlipwayError("manifest_unverified", "The chain's splitter factory does not return the predicted address.");
}
