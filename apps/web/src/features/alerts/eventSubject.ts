import type { AlertSubject } from "@slipway/protocol/webhooks";
import { isAddress } from "../../data/getReceiveCodeUrl.ts";
import { parseAmount } from "../../format/amount.ts";

/** The events that the form offers. Other subjects are in the API only. */
export const eventKinds = ["trades", "wallet_trades", "fees", "launches", "large_trades"] as const;
export type EventKind = (typeof eventKinds)[number];

/** Whether the address of a kind of events is needed, and whether the form asks for a smallest trade. */
export const eventFields: Readonly<Record<EventKind, { address: "required" | "optional" | "none"; size: boolean }>> = {
  trades: { address: "required", size: true },
  wallet_trades: { address: "required", size: true },
  fees: { address: "required", size: false },
  launches: { address: "optional", size: false },
  large_trades: { address: "none", size: true },
};

const decimals = 18;

/** Converts the typed fields to a subject of the API. @returns The names of the fields that are wrong instead. */
export function toSubject(
  kind: EventKind,
  typedAddress: string,
  typedSize: string,
): { subject: AlertSubject } | { faults: ("address" | "size")[] } {
  const { address: need, size } = eventFields[kind];
  const address = typedAddress.trim();
  const amount = typedSize.trim() === "" ? null : parseAmount(typedSize, decimals);
  const isAddressWrong = need !== "none" && !(isAddress(address) || (need === "optional" && address === ""));
  const isSizeWrong =
    size && ((typedSize.trim() !== "" && (amount ?? 0n) <= 0n) || (kind === "large_trades" && amount === null));
  const faults = [...(isAddressWrong ? ["address" as const] : []), ...(isSizeWrong ? ["size" as const] : [])];
  if (faults.length > 0) return { faults };
  const smallest = amount === null ? {} : { min_quote_amount: String(amount) };
  if (kind === "trades") return { subject: { kind, token: address, ...smallest } };
  if (kind === "wallet_trades") return { subject: { kind, account: address, ...smallest } };
  if (kind === "fees") return { subject: { kind, wallet: address } };
  if (kind === "launches") return { subject: address === "" ? { kind } : { kind, creator: address } };
  return { subject: { kind, min_quote_amount: String(amount) } };
}
