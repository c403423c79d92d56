/**
 * Returns an untrusted URL if a link may contain it: https, without credentials. Null for other URLs, e.g.
 * `javascript:`.
 */
export function toSafeUrl(text: string | null | undefined): URL | null {
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url : null;
}

/**
 * Returns the block explorer's page of a transaction or an address; null if the deployment has no explorer.
 *
 * @param tokenUrl - `links.explorer` of a token: the explorer's page of the token.
 */
export function toExplorerUrl(tokenUrl: string | null, kind: "tx" | "address", id: string): string | null {
  const url = toSafeUrl(tokenUrl);
  if (url === null) return null;
  const base = url.href.replace(/\/token\/[^/]*$/, "");
  return base === url.href ? null : `${base}/${kind}/${encodeURIComponent(id)}`;
}
