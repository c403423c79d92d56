/**
 * Where to ask for a document: an https URI itself, an ipfs one at the gateway.
 *
 * @param gateway - Base URL of an IPFS gateway (`{gateway}/ipfs/{cid}`).
 * @returns Null when the URI is neither, or is ipfs and there is no gateway.
 *
 * @example
 * documentUrl("ipfs://bafy.../token.json", "https://gateway.example"); // "https://gateway.example/ipfs/bafy.../token.json"
 */
export function documentUrl(uri: string, gateway: string | undefined): string | null {
  if (/^https:/i.test(uri)) return uri;
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?([a-z0-9]{1,128})((?:\/[^?#]*)?)$/i.exec(uri);
  if (ipfs === null || gateway === undefined) return null;
  // No segment may climb out of the document's own folder.
  const segments = ipfs[2]!.split("/").filter((segment) => !/^(\.|%2e){1,2}$/i.test(segment));
  return `${gateway.replace(/\/+$/, "")}/ipfs/${ipfs[1]}${segments.join("/")}`;
}
