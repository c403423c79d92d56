import { isAddress } from "../../data/getReceiveCodeUrl.ts";

/**
 * Creates the HTML that shows a token's chart on another site. It contains only the origin and the address: a creator
 * pastes it into a page, where the name of a token would be a stranger's HTML.
 */
export function createSnippet(origin: string, address: string): string {
  if (!isAddress(address)) throw new Error("not an address");
  const src = `${origin}/embed/${address.toLowerCase()}`;
  return `<iframe src="${src}" title="Token chart" width="100%" height="320" style="border:0" loading="lazy" referrerpolicy="no-referrer"></iframe>`;
}
