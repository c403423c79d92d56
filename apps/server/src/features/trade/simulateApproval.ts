import { SlipwayError } from "@slipway/protocol/errors";
import { erc20Abi } from "@slipway/protocol/uniswapAbi";
import { encodeFunctionData, type Hex, hexToBigInt } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { revertedError } from "../../chain/decodeRevert.ts";
import type { Head } from "../../chain/readHead.ts";
import { type Call, type Simulation, simulate } from "../../chain/simulate.ts";
import { readL1Gas } from "../../chain/transactionFees.ts";

/** The approval that is wanted and the allowance there is, in base units. */
export type WantedApproval = { token: Hex; spender: Hex; amount: bigint; current: bigint };

export type SimulatedApproval = { call: Call; simulation: Simulation; l1Gas: bigint | null; isReset: boolean };

/**
 * Simulates the approval of exactly the amount. A token that refuses to change an allowance other than zero (USDT's
 * rule against the approval race) gets an approval of zero first. One round trip.
 *
 * @throws SlipwayError `simulation_reverted`, `chain_unavailable`.
 */
export async function simulateApproval(
  chain: Pick<Chain, "request">,
  chainId: number,
  wallet: Hex,
  { token, spender, amount, current }: WantedApproval,
  head: Head,
): Promise<SimulatedApproval> {
  const approve = (value: bigint): Call => ({
    from: wallet,
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, value] }),
    value: 0n,
  });
  const attempt = async (call: Call, isReset: boolean): Promise<SimulatedApproval> => {
    const [simulation, l1Gas] = await Promise.all([simulate(chain, call, head), readL1Gas(chain, chainId, call, head)]);
    // Some tokens answer false where others revert; some answer nothing at all, which counts as success.
    if (simulation.returnData !== "0x" && hexToBigInt(simulation.returnData.slice(0, 66) as Hex) === 0n) {
      throw revertedError("0x", head.number);
    }
    return { call, simulation, l1Gas, isReset };
  };
  // Together, for one round trip; the reset is used only where the exact approval fails.
  const [exact, reset] = await Promise.allSettled([
    attempt(approve(amount), false),
    current === 0n ? Promise.reject(new SlipwayError("simulation_reverted")) : attempt(approve(0n), true),
  ]);
  if (exact.status === "fulfilled") return exact.value;
  const isRefused = exact.reason instanceof SlipwayError && exact.reason.code === "simulation_reverted";
  if (isRefused && reset.status === "fulfilled") return reset.value;
  throw exact.reason;
}
