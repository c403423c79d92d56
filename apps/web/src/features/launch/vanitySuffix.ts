import type { AccountStorage } from "../../session/accountStorage.ts";

/** The digits of the longest suffix: each digit multiplies the search by 16, and four take seconds. */
export const maxVanityDigits = 4;

/** Whether a typed text is a suffix of an address; also an empty text, which is none. */
export const isVanitySuffix = (text: string): boolean => /^[0-9a-f]{0,4}$/i.test(text.trim());

const toName = (draftId: string) => `vanity.${draftId}`;

/** Loads the wanted last hex digits of the address of a draft's token; empty without any. */
export const loadVanitySuffix = (storage: Pick<AccountStorage, "getItem">, draftId: string): string =>
  storage.getItem(toName(draftId)) ?? "";

export function saveVanitySuffix(
  storage: Pick<AccountStorage, "setItem" | "removeItem">,
  draftId: string,
  suffix: string,
): void {
  if (suffix === "") storage.removeItem(toName(draftId));
  else storage.setItem(toName(draftId), suffix);
}
