import { randomUUID } from "node:crypto";
import { createRoutes } from "@slipway/server/http/routes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Browser, newWallet, signIn } from "../support/conformance/browser.ts";
import { randomSalt, storeDraft, wallets } from "../support/security/actors.ts";
import { openSignInServer, type SignInServer } from "../support/security/openSignInServer.ts";
import { type Account, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const api = "/api/v1/launchpad";

let stack: TestStack;
let server: SignInServer;
/** Requests Ada's data: with a key, or with a session if the route requires one. */
let bob: Account;
let bobsBrowser: Browser;

beforeAll(async () => {
  stack = await startTestStack();
  server = await openSignInServer(stack);
  bob = await stack.createAccount("bob");
  bobsBrowser = await signIn(server.siteUrl);
});
afterAll(async () => {
  await server?.close();
  await stack?.close();
});

type Probe = {
  /** Ada's own id, and an id of the same form that does not exist. */
  ids: () => Promise<{ foreign: string; unknown: string }>;
  call: (id: string) => { method: string; path: string; body?: unknown; headers?: Record<string, string> };
};

const signedInAda = async () => await signIn(server.siteUrl, newWallet());
const getId = async (answer: Response) => ((await answer.json()) as { id: string }).id;

/** Whether a body contains a draft. */
const namesDraft = (body: z.ZodType | undefined) => body instanceof z.ZodObject && "intent_id" in body.shape;
/** Publishes a business of the stack's own account. */
const publishBusiness = async () => {
  const body = { name: "Ada's", description: "Of Ada.", category: "other" };
  const headers = { authorization: `Bearer ${stack.account.key}`, "idempotency-key": randomUUID() };
  return { foreign: await getId(await server.ask("POST", `${api}/businesses`, headers, body)), unknown: randomUUID() };
};

/** Every route with an id of an account's data, and a request for the id of another account. */
const probes: Record<string, Probe> = {
  "POST /splits/transactions": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/splits/transactions`,
      body: { intent_id, wallet: wallets[0]!.address },
    }),
  },
  "POST /vestings/transactions": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/vestings/transactions`,
      body: { intent_id, wallet: wallets[0]!.address },
    }),
  },
  "POST /openings/transactions": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/openings/transactions`,
      body: { intent_id, wallet: wallets[0]!.address, minimum: "1", cap: "2", deadline: 2_000_000_000 },
    }),
  },
  "POST /launch/transactions": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/launch/transactions`,
      body: { intent_id, wallet: wallets[0]!.address, splitter: wallets[1]!.address, salt: randomSalt() },
    }),
  },
  "POST /launch/calls": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/launch/calls`,
      body: { intent_id, wallet: wallets[0]!.address, splitter: null, salt: randomSalt() },
    }),
  },
  "POST /launch/preview": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (intent_id) => ({
      method: "POST",
      path: `${api}/launch/preview`,
      body: { intent_id, wallet: wallets[0]!.address },
    }),
  },
  "GET /intents/:id": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (id) => ({ method: "GET", path: `${api}/intents/${id}` }),
  },
  "GET /intents/:id/progress": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (id) => ({ method: "GET", path: `${api}/intents/${id}/progress` }),
  },
  "PUT /intents/:id/options": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (id) => ({ method: "PUT", path: `${api}/intents/${id}/options`, body: {} }),
  },
  "DELETE /intents/:id": {
    ids: async () => ({ foreign: await storeDraft(stack), unknown: randomUUID() }),
    call: (id) => ({ method: "DELETE", path: `${api}/intents/${id}` }),
  },
  "PUT /businesses/:id": {
    ids: publishBusiness,
    call: (id) => ({
      method: "PUT",
      path: `${api}/businesses/${id}`,
      headers: { "if-match": "*" },
      body: { name: "Bob's", description: "Of Bob.", category: "other" },
    }),
  },
  "DELETE /businesses/:id": {
    ids: publishBusiness,
    call: (id) => ({ method: "DELETE", path: `${api}/businesses/${id}`, headers: { "if-match": "*" } }),
  },
  "POST /businesses/:id/website-proof": {
    ids: publishBusiness,
    call: (id) => ({ method: "POST", path: `${api}/businesses/${id}/website-proof` }),
  },
  "GET /gas/topups/:hash": {
    ids: async () => ({ foreign: await storeTopUp(), unknown: randomSalt() }),
    call: (hash) => ({ method: "GET", path: `${api}/gas/topups/${hash}` }),
  },
  "DELETE /api/alerts/:id": {
    ids: async () => ({ foreign: await storeAlert(), unknown: randomUUID() }),
    call: (id) => ({ method: "DELETE", path: `/api/alerts/${id}` }),
  },
  ...Object.fromEntries(
    [
      { method: "PATCH", path: "", body: { status: "paused" } },
      { method: "DELETE", path: "" },
      { method: "GET", path: "/deliveries" },
      { method: "POST", path: "/replay", query: "?from=0" },
      { method: "POST", path: "/test" },
      { method: "POST", path: "/secret" },
    ].map(({ method, path, query = "", body }) => [
      `${method} /api/webhooks/:id${path}`,
      {
        ids: async () => ({ foreign: await storeWebhook(), unknown: randomUUID() }),
        call: (id: string) => ({ method, path: `/api/webhooks/${id}${path}${query}`, ...(body && { body }) }),
      },
    ]),
  ),
  "GET /api/account/payments/:id": {
    ids: async () => ({ foreign: await storePayment(), unknown: randomUUID() }),
    call: (id) => ({ method: "GET", path: `/api/account/payments/${id}` }),
  },
  "DELETE /api/account/keys/:id": {
    ids: async () => {
      const { headers } = await signedInAda();
      const made = await server.ask("POST", "/api/account/keys", headers, { name: "ada's" });
      return { foreign: await getId(made), unknown: randomUUID() };
    },
    call: (id) => ({ method: "DELETE", path: `/api/account/keys/${id}` }),
  },
  "DELETE /api/account/sessions/:id": {
    ids: async () => {
      const { headers } = await signedInAda();
      const session = (await (await server.ask("GET", "/api/auth/session", headers)).json()) as { session_id: string };
      return { foreign: session.session_id, unknown: randomUUID() };
    },
    call: (id) => ({ method: "DELETE", path: `/api/account/sessions/${id}` }),
  },
  "DELETE /api/account/wallets/:address": {
    ids: async () => ({ foreign: (await signedInAda()).wallet, unknown: newWallet().address }),
    call: (address) => ({ method: "DELETE", path: `/api/account/wallets/${address}` }),
  },
  "DELETE /api/account/connections/:provider": {
    ids: async () => {
      const { accountId } = await signedInAda();
      await stack.deps.db.api.query(
        `insert into app.identities (id, user_id, provider_id, account_id)
         values (gen_random_uuid(), $1, 'code_host', $2)`,
        [accountId, randomUUID()],
      );
      return { foreign: "code_host", unknown: "social" };
    },
    call: (provider) => ({ method: "DELETE", path: `/api/account/connections/${provider}` }),
  },
};

/** Stores an alert of the stack's own account. */
async function storeAlert(): Promise<string> {
  const id = randomUUID();
  const addressId = randomUUID();
  const { db } = stack.deps;
  await db.api.query("insert into app.alert_addresses values ($1, $2, $3, $3)", [
    addressId,
    stack.account.id,
    `ada-${id}@example.com`,
  ]);
  await db.api.query(
    `insert into app.alerts (id, account_id, address_id, idempotency_key, body_hash, pair, metric, op, value)
     values ($1, $2, $3, $1::uuid::text, '', 'BTC_USDT', 'risk_score', 'above', '80')`,
    [id, stack.account.id, addressId],
  );
  return id;
}

/** Stores a webhook of the stack's own account. */
async function storeWebhook(): Promise<string> {
  const headers = { authorization: `Bearer ${stack.account.key}`, "idempotency-key": randomUUID() };
  // An account without a plan may have two.
  await stack.deps.db.api.query("delete from app.webhooks");
  const body = { url: "https://hooks.example/ada", subject: { kind: "launches" } };
  return await getId(await server.ask("POST", "/api/webhooks", headers, body));
}

/** Stores a payment of the stack's own account. */
async function storePayment(): Promise<string> {
  const id = randomUUID();
  await stack.deps.db.api.query(
    `insert into app.payments (id, account_id, chain_id, asset, payer, payee, amount, valid_after, valid_before, nonce, credits,
       start_block, state)
     values ($1, $2, 1, $3, $3, $3, 1, 0, 1, $4, 1, 1, 'booked')`,
    [id, stack.account.id, wallets[0]!.address.toLowerCase(), randomSalt()],
  );
  return id;
}

/** Stores a top-up of the stack's own account, like the relayer. */
async function storeTopUp(): Promise<string> {
  const quote = randomSalt();
  const hash = randomSalt();
  const id = randomUUID();
  const { db } = stack.deps;
  const wallet = wallets[0]!.address.toLowerCase();
  await db.api.query(
    `insert into app.gas_quotes (id, account_id, chain_id, station, wallet, token, token_amount, native_amount, deadline)
     values ($1, $2, 1, $3, $3, $3, 1, 1, 1)`,
    [quote, stack.account.id, wallet],
  );
  await db.api.query(
    `insert into app.relayer_transactions (id, chain_id, sender, nonce, quote_id, account_id, wallet, client_address,
       station, data, gas_limit, native_amount, deadline, state)
     values ($1, 1, $2, 0, $3, $4, $2, '127.0.0.1', $2, '0x', 1, 1, 1, 'failed')`,
    [id, wallet, quote, stack.account.id],
  );
  await db.api.query(
    `insert into app.relayer_attempts (hash, transaction_id, number, raw, max_fee, priority_fee)
     values ($1, $2, 1, '0x', 1, 1)`,
    [hash, id],
  );
  return hash;
}

describe("C4-04 an object of another account", () => {
  it("C4-04 is probed on every guarded route whose path or body names one", () => {
    const naming = createRoutes(server.deps)
      .filter((route) => route.auth === "bearer" && route.scope !== "admin")
      // A market pair does not belong to an account, and openings and the fees of a wallet are public on the chain.
      .filter(({ path }) => !path.includes(":pair") && path !== "/wallets/:address/fees/pending")
      .filter(({ path }) => !path.startsWith("/openings/:address"))
      .filter(({ path, schemas }) => path.includes(":") || namesDraft(schemas.body))
      .map(({ method, path }) => `${method} ${path}`);
    expect(naming.sort()).toEqual(Object.keys(probes).sort());
  });

  it.each(Object.entries(probes))("C4-04 %s: answers as if it did not exist", async (_, { ids, call }) => {
    const { foreign, unknown } = await ids();
    const ask = async (id: string) => {
      const { method, path, body, headers: more } = call(id);
      const isBrowsers = path.startsWith("/api/account/");
      const headers = isBrowsers ? bobsBrowser.headers : { authorization: `Bearer ${bob.key}` };
      const answer = await server.ask(method, path, { ...headers, ...more }, body);
      const { error } = (await answer.json()) as { error: { request_id?: string } };
      delete error.request_id;
      return { status: answer.status, error, headers: [...answer.headers.keys()].sort() };
    };
    const answers = [await ask(foreign), await ask(unknown)];
    expect([404, 422]).toContain(answers[0]!.status);
    expect(answers[0]).toEqual(answers[1]);
  });

  it("C4-04 is still there afterwards", async () => {
    const { headers } = await signedInAda();
    const made = await server.ask("POST", "/api/account/keys", headers, { name: "ada's" });
    const { id, key } = (await made.json()) as { id: string; key: string };
    await server.ask("DELETE", `/api/account/keys/${id}`, { authorization: `Bearer ${bob.key}` });
    expect((await server.ask("GET", `${api}/intents`, { authorization: `Bearer ${key}` })).status).toBe(200);
  });
});
