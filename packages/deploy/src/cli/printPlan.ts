import { formatEther, formatGwei } from "viem";
import type { Fees } from "../currentFees.ts";
import type { PlannedStep } from "../createPlanner.ts";

export type PlanSummary = { steps: readonly PlannedStep[]; fees: Fees; balanceInWei: bigint };

/** Prints a plan's steps, their addresses and gas, and what they cost at most. */
export function printPlan({ steps, fees, balanceInWei }: PlanSummary, print: (line: string) => void): void {
  for (const { step, address, to, valueInWei, gas, gasSource } of steps) {
    const where = address ?? `-> ${to}`;
    const value = valueInWei === 0n ? "" : `, ${formatEther(valueInWei)} native`;
    const cost = gasSource === "already signed" ? "already signed" : `${gas.toLocaleString("en")} gas (${gasSource})`;
    print(`  ${step.padEnd(26)} ${where.padEnd(45)} ${cost}${value}`);
  }
  const gas = steps.reduce((sum, planned) => sum + planned.gas, 0n);
  const value = steps.reduce(
    (sum, planned) => sum + (planned.gasSource === "already signed" ? 0n : planned.valueInWei),
    0n,
  );
  const atMost = gas * fees.maxFeePerGas + value;
  print(`
  gas      ${gas.toLocaleString("en")}, a quarter of it margin
  price    at most ${formatGwei(fees.maxFeePerGas)} gwei${fees.type === "eip1559" ? `, the base fee is ${formatGwei(fees.baseFeePerGas)}` : ""}
  cost     at most ${formatEther(atMost)} native
  balance  ${formatEther(balanceInWei)} native${balanceInWei < atMost ? ": MAY NOT BE ENOUGH" : ""}
`);
}
