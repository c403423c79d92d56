import type { Recipient } from "./intent.ts";

/**
 * The grammar of handles by provider. code_host: 1 to 39 letters, digits and single hyphens, with no hyphen at either
 * end (GitHub's rule). social: 1 to 15 letters, digits and underscores (X's rule). A wallet has no handle.
 */
const handleGrammars: Record<Recipient["provider"], RegExp | null> = {
  wallet: null,
  code_host: /^(?=.{1,39}$)[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/,
  social: /^[a-zA-Z0-9_]{1,15}$/,
};

/**
 * Whether a recipient's handle may be shown: an account of the provider can have this name. Any other handle is stored
 * but never shown, because the drafter chose that text and it would appear beside a payout address.
 *
 * @example
 * isDisplayableHandle("code_host", "octo-cat"); // true
 * isDisplayableHandle("social", "@jack"); // false
 */
export function isDisplayableHandle(provider: Recipient["provider"], handle: string): boolean {
  return handleGrammars[provider]?.test(handle) ?? false;
}

/** Returns the handle of a recipient for display; null if there is none or it is not displayable. */
export function toDisplayedHandle(label: Pick<Recipient, "provider" | "handle"> | undefined): string | null {
  const { provider, handle } = label ?? {};
  return provider !== undefined && handle !== undefined && isDisplayableHandle(provider, handle) ? handle : null;
}
