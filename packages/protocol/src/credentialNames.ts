/** What in a request target looks like a credential. It never repeats the value. */
export type CredentialFinding =
  | { kind: "userinfo" }
  /** One of this service's own API keys, in a name, a value or the path. */
  | { kind: "api_key" }
  /** A parameter called like a credential; `term` is the term of this file that its name contains. */
  | { kind: "parameter"; term: string }
  /** `token` whose value is no address and too short for a credential: mistyped where the endpoint takes an address. */
  | { kind: "token_not_address" };

/** How every API key of this service begins. */
export const apiKeyPrefix = "slip_";

/** Unmistakable, wherever they are in a name once its separators are removed: `myApiKey`, `x-auth-token[]`. */
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

/** Credentials as words of their own: `user_secret` and `secret[]`, but not `secretary`. */
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

/** Credentials only when nothing else is in the name: `key`, but not `sort_key`. */
const wholeNames = new Set(["cookie", "key", "pass", "session", "sid", "sig"]);

/**
 * Addresses as `token` takes them: none, one, or several separated by commas. A digit too few or too many is for the schema
 * to refuse; 64 digits are a private key, and hex without 0x may be any secret.
 */
const addressList = /^(0x[0-9a-f]{0,44})?(,(0x[0-9a-f]{0,44})?)*$/i;

/** The shortest `token` that may be a credential. Issuers make them longer; symbols and words are shorter. */
const minTokenLength = 16;

const pairSeparators = /[&;?#]/;

/** Enough for what was encoded once too often, and a bound for what was made to be decoded for ever. */
const maxDecodings = 4;

/**
 * Finds what looks like a credential in a request target: userinfo, one of our own keys anywhere, or a parameter called like
 * one. URLs end up in logs, histories and Referer headers.
 *
 * @param target - The request target as received: origin-form or absolute-form, nothing decoded.
 */
export function findCredentialInTarget(target: string): CredentialFinding | null {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(target)) return { kind: "userinfo" };
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (containsApiKey(path)) return { kind: "api_key" };
  // Parameters of a path segment, `/tokens;api_key=…`, and a query whose question mark was encoded with it.
  const inPath = /[=%]/.test(path) ? findInPairs(path.split(/[/;&]/)) : null;
  if (end === -1 || (inPath !== null && inPath.kind !== "token_not_address")) return inPath;
  return findCredentialInQuery(target.slice(end + 1)) ?? inPath;
}

/**
 * Finds a parameter of a query that looks like a credential. Each pair is decoded on its own, so that a malformed percent
 * sequence in one hides nothing in another; names are compared without regard to case, separators and brackets, also
 * when they are encoded more than once. `;` separates pairs like `&`.
 *
 * `token` is a token's address in this API and passes with the form of one, as does every name that ends in that word.
 * `token` with a shorter value than any credential is found only where nothing else is.
 *
 * @param query - Without the question mark, nothing decoded.
 *
 * @example
 * findCredentialInQuery("limit=5&X-Api-Key%5B%5D=abc"); // { kind: "parameter", term: "apikey" }
 */
export function findCredentialInQuery(query: string): CredentialFinding | null {
  return mayHoldCredential(query) ? findInPairs(query.split(pairSeparators)) : null;
}

/** All terms at once, and the other words that a finding needs. */
const anyTerm = new RegExp(
  [...unmistakableTerms, ...credentialWords, ...wholeNames, "token", apiKeyPrefix.replace(/[^a-z]/g, "")].join("|"),
);

/** False for nearly all targets, at a tenth of the time of reading their pairs: no term is in the letters of the text. */
function mayHoldCredential(text: string): boolean {
  return decodings(text).some((decoding) => anyTerm.test(toLetters(decoding)));
}

const toLetters = (text: string) =>
  normalize(text)
    .toLowerCase()
    .replace(/[^a-z]+/g, "");

const normalize = (text: string) => (isAscii.test(text) ? text : text.normalize("NFKC"));

const isAscii = /^[\0-\x7f]*$/;

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

/** A name without a value holds no credential, unless name, separator and value were encoded together. */
function findInEncodedPairs(text: string): CredentialFinding | null {
  const decoded = decodings(text).find((decoding) => decoding.includes("="));
  return decoded === undefined ? null : findInPairs(decoded.split(pairSeparators));
}

function findInPair(names: string[], value: string): CredentialFinding | null {
  let mistyped: CredentialFinding | null = null;
  // What a reader that decodes before it splits takes for the name is one as well.
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

/** The term that makes these words the name of a credential, or null. */
function findCredentialTerm(parts: string[]): string | null {
  const joined = parts.join("");
  if (wholeNames.has(joined) || credentialWords.has(joined)) return joined;
  return (
    unmistakableTerms.find((term) => joined.includes(term)) ?? parts.find((part) => credentialWords.has(part)) ?? null
  );
}

/**
 * The words of a name in any notation, in lower case without digits and separators.
 *
 * @example
 * words("X-apiKey2[value]"); // ["x", "api", "key", "value"]
 */
function words(name: string): string[] {
  const separated = normalize(name)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return separated.toLowerCase().match(/[a-z]+/g) ?? [];
}

function containsApiKey(text: string): boolean {
  return decodings(text).some((decoding) => decoding.toLowerCase().includes(apiKeyPrefix));
}

/** The text and what it decodes to, until nothing changes. A percent sign that encodes nothing stays. */
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

/** Percent-decoding as WHATWG URL defines it: malformed sequences stay, malformed UTF-8 becomes U+FFFD. */
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
