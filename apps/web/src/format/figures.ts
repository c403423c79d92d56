import { createNumberFormat } from "./formats.ts";

const usd = createNumberFormat({
  notation: "compact",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const oneDecimal = createNumberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const noDecimal = createNumberFormat({ maximumFractionDigits: 0 });
const share = createNumberFormat({ maximumFractionDigits: 2 });
const compact = createNumberFormat({ notation: "compact", maximumFractionDigits: 1 });

/** The display of an unknown figure; never zero. */
export const unknown = "—";

/** Formats a sum in US dollars: `$9.21K`; below a cent `<$0.01`. The sign is before the number in every language, as in prices. */
export function formatUsd(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  if (value > 0 && value < 0.005) return `<$${usd(0.01)}`;
  return `${value < 0 ? "−" : ""}$${usd(Math.abs(value))}`;
}

/** Formats a change as signed percent: `+3.4%`; from 1,000% without decimals, from a million percent compact. */
export function formatPercent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return unknown;
  const size = Math.abs(value);
  const rounded = Number(size.toFixed(1));
  const digits = size >= 1_000_000 ? compact(size) : size >= 1_000 ? noDecimal(size) : oneDecimal(size);
  return `${rounded === 0 ? "" : value < 0 ? "−" : "+"}${digits}%`;
}

/** Formats basis points as percent without a sign: 2500 is `25%`, 33 is `0.33%`. */
export const formatShare = (bps: number): string => `${share(bps / 100)}%`;

/** Formats a whole number: grouped, from 100,000 compact. */
export function formatCount(value: number | null): string {
  if (value === null) return unknown;
  return value >= 100_000 ? compact(value) : noDecimal(value);
}

/** Shortens an address: `0x90F7…b906`. */
export const shortenAddress = (address: string): string =>
  address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
