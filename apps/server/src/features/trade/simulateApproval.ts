import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, hexToBigInt } from "viem";
import type { Chain } from "../../chain/chain.ts";
import type { HeadBlock } from "../../chain/readChain.ts";
import { toRevertError } from "../../transactions/decodeRevert.ts";
import { type Call, type Simulation, simulate } from "../../transactions/simulate.ts";
import { readL1Gas } from "../../transactions/unsignedResult.ts";

/** The requested approval and the current allowance, in base units. */
export type RequestedApproval = { token: Hex; spender: Hex; amount: bigint; current: bigint };

/** `isReset`: the call approves zero, because the token rejects a change of a nonzero allowance. */
export type SimulatedApproval = { call: Call; simulation: Simulation; l1Gas: bigint | null; isReset: boolean };

/**
 * Simulates the approval of exactly the amount. Where the token rejects a change of a nonzero allowance (USDT's rule
 * against the approval race), simulates an approval of zero. One round trip.
 *
 * @throws SlipwayError `simulation_reverted`, `chain_unavailable`.
 */
export async function simulateApproval(
  chain: Pick<Chain, "request" | "simulationSupport">,
  chainId: number,
  wallet: Hex,
  { token, spender, amount, current }: RequestedApproval,
  head: HeadBlock,
): Promise<SimulatedApproval> {
  const approve = (value: bigint): Call => ({
    from: wallet,
    to: token,
    data: encodeCall({ abi: erc20Abi, functionName: "approve", args: [spender, value] }),
    value: 0n,
  });
  const attempt = async (call: Call, isReset: boolean): Promise<SimulatedApproval> => {
    const [simulation, l1Gas] = await Promise.all([simulate(chain, call, head), readL1Gas(chain, chainId, call, head)]);
    // Some tokens return false instead of reverting; some return nothing, which counts as success.
    if (simulation.returnData !== "0x" && hexToBigInt(simulation.returnData.slice(0, 66) as Hex) === 0n) {
      throw toRevertError("0x", head.number);
    }
    return { call, simulation, l1Gas, isReset };
  };
  // In one round trip; the reset is used only where the exact approval fails.
  const [exact, reset] = await Promise.allSettled([
    attempt(approve(amount), false),
    current === 0n ? Promise.reject(new SlipwayError("simulation_reverted")) : attempt(approve(0n), true),
  ]);
  if (exact.status === "fulfilled") return exact.value;
  const isReverted = exact.reason instanceof SlipwayError && exact.reason.code === "simulation_reverted";
  if (isReverted && reset.status === "fulfilled") return reset.value;
  throw exact.reason;
}
