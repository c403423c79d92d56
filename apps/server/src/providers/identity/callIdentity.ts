import { SlipwayError } from "@slipway/protocol/errors";
import { isAPIError } from "better-auth/api";
import { authPath, clientAddressHeader, type Identity } from "./createIdentity.ts";

export type IdentityCall = {
  method: "GET" | "POST";
  /** Below the library's root, e.g. `/siwe/nonce`. */
  path: string;
  query?: URLSearchParams;
  body?: object;
  /** Headers of the current request: cookie, origin, user agent. */
  headers: { cookie?: string | undefined; origin?: string | undefined; "user-agent"?: string | undefined };
  clientAddress: string;
};

export type IdentityAnswer = {
  // biome-ignore lint/suspicious/noExplicitAny: the library's own, checked by the caller's schema
  body: any;
  /** Set-Cookie values. */
  cookies: string[];
  location: string | null;
};

/**
 * Calls the library with a request as a browser would send it.
 *
 * @throws SlipwayError when the library refuses: `unauthorized`, `invalid_origin`, `chain_unavailable`,
 *   `storage_unavailable`, `invalid_request`.
 */
export async function callIdentity({ auth, site }: Identity, call: IdentityCall): Promise<IdentityAnswer> {
  const url = new URL(`${site.origin}${authPath}${call.path}`);
  if (call.query) url.search = call.query.toString();
  const headers = new Headers({ [clientAddressHeader]: call.clientAddress });
  for (const [name, value] of Object.entries(call.headers)) if (value !== undefined) headers.set(name, value);
  if (call.method === "POST") headers.set("content-type", "application/json");
  const request = new Request(url, {
    method: call.method,
    headers,
    ...(call.method === "POST" ? { body: JSON.stringify(call.body ?? {}) } : {}),
  });
  const response = await auth.handler(request).catch((error: unknown) => {
    throw isAPIError(error) ? toSlipwayError(call.path, error.statusCode, error.body ?? null) : error;
  });
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  if (response.status >= 400) throw toSlipwayError(call.path, response.status, body);
  return { body, cookies: response.headers.getSetCookie(), location: response.headers.get("location") };
}

const refusedSignature =
  "The signature is not the wallet's signature of this message. Sign another message with a new nonce of POST /api/auth/siwe/nonce.";

/**
 * Converts the library's error. The library's own texts are for its developers; only texts of `createIdentity.ts` are
 * passed on.
 */
function toSlipwayError(
  path: string,
  status: number,
  body: { code?: string; message?: string; error?: unknown } | null,
): SlipwayError {
  if (body?.code === "chain_unavailable") return new SlipwayError("chain_unavailable", body.message);
  // The only dependency of the library that can fail before the library responds is the database.
  if (status >= 500 || body?.error !== undefined) return new SlipwayError("storage_unavailable");
  if (status === 401) return new SlipwayError("unauthorized", path === "/siwe/verify" ? refusedSignature : undefined);
  if (status === 403) return new SlipwayError("invalid_origin");
  return new SlipwayError("invalid_request");
}

/**
 * Reads the session of a cookie with a valid signature; null when the session does not exist or has expired. Does not
 * extend it; GET /api/auth/session does.
 *
 * @param cookie - `name=value`.
 * @throws SlipwayError `storage_unavailable`.
 */
export async function readSession(
  { auth }: Identity,
  cookie: string,
): Promise<{ id: string; accountId: string; signedInAt: Date; expiresAt: Date } | null> {
  const found = await auth.api
    .getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
    .catch((error: unknown) => {
      // The library throws only when it cannot read its tables.
      throw new SlipwayError("storage_unavailable", undefined, { cause: error });
    });
  if (found === null) return null;
  const { id, userId, createdAt, expiresAt } = found.session;
  return { id, accountId: userId, signedInAt: createdAt, expiresAt };
}
