import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import { findNonce, insertNonce, type NonceRow } from "../../accounts/signInNonces.ts";
import type { Runtime } from "../../runtime.ts";
import { getCookiePrefix, type Site } from "./signInSettings.ts";

/** 128 random bits: a nonce cannot be guessed from others. */
const nonceBytes = 16;
const maxAgeSeconds = 15 * 60;

const getCookieName = (site: Pick<Site, "secure">) => `${getCookiePrefix(site)}.sign_in`;
const hashBrowser = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** A nonce as ERC-4361 allows it: alphanumeric. */
export const createNonce = ({ ids }: Pick<Runtime, "ids">) => Buffer.from(ids.bytes(nonceBytes)).toString("hex");

/**
 * Returns the secrets of a browser that requested nonces. There can be several, because a page of a sub-domain can set
 * another cookie of the same name, which must not hide the browser's own.
 */
function findBrowserSecrets(site: Pick<Site, "secure">, header: string | undefined): string[] {
  const start = `${getCookieName(site)}=`;
  return (header ?? "")
    .split(/; ?/)
    .filter((cookie) => cookie.startsWith(start))
    .map((cookie) => cookie.slice(start.length))
    .filter((secret) => /^[0-9a-f]{32}$/.test(secret));
}

/**
 * Issues a nonce to a browser. All nonces of one browser are bound to the same cookie, so that two of its tabs can sign
 * in at the same time; each further request extends the cookie's lifetime.
 *
 * @returns The nonce, and the Set-Cookie value without which no request can use or consume the nonce.
 */
export async function issueNonce(
  { db, ids }: Pick<Runtime, "db" | "ids">,
  site: Site,
  cookieHeader: string | undefined,
): Promise<{ nonce: string; cookie: string }> {
  const secret = findBrowserSecrets(site, cookieHeader)[0] ?? createNonce({ ids });
  const nonce = createNonce({ ids });
  await insertNonce(db.api, { id: ids.uuid(), nonce, browserHash: hashBrowser(secret) });
  const attributes = `Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${site.secure ? "; Secure" : ""}`;
  return { nonce, cookie: `${getCookieName(site)}=${secret}; ${attributes}` };
}

/**
 * Requires that this browser requested a nonce. Must run before the nonce is consumed, so that an attempt of another
 * browser leaves the nonce usable.
 *
 * @throws SlipwayError with `code`.
 */
export async function requireOwnNonce(
  { db }: Pick<Runtime, "db">,
  site: Site,
  nonce: string,
  cookieHeader: string | undefined,
  code: "unauthorized" | "signature_invalid",
): Promise<NonceRow> {
  const secrets = findBrowserSecrets(site, cookieHeader);
  const row = secrets.length === 0 ? null : await findNonce(db.api, nonce, secrets.map(hashBrowser));
  if (row !== null) return row;
  throw new SlipwayError(
    code,
    "The nonce was not issued to this browser, was used or is too old. Send the cookie that came with it.",
  );
}
