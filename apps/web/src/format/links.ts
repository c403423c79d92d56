/**
 * A URL that a stranger chose, as a link may have it: https, without credentials. Null for anything else, e.g.
 * `javascript:`.
 */
export function toSafeUrl(text: string | null | undefined): URL | null {
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url : null;
}

/**
 * The page of a transaction or an address at the block explorer; null where the deployment has none.
 *
 * @param tokenUrl - `links.explorer` of a token: the explorer's page of it.
 */
export function toExplorerUrl(tokenUrl: string | null, kind: "tx" | "address", id: string): string | null {
  const url = toSafeUrl(tokenUrl);
  if (url === null) return null;
  const base = url.href.replace(/\/token\/[^/]*$/, "");
  return base === url.href ? null : `${base}/${kind}/${id}`;
}
