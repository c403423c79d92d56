import { parseAmount } from "../../format/amount.ts";
import type { AccountStorage } from "../../session/accountStorage.ts";

/** The terms of an opening as typed: amounts of native, and whole days. All empty: a launch without an opening. */
export type OpeningFields = { openingMinimum: string; openingCap: string; openingDays: string };

export const openingNames = [
  "openingMinimum",
  "openingCap",
  "openingDays",
] as const satisfies readonly (keyof OpeningFields)[];

export const noOpening: OpeningFields = { openingMinimum: "", openingCap: "", openingDays: "" };

/** Amounts in wei. `created`: the address, after the opening was created. */
export type OpeningTerms = { minimum: string; cap: string; days: number; created: string | null };

/** The longest time from the creation of an opening to its deadline. Source: OpeningFactory.MAX_SECONDS. */
const maxDays = 29;
/** Source: OpeningFactory.MAX_CAP. */
const maxCap = 1_000_000n * 10n ** 18n;

export const hasOpening = (fields: OpeningFields): boolean => openingNames.some((name) => fields[name].trim() !== "");

/** Converts typed terms; null if a field is invalid. */
export function toOpeningTerms({ openingMinimum, openingCap, openingDays }: OpeningFields): OpeningTerms | null {
  const [minimum, cap] = [parseAmount(openingMinimum, 18), parseAmount(openingCap, 18)];
  const days = /^\d{1,2}$/.test(openingDays.trim()) ? Number(openingDays) : 0;
  if (minimum === null || cap === null || minimum === 0n || minimum > cap || cap > maxCap) return null;
  if (days < 1 || days > maxDays) return null;
  return { minimum: minimum.toString(), cap: cap.toString(), days, created: null };
}

const toName = (draftId: string) => `opening.${draftId}`;

/** Loads the terms of a draft's opening, which this browser stores; null without an opening. */
export function loadOpeningTerms(storage: Pick<AccountStorage, "getItem">, draftId: string): OpeningTerms | null {
  try {
    const kept = JSON.parse(storage.getItem(toName(draftId)) ?? "null") as OpeningTerms | null;
    return typeof kept?.minimum === "string" && typeof kept.cap === "string" ? kept : null;
  } catch {
    return null;
  }
}

export function saveOpeningTerms(
  storage: Pick<AccountStorage, "setItem" | "removeItem">,
  draftId: string,
  terms: OpeningTerms | null,
): void {
  if (terms === null) storage.removeItem(toName(draftId));
  else storage.setItem(toName(draftId), JSON.stringify(terms));
}
