import { vestingFactoryAbi } from "@slipway/protocol/contracts/vestingFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { DraftVesting, VestingContracts } from "@slipway/protocol/vesting";
import { decodeFunctionResult, type Hex } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import { awaitChain } from "../chain/rpcError.ts";
import type { TargetedCall } from "./preparation.ts";

const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/** Returns the vesting contracts of a deployment. */
export const getVestingContracts = (deployment: LaunchDeployment): VestingContracts => ({
  factory: deployment.vesting_factory.address as Hex,
  implementation: deployment.vesting_implementation.address as Hex,
});

/**
 * Reads whether a vesting factory has recorded a vesting, at the newest block. Nothing depends on a wrong answer but the
 * gas of a call: the factory's `create` does nothing if the vesting exists, and a vesting can be created at any time.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readIsVesting(chain: Pick<Chain, "request">, factory: Hex, vesting: Hex): Promise<boolean> {
  const input = encodeCall({ abi: vestingFactoryAbi, functionName: "isVesting", args: [vesting] });
  const params = [{ to: factory, input }, "latest"];
  const answer = await awaitChain(chain.request({ method: "eth_call", params }));
  const parsed = word.safeParse(answer);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  return BigInt(parsed.data) === 1n;
}

/** Creates the call of the factory that creates a vesting. The call has no effect if the vesting exists. */
export const createMakeVestingCall = ({ create }: DraftVesting, from: Hex): TargetedCall => ({
  from,
  to: create.to,
  data: create.data,
  value: 0n,
});

/**
 * Asserts that the factory returns the predicted address. The address commits to the terms (CREATE2).
 *
 * @param returned - The data that the simulated call returned.
 * @throws SlipwayError `manifest_unverified`.
 */
export function assertMadeVesting(returned: Hex, { address }: DraftVesting): void {
  const made = decodeFunctionResult({ abi: vestingFactoryAbi, functionName: "create", data: returned });
  if (made.toLowerCase() === address.toLowerCase()) return;
  throw new SlipwayError("manifest_unverified", "The chain's vesting factory does not return the predicted address.");
}

/** The maximum time from a launch to the end of its vesting, in seconds: ten years. */
const maxVestingSeconds = 10n * 365n * 86_400n;

/**
 * Asserts that a vesting is in the future: otherwise a part would be vested at the launch already.
 *
 * @param now - Seconds of Unix time.
 * @throws SlipwayError `invalid_fields`.
 */
export function requireFutureVesting(vesting: Pick<DraftVesting, "cliff" | "end"> | null, now: bigint): void {
  if (vesting === null) return;
  const { cliff, end } = vesting;
  if (BigInt(cliff) <= now) throw createInvalidDate("cliff", cliff, "is in the past: choose a later date.");
  if (BigInt(end) > now + maxVestingSeconds) throw createInvalidDate("end", end, "is more than ten years from now.");
}

function createInvalidDate(name: string, date: number, problem: string): SlipwayError {
  const field = `initial_buy.vesting.${name}`;
  const text = new Date(date * 1_000).toISOString();
  return new SlipwayError("invalid_fields", `${field}, ${text}, ${problem}`, { field });
}
