import { Wallet } from "ethers";

/** A signed-in browser: its cookie, and the headers of a page of the site. */
export type Browser = { accountId: string; wallet: string; cookie: string; headers: Record<string, string> };

const post = async (siteUrl: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  await fetch(`${siteUrl}${path}`, {
    method: "POST",
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });

/** Any wallet: signing in needs no funds. */
export const newWallet = () => Wallet.createRandom();

type Signer = { address: string; signMessage: (message: string) => Promise<string> };

/** A signed message, and the cookie of the browser that may use it. */
export type Signed = { body: { message: string; signature: string }; cookie: string };

/** Returns headers with an additional cookie. */
export const withCookie = (headers: Record<string, string>, cookie: string): Record<string, string> => ({
  ...headers,
  cookie: headers.cookie === undefined ? cookie : `${headers.cookie}; ${cookie}`,
});

/** Creates a sign-in message (ERC-4361), written by hand, and its signature. */
export async function signMessage(siteUrl: string, wallet: Signer): Promise<Signed> {
  const answer = await post(siteUrl, "/api/auth/siwe/nonce");
  const asked = (await answer.json()) as {
    nonce: string;
    domain: string;
    uri: string;
    chain_id: number;
  };
  const message = [
    `${asked.domain} wants you to sign in with your Ethereum account:`,
    wallet.address,
    "",
    `URI: ${asked.uri}`,
    "Version: 1",
    `Chain ID: ${asked.chain_id}`,
    `Nonce: ${asked.nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join("\n");
  if (answer.headers.getSetCookie().length === 0)
    throw new Error(`the nonce was refused: ${answer.status} ${JSON.stringify(asked)}`);
  const cookie = answer.headers.getSetCookie()[0]!.split(";")[0]!;
  return { body: { message, signature: await wallet.signMessage(message) }, cookie };
}

/** Signs in like a browser. */
export async function signIn(siteUrl: string, wallet: Signer = newWallet()): Promise<Browser> {
  const signed = await signMessage(siteUrl, wallet);
  const response = await post(siteUrl, "/api/auth/siwe/verify", signed.body, { cookie: signed.cookie });
  const body = (await response.json()) as { account_id: string };
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (response.status !== 200 || cookie === undefined) throw new Error(`not signed in: ${JSON.stringify(body)}`);
  const headers = { cookie, origin: new URL(siteUrl).origin };
  return { accountId: body.account_id, wallet: wallet.address, cookie, headers };
}
