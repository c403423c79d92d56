import type { LinkName } from "@slipway/protocol/launchOptions";

/** The page of a handle, for sites on which a handle names a page. Discord has invitations, and websites have no handles. */
const pages: Partial<Record<LinkName, string>> = {
  x: "https://x.com/",
  telegram: "https://t.me/",
  farcaster: "https://farcaster.xyz/",
  github: "https://github.com/",
};

/**
 * Completes a link as people type it: `example.com/a` gets `https://`, and `@handle` becomes the handle's page. Returns
 * all other text unchanged, for the check of the form.
 *
 * @example
 * normalizeLink("x", "@tinboat"); // "https://x.com/tinboat"
 */
export function normalizeLink(name: LinkName | "website", typed: string): string {
  const text = typed.trim();
  const page = name === "website" ? undefined : pages[name];
  if (page !== undefined && /^@[\w.-]+$/.test(text)) return `${page}${text.slice(1)}`;
  const isHost = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}([/?#]\S*)?$/u.test(text);
  return isHost ? `https://${text}` : text;
}
