import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import type { FuzzTarget } from "./fuzzTarget.ts";

type Site = Pick<FuzzTarget, "siteUrl">;

const post = async (url: string, body?: object, cookie?: string): Promise<Response> => {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(cookie === undefined ? {} : { cookie }),
  };
  const response = await fetch(url, { method: "POST", headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}: ${await response.text()}`);
  return response;
};

const getCookies = (response: Response) => {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
  if (cookies.length === 0) throw new Error("signing in set no cookie");
  return cookies.join("; ");
};

/** Creates a sign-in message with a nonce of the service, signed by a wallet, and returns it with its cookie. */
export async function signInMessage(
  { siteUrl }: Site,
  key: Hex,
): Promise<{ body: { message: string; signature: Hex }; cookie: string }> {
  const account = privateKeyToAccount(key);
  const response = await post(`${siteUrl}/api/auth/siwe/nonce`);
  const { nonce, domain, uri, chain_id } = (await response.json()) as Record<string, string>;
  const chainId = Number(chain_id);
  const terms = { address: account.address, chainId, domain: domain!, nonce: nonce!, uri: uri!, version: "1" } as const;
  const message = createSiweMessage(terms);
  return { body: { message, signature: await account.signMessage({ message }) }, cookie: getCookies(response) };
}

/** Signs in with the target's wallet. @returns the session's cookie, or null if no wallet can sign in. */
export async function openSession({
  siteUrl,
  walletKey,
}: Pick<FuzzTarget, "siteUrl" | "walletKey">): Promise<string | null> {
  if (walletKey === null) return null;
  const { body, cookie } = await signInMessage({ siteUrl }, walletKey);
  return getCookies(await post(`${siteUrl}/api/auth/siwe/verify`, body, cookie));
}
