/** The credential found in a request target; never contains the value. */
export type CredentialFinding =
  | { kind: "userinfo" }
  /** An API key of this service, in a name, a value or the path. */
  | { kind: "api_key" }
  /** A parameter with the name of a credential; `term` is the term of this file that the name contains. */
  | { kind: "parameter"; term: string }
  /** `token` with a value that is neither an address nor long enough for a credential: probably a mistyped address. */
  | { kind: "token_not_address" };

/** The prefix of every API key of this service. */
export const apiKeyPrefix = "slip_";

/** Terms that mark a credential anywhere in a name without its separators: `myApiKey`, `x-auth-token[]`. */
const unmistakableTerms = [
  "accesskey",
  "accesstoken",
  "apikey",
  "apisecret",
  "authkey",
  "authorization",
  "authtoken",
  "clientsecret",
  "idtoken",
  "mnemonic",
  "passphrase",
  "passwd",
  "password",
  "privatekey",
  "privkey",
  "refreshtoken",
  "secretkey",
  "seedphrase",
  "sessionid",
  "sessionkey",
  "sessiontoken",
  "signingkey",
];

/** Terms that mark a credential as a whole word: `user_secret` and `secret[]`, but not `secretary`. */
const credentialWords = new Set([
  "auth",
  "bearer",
  "credential",
  "credentials",
  "jwt",
  "pwd",
  "secret",
  "secrets",
  "signature",
]);

/** Terms that mark a credential as the whole name: `key`, but not `sort_key`. */
const wholeNames = new Set(["cookie", "key", "pass", "session", "sid", "sig"]);

/**
 * The allowed values of a parameter `token`: empty, one address, or several separated by commas. Allows up to 44 hex
 * digits, because the schema rejects a wrong number of digits. Excludes 64 digits, which are a private key, and hex
 * without 0x, which may be any secret.
 */
const addressList = /^(0x[0-9a-f]{0,44})?(,(0x[0-9a-f]{0,44})?)*$/i;

/** The minimum length of a `token` that may be a credential. Symbols and words are shorter. */
const minTokenLength = 16;

const pairSeparators = /[&;?#]/;

/** The maximum number of decodings of a text that is encoded more than once. */
const maxDecodings = 4;

/**
 * Finds a credential in a request target: userinfo, an API key of this service, or a parameter with the name of a credential.
 * URLs end up in logs, histories and Referer headers.
 *
 * @param target - The request target as received: origin-form or absolute-form, nothing decoded.
 */
export function findCredentialInTarget(target: string): CredentialFinding | null {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(target)) return { kind: "userinfo" };
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (containsApiKey(path)) return { kind: "api_key" };
  // A path can contain parameters (`/tokens;api_key=…`) and a query whose question mark is encoded.
  const inPath = /[=%]/.test(path) ? findInPairs(path.split(/[/;&]/)) : null;
  if (end === -1 || (inPath !== null && inPath.kind !== "token_not_address")) return inPath;
  return findCredentialInQuery(target.slice(end + 1)) ?? inPath;
}

/**
 * Finds a query parameter with the name of a credential. Decodes each pair separately, so that a malformed percent
 * sequence does not hide another pair. Compares names without case, separators and brackets, also if they are encoded
 * more than once. `;` separates pairs like `&`.
 *
 * In this API, `token` is the address of a token, so every name that ends in this word may have an address as its
 * value. A short `token` is reported only if nothing else is found.
 *
 * @param query - Without the question mark, not decoded.
 *
 * @example
 * findCredentialInQuery("limit=5&X-Api-Key%5B%5D=abc"); // { kind: "parameter", term: "apikey" }
 */
export function findCredentialInQuery(query: string): CredentialFinding | null {
  return findInPairs(query.split(pairSeparators));
}

function findInPairs(pairs: string[]): CredentialFinding | null {
  let mistyped: CredentialFinding | null = null;
  for (const pair of pairs) {
    if (containsApiKey(pair)) return { kind: "api_key" };
    const separator = pair.indexOf("=");
    const finding =
      separator === -1
        ? findInEncodedPairs(pair)
        : findInPair(decodings(pair.slice(0, separator)), pair.slice(separator + 1));
    if (finding !== null && finding.kind !== "token_not_address") return finding;
    mistyped ??= finding;
  }
  return mistyped;
}

/** A name without a value is not a credential, unless name, separator and value were encoded together. */
function findInEncodedPairs(text: string): CredentialFinding | null {
  const decoded = decodings(text).find((decoding) => decoding.includes("="));
  return decoded === undefined ? null : findInPairs(decoded.split(pairSeparators));
}

function findInPair(names: string[], value: string): CredentialFinding | null {
  let mistyped: CredentialFinding | null = null;
  // Another parser may decode the name before it splits the pairs.
  for (const name of names.flatMap((text) => text.split(pairSeparators))) {
    const parts = words(name);
    const term = findCredentialTerm(parts);
    if (term !== null) return { kind: "parameter", term };
    if (parts.at(-1) !== "token") continue;
    const values = decodings(value);
    if (values.some((decoding) => addressList.test(decoding.trim()))) continue;
    const isShort =
      parts.length === 1 &&
      values
        .at(-1)!
        .split(",")
        .every((item) => item.length < minTokenLength || addressList.test(item));
    if (!isShort) return { kind: "parameter", term: "token" };
    mistyped = { kind: "token_not_address" };
  }
  return mistyped;
}

/** Returns the term that identifies these words as the name of a credential, or null. */
function findCredentialTerm(parts: string[]): string | null {
  const joined = parts.join("");
  if (wholeNames.has(joined) || credentialWords.has(joined)) return joined;
  return (
    unmistakableTerms.find((term) => joined.includes(term)) ?? parts.find((part) => credentialWords.has(part)) ?? null
  );
}

/**
 * Returns the words of a name in any notation, in lower case without digits and separators.
 *
 * @example
 * words("X-apiKey2[value]"); // ["x", "api", "key", "value"]
 */
function words(name: string): string[] {
  const separated = name
    .normalize("NFKC")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return separated.toLowerCase().match(/[a-z]+/g) ?? [];
}

function containsApiKey(text: string): boolean {
  return decodings(text).some((decoding) => decoding.toLowerCase().includes(apiKeyPrefix));
}

/** Returns the text and its repeated decodings. A percent sign that encodes nothing stays unchanged. */
function decodings(text: string): string[] {
  const all = [text];
  if (!/[%+]/.test(text)) return all;
  for (let i = 0; i < maxDecodings; i++) {
    const last = all[all.length - 1]!;
    const next = decodePercent(last.replaceAll("+", " "));
    if (next === last) break;
    all.push(next);
  }
  return all;
}

/**
 * Decodes percent sequences as the WHATWG URL standard does: keeps malformed sequences; malformed UTF-8 becomes U+FFFD.
 */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeMalformed(text);
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeMalformed(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split("%"), (hex) => Number.parseInt(hex, 16));
    return decoder.decode(bytes);
  });
}
