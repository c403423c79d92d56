import { createHash, createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createWalletClient, encodeDeployData, type Hex, http } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitForReceipt } from "../../dev/src/chain/rpcRequest.ts";
import { newWallet, type Signed, signIn, signMessage, withCookie } from "../support/conformance/browser.ts";
import { wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { openSignInServer, type SignInServer } from "../support/security/openSignInServer.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const api = "/api/v1/launchpad";

let stack: TestStack;
let server: SignInServer;
/** Another process of the same deployment. */
let second: SignInServer;

beforeAll(async () => {
  stack = await startTestStack();
  server = await openSignInServer(stack);
  second = await openSignInServer(stack, server.siteUrl);
});
afterAll(async () => {
  await second?.close();
  await server?.close();
  await stack?.close();
});

const status = async (on: SignInServer, headers: Record<string, string>) =>
  (await on.ask("GET", "/api/account", headers)).status;
/** A revocation takes effect within a second, in every process. */
const refusedWithinASecond = async (on: readonly SignInServer[], headers: Record<string, string>) => {
  await delay(1_000);
  for (const one of on) expect(await status(one, headers)).toBe(401);
};
const verify = async ({ body, cookie }: Signed, headers: Record<string, string> = {}) =>
  await server.ask("POST", "/api/auth/siwe/verify", withCookie(headers, cookie), body);
const getCookie = (answer: Response) => answer.headers.getSetCookie()[0]?.split(";")[0];

/** Returns every text that the database stores of accounts. */
async function everythingKept(): Promise<string> {
  const { api: db } = stack.deps.db;
  const { rows } = await db.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'app'",
  );
  const tables = await Promise.all(rows.map(({ name }) => db.query(`select t::text as row from ${name} t`)));
  return tables.flatMap((table) => table.rows.map(({ row }) => row)).join("\n");
}

