import type { Recipient } from "./intent.ts";

/**
 * Handles as each provider grants them. code_host: 1 to 39 letters, digits and single hyphens, none at either end
 * (GitHub's rule). social: 1 to 15 letters, digits and underscores (X's rule). A wallet has no handle.
 */
const handleGrammars: Record<Recipient["provider"], RegExp | null> = {
  wallet: null,
  code_host: /^(?=.{1,39}$)[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/,
  social: /^[a-zA-Z0-9_]{1,15}$/,
};

/**
 * True when a recipient's handle may be shown: an account of the provider can have this name. Anything else is stored and
 * never shown, since it is text of the drafter's choice beside a payout address.
 *
 * @example
 * isDisplayableHandle("code_host", "octo-cat"); // true
 * isDisplayableHandle("social", "@jack"); // false
 */
export function isDisplayableHandle(provider: Recipient["provider"], handle: string): boolean {
  return handleGrammars[provider]?.test(handle) ?? false;
}

/** The handle of a recipient as it may be shown: null where there is none, or none that {@link isDisplayableHandle}. */
export function toDisplayedHandle(label: Pick<Recipient, "provider" | "handle"> | undefined): string | null {
  const { provider, handle } = label ?? {};
  return provider !== undefined && handle !== undefined && isDisplayableHandle(provider, handle) ? handle : null;
}
