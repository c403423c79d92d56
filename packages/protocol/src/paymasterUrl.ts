const loopbackHosts: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];
const maxLength = 2_000;

/**
 * Whether a text is a URL that wallets may use as the paymaster of a batch (ERC-7677): https, or http on the same machine,
 * without a user, a password or a fragment, and only with characters that a URL contains without escapes.
 */
export function isPaymasterUrl(text: string): boolean {
  if (text.length > maxLength || !/^[\x21-\x7e]+$/.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || text.includes("#")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && loopbackHosts.includes(url.hostname));
}