describe("C4-13 a session", () => {
  it("C4-13 cannot be fixed: a cookie that was planted before sign-in is worth nothing after it", async () => {
    const attacker = await signIn(server.siteUrl);
    const victim = newWallet();
    const answer = await verify(await signMessage(server.siteUrl, victim), {
      cookie: attacker.cookie,
      origin: server.siteUrl,
    });
    expect(answer.status).toBe(200);
    const cookie = getCookie(answer)!;
    expect(cookie).not.toBe(attacker.cookie);
    const { account_id } = (await answer.json()) as { account_id: string };
    expect(account_id).not.toBe(attacker.accountId);
    // The previous session of the browser has ended: it cannot be used beside the new one.
    await refusedWithinASecond([server], { cookie: attacker.cookie });
    expect(await status(server, { cookie })).toBe(200);
  });

  it("C4-13 of the attacker's choice is not adopted", async () => {
    const chosen = "slipway.session_token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.c2lnbmF0dXJl";
    const answer = await verify(await signMessage(server.siteUrl, newWallet()), {
      cookie: chosen,
      origin: server.siteUrl,
    });
    expect(getCookie(answer)).not.toContain("aaaaaaaaaaaaaaaa");
    expect(await status(server, { cookie: chosen })).toBe(401);
  });

  it("C4-13 cannot be made from what the database keeps: the cookie is signed with the deployment's secret", async () => {
    const { accountId, cookie } = await signIn(server.siteUrl);
    const { rows } = await stack.deps.db.api.query("select token from app.sessions where user_id = $1", [accountId]);
    const token = rows[0].token as string;
    expect(cookie).toContain(token);
    const forge = (key: string) => createHmac("sha256", key).update(token).digest("base64");
    for (const signature of ["", "x", forge(""), forge("slipway"), forge(token)]) {
      const forged = `slipway.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
      expect(await status(server, { cookie: forged })).toBe(401);
    }
    expect(await status(server, { cookie: `slipway.session_token=${token}` })).toBe(401);
  });

  it("C4-13 ends everywhere at once, in every process, within a second", async () => {
    const wallet = newWallet();
    const sessions = [await signIn(server.siteUrl, wallet), await signIn(server.siteUrl, wallet)];
    for (const { cookie } of sessions) {
      expect([await status(server, { cookie }), await status(second, { cookie })]).toEqual([200, 200]);
    }
    expect((await server.ask("DELETE", "/api/account/sessions", sessions[0]!.headers)).status).toBe(200);
    for (const { cookie } of sessions) await refusedWithinASecond([server, second], { cookie });
  });
});

describe("C4-13 an API key", () => {
  const create = async () => {
    const { headers } = await signIn(server.siteUrl);
    const answer = await server.ask("POST", "/api/account/keys", headers, { name: "bot", scopes: ["read", "account"] });
    return { headers, ...((await answer.json()) as { id: string; key: string }) };
  };

  it("C4-13 is kept as its SHA-256 and in no other form", async () => {
    const { id, key } = await create();
    const kept = await everythingKept();
    expect(kept).toContain(id);
    expect(kept).not.toContain(key);
    expect(kept).not.toContain(key.slice(-20));
    expect(kept).toContain(createHash("sha256").update(key).digest("hex"));
  });

  it("C4-13 is refused within a second of being revoked, in every process", async () => {
    const { id, key, headers } = await create();
    const authorization = `Bearer ${key}`;
    expect([await status(server, { authorization }), await status(second, { authorization })]).toEqual([200, 200]);
    expect((await server.ask("DELETE", `/api/account/keys/${id}`, headers)).status).toBe(200);
    await refusedWithinASecond([server, second], { authorization });
  });

  it("C4-13 is not compared but looked up by its hash: neither its beginning nor its case is enough", async () => {
    const { key } = await create();
    for (const wrong of [key.slice(0, -1), `${key}A`, key.toLowerCase(), key.toUpperCase(), ` ${key}x`]) {
      const answer = await server.ask("GET", `${api}/intents`, { authorization: `Bearer ${wrong}` });
      expect(answer.status).toBe(401);
    }
  });
});

describe("C4-13 a wallet's signature", () => {
  it("C4-13 of a contract wallet is asked of the contract: its owner's is taken, another's is not", async () => {
    const deployer = wallets[0]!;
    const owner = newWallet();
    const stranger = newWallet();
    const { abi, bytecode } = compileAttacker("ContractWallet");
    const client = createWalletClient({ account: deployer.account, transport: http(stack.chain.rpcUrl) });
    const data = encodeDeployData({ abi, bytecode, args: [owner.address] });
    const hash = await client.sendTransaction({ data, chain: null, gas: 3_000_000n } as never);
    const { contractAddress } = await waitForReceipt(stack.chain.rpcUrl, hash);
    const asContract = (signer: typeof owner) => ({
      address: contractAddress as Hex,
      signMessage: (message: string) => signer.signMessage(message),
    });
    const refused = await verify(await signMessage(server.siteUrl, asContract(stranger)));
    expect([refused.status, getCookie(refused)]).toEqual([401, undefined]);
    const taken = await verify(await signMessage(server.siteUrl, asContract(owner)));
    expect(taken.status).toBe(200);
    expect(((await taken.json()) as { wallet: string }).wallet.toLowerCase()).toBe(contractAddress!.toLowerCase());
  });

  it("C4-13 of somebody else, of another text, cut off or empty is refused and uses the nonce up", async () => {
    const wallet = newWallet();
    const other = newWallet();
    const spoil: Record<string, (message: string, signature: string) => Promise<string>> = {
      "another's": async (message) => await other.signMessage(message),
      "of another text": async () => await wallet.signMessage("hello"),
      "cut off": async (_, signature) => signature.slice(0, -2),
      "nothing but zeros": async () => `0x${"00".repeat(65)}`,
      "one that claims to be ERC-6492's": async () => `0x${"00".repeat(65)}${"6492".repeat(16)}`,
    };
    for (const [what, change] of Object.entries(spoil)) {
      const signed = await signMessage(server.siteUrl, wallet);
      const { message, signature } = signed.body;
      const answer = await verify({ ...signed, body: { message, signature: await change(message, signature) } });
      expect([answer.status, getCookie(answer)], what).toEqual([401, undefined]);
      expect((await verify(signed)).status, what).toBe(401);
    }
  });
});
