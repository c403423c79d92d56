import { join } from "node:path";
import { execa } from "execa";
import { createSiweMessage } from "viem/siwe";
import type { Wallet } from "../chain/wallets.ts";
import { repositoryRoot } from "../stack/stackFolder.ts";

const accountsProgram = join(repositoryRoot, "apps/server/src/accountsCommand.ts");
const credits = 1_000;

/**
 * Gives the account of the first development wallet a plan and credits, so that a person who imports the wallet sees all
 * pages. Signs in with the wallet as the site does; changes nothing if the account has a plan already.
 *
 * @param origin - The origin of the site's pages, which the service accepts for sign-in.
 * @throws Error if the service or the program that administers accounts fails
 */
export async function subscribeWallet(
  { siteUrl, databaseUrl, wallets }: { siteUrl: string; databaseUrl: string; wallets: readonly Wallet[] },
  origin: string,
): Promise<void> {
  const wallet = wallets[0]!;
  const post = (path: string, body: object, cookie: string) => send(`${siteUrl}${path}`, body, { origin, cookie });
  const asked = await post("/api/auth/siwe/nonce", {}, "");
  const { nonce, domain, uri, chain_id: chainId } = asked.body;
  const fields = { address: wallet.address, chainId, domain, nonce, uri, version: "1" as const, issuedAt: new Date() };
  const message = createSiweMessage(fields);
  const signature = await wallet.account.signMessage({ message });
  const signedIn = await post("/api/auth/siwe/verify", { message, signature }, asked.cookie);
  const response = await fetch(`${siteUrl}/api/account`, { headers: { cookie: signedIn.cookie } });
  const account = (await response.json()) as { id: string; plan: unknown };
  await post("/api/auth/sign-out", {}, signedIn.cookie);
  if (!response.ok || account.plan !== null) return;
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: "fatal" };
  const administer = (...args: string[]) =>
    execa(process.execPath, [accountsProgram, ...args, "--account", account.id], { cwd: repositoryRoot, env });
  await administer("plan", "--plan", "subscriber");
  await administer("credit", "--credits", String(credits));
}

/** The answer of the sign-in's first request; the page uses no other. */
type Answer = { nonce: string; domain: string; uri: string; chain_id: number };

/** Sends a request of the site's own pages. @returns the JSON of the answer, and the cookie for the next request */
async function send(url: string, body: object, headers: { origin: string; cookie: string }) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const cookies = response.headers.getSetCookie().map((set) => set.split(";")[0]!);
  return { body: (await response.json()) as Answer, cookie: cookies.join("; ") || headers.cookie };
}
