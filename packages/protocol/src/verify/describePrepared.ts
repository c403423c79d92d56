import { formatUnits, zeroAddress } from "viem";
import type { Manifest } from "../manifest.ts";
import type { UnsignedResult } from "../transaction.ts";
import { isSame } from "./check.ts";
import { listContracts } from "./listContracts.ts";

/** The decimals of native, of wrapped native and of every token that the service launches. */
const decimals = 18;

/** The used part of a prepared result. */
export type DescribedResult = Pick<UnsignedResult, "action" | "transaction" | "simulation"> & {
  quote?: Pick<UnsignedResult["quote"] & object, "token_out" | "minimum_out"> | null | undefined;
};

/**
 * Describes a verified result to the person who signs: the action and its target, what moves, and the least amount that
 * a swap pays. Contains no text of a stranger: only addresses, amounts, and the names of the manifest's contracts.
 *
 * @param request - The request of the result: its wallet, and the amount that an approval allows.
 */
export function describePrepared(
  { action, transaction, simulation, quote }: DescribedResult,
  { wallet, amount_in: amountIn }: { wallet: string; amount_in?: string | undefined },
  manifest: Manifest,
): string[] {
  const names = new Map(Object.entries(listContracts(manifest)).map(([name, each]) => [each.toLowerCase(), name]));
  const nameOf = (address: string) => {
    // A service that lies could send a sentence, which a person or a model would read.
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "an invalid address";
    if (isSame(address, wallet)) return `your wallet ${address}`;
    const name = names.get(address.toLowerCase());
    return name === undefined ? address : `${name} ${address}`;
  };
  const formatAsset = (asset: string, amount: string) => {
    const units = formatUnits(BigInt(amount), decimals);
    if (asset === zeroAddress) return `${units} native`;
    return `${units} ${isSame(asset, manifest.wrapped_native.address) ? "wrapped native" : nameOf(asset)}`;
  };
  if (transaction === null) return [`${action}: nothing to sign`];
  const target = transaction.to === undefined ? "a new contract" : nameOf(transaction.to);
  const moves = simulation.asset_changes.map(
    ({ asset, from, to, amount }) => `moves ${formatAsset(asset, amount)} from ${nameOf(from)} to ${nameOf(to)}`,
  );
  const isApproval = action === "approve" && amountIn !== undefined;
  return [
    `${action} by ${target}`,
    ...(isApproval
      ? [
          `allows the router to take exactly ${formatUnits(BigInt(amountIn), decimals)} of ${nameOf(transaction.to ?? "")}`,
        ]
      : []),
    ...(moves.length > 0 ? moves : ["moves nothing"]),
    ...(action === "swap" && quote ? [`receives at least ${formatAsset(quote.token_out, quote.minimum_out)}`] : []),
  ];
}
