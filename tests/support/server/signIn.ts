import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import type { PrivateKeyAccount } from "viem";
import { createSiweMessage } from "viem/siwe";

export const siteUrl = "http://site.example:8787";

/** Settings that enable sign-in. */
export const signInSettings = { SITE_URL: siteUrl, AUTH_SECRET: "a secret of this test alone, 40 characters" };

/** The answer to a nonce request, and the cookie that binds the nonce to the browser. */
type Nonce = { nonce: string; domain: string; uri: string; chain_id: number; cookie: string };

/** A signed message, and the cookie of the browser that may use it. */
export type Signed = { payload: { message: string; signature: `0x${string}` }; cookie: string };
type MessageFields = Parameters<typeof createSiweMessage>[0];

export async function askNonce(app: FastifyInstance, headers: Record<string, string> = {}): Promise<Nonce> {
  const answer = await app.inject({ method: "POST", url: "/api/auth/siwe/nonce", headers });
  if (answer.statusCode !== 200) throw new Error(`no nonce: ${answer.statusCode} ${answer.body}`);
  const body: Omit<Nonce, "cookie"> = answer.json();
  return { ...body, cookie: String(answer.headers["set-cookie"]).split(";")[0]! };
}

/** Creates a valid sign-in message with the changes of a test, and its signature. */
export async function signMessage(
  wallet: PrivateKeyAccount,
  asked: Nonce,
  changes: Partial<MessageFields> = {},
): Promise<Signed> {
  const message = createSiweMessage({
    address: wallet.address,
    chainId: asked.chain_id,
    domain: asked.domain,
    nonce: asked.nonce,
    uri: asked.uri,
    version: "1",
    issuedAt: new Date(),
    ...changes,
  });
  return { payload: { message, signature: await wallet.signMessage({ message }) }, cookie: asked.cookie };
}

/**
 * Returns the session cookie that an answer sets, as a browser would return it; null if the answer sets none or ends
 * one.
 */
export function getCookie(answer: LightMyRequestResponse): string | null {
  const set = [answer.headers["set-cookie"] ?? []].flat();
  const session = set.map((cookie) => cookie.split(";")[0]!).find((cookie) => cookie.includes("session_token="));
  return session === undefined || session.endsWith("=") ? null : session;
}

/** Sends a signed message like the browser that requested its nonce. */
export async function verifySigned(
  app: FastifyInstance,
  { payload, cookie: own }: Signed,
  { cookie, ...headers }: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const sent = { ...headers, cookie: cookie === undefined ? own : `${cookie}; ${own}` };
  return await app.inject({ method: "POST", url: "/api/auth/siwe/verify", payload, headers: sent });
}

export type SignedIn = { accountId: string; cookie: string; answer: LightMyRequestResponse };

/** Signs in like a browser. */
export async function signIn(
  app: FastifyInstance,
  wallet: PrivateKeyAccount,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const signed = await signMessage(wallet, await askNonce(app));
  const answer = await verifySigned(app, signed, headers);
  const cookie = getCookie(answer);
  if (answer.statusCode !== 200 || cookie === null)
    throw new Error(`not signed in: ${answer.statusCode} ${answer.body}`);
  return { accountId: answer.json().account_id, cookie, answer };
}
