import { randomUUID } from "node:crypto";
import { scope } from "@slipway/protocol/accounts";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { startPlan } from "@slipway/server/accounts/plans";
import { createRoutes } from "@slipway/server/http/routes";
import { apiPrefix, type Route } from "@slipway/server/route";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../support/server/readDatabase.ts";
import { signIn, signInSettings, siteUrl } from "../support/server/signIn.ts";
import { testChainId } from "../support/server/testManifest.ts";

let database: ReadDatabase;
let read: ReadApp;
/** The headers of a key with every scope, and of a signed-in browser. */
let key: Record<string, string>;
let session: Record<string, string>;
let accountId: string;

beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { ...signInSettings, WRITE_LIMIT_PER_SECOND: "100000" });
  const { ids } = read.deps;
  const secret = createApiKeySecret(ids);
  accountId = ids.uuid();
  const names = { name: "operator", keyId: ids.uuid(), keyName: "every scope", scopes: scope.options };
  await createAccount(database.db.api, { accountId, ...names, hash: secret.hash, prefix: secret.prefix });
  // Without it, alerts are rejected before their body is read.
  await startPlan(database.db.api, accountId, "subscriber");
  key = { authorization: `Bearer ${secret.key}` };
  const { cookie } = await signIn(read.app, privateKeyToAccount(generatePrivateKey()));
  session = { cookie, origin: siteUrl };
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

/** Texts that PostgreSQL cannot store, or would store as another text. */
const badTexts = { "U+0000": "\u0000", "half of a surrogate pair": "\ud800", "the other half": "\udc00" };

const getUrl = ({ site, path }: Pick<Route, "site" | "path">) => (site ? path : `${apiPrefix}${path}`);
/** Ids of the right form, for routes that read the body after the id. */
const validIds = [
  [/^(\/api\/admin\/(?:tokens|openings)\/):id/, `0x${"1".repeat(40)}`],
  [/^(\/openings\/):address/, `0x${"1".repeat(40)}`],
  [/^(\/api\/admin\/images\/):id/, "1".repeat(64)],
  [/^(\/api\/admin\/listings\/|\/businesses\/):id/, "01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70"],
] as const;
const withId = (path: string) =>
  validIds.reduce((filled, [pattern, id]) => filled.replace(pattern, (_, before: string) => `${before}${id}`), path);
const getName = (route: Route) => `${route.method} ${route.path}`;

type Schema = NonNullable<Route["schemas"]["body"]>;

/** Any of a definition's inner schemas, with zod's names. */
type Definition = {
  type: string;
  shape?: Record<string, Schema>;
  element?: Schema;
  innerType?: Schema;
  in?: Schema;
  options?: Schema[];
  keyType?: Schema;
  valueType?: Schema;
  coerce?: boolean;
};

/** Returns every string of a schema, by its path. */
function* listStrings(schema: Schema, path: string[] = []): Generator<{ path: string; schema: Schema }> {
  const definition = schema._zod.def as unknown as Definition;
  if (definition.type === "string") yield { path: path.join("."), schema };
  for (const [name, member] of Object.entries(definition.shape ?? {})) yield* listStrings(member, [...path, name]);
  const inner = [definition.element, definition.innerType, definition.in, definition.keyType, definition.valueType];
  for (const one of [...inner, ...(definition.options ?? [])]) if (one) yield* listStrings(one, path);
}

const wallet = "0x1111111111111111111111111111111111111111";
const other = "0x2222222222222222222222222222222222222222";
const signed = { message: "no such message", signature: "0x00" };
const trade = { token: wallet, wallet, side: "buy", amount_in: "1", slippage_bps: 100 };
const business = {
  name: "Tin Boat",
  description: "a boat",
  category: "retail",
  website: "https://boat.example",
  phone: "+49301",
  image_uri: "ipfs://bafy",
  email: "a@boat.example",
  hours: "all day",
  tags: ["boat"],
  address: { street: "Quay 1", city: "Berlin", region: "Berlin", postal_code: "10115", country: "DE" },
  links: { x: "https://x.com/boat", github: "https://github.com/boat" },
};
/** A well-formed body for every route that accepts one, with every field that may be a text. */
const bodies: Record<string, () => Record<string, unknown>> = {
  "POST /intents": () => ({
    name: "Tin Boat",
    symbol: "TIN",
    description: "a boat",
    image_uri: "ipfs://bafy",
    website: "https://boat.example",
    chain_id: testChainId,
    recipients: [{ provider: "social", handle: "ada", wallet, share_bps: 10_000 }],
  }),
  "PUT /intents/:id/options": () => ({
    initial_buy: { amount_in: "1", slippage_bps: 1, recipient: wallet },
    partner: other,
    links: {
      x: "https://x.com/a",
      telegram: "https://t.me/a",
      discord: "https://discord.gg/a",
      farcaster: "https://farcaster.xyz/a",
      github: "https://github.com/a",
      website2: "https://a.example",
    },
    banner_uri: "https://cdn.example/b.png",
    creator: other,
  }),
  "POST /api/alerts": () => ({
    email: "ada@example.com",
    pair: "BTC_USDT",
    rule: { metric: "regime", op: "is", value: "stress" },
  }),
  "POST /api/alerts/confirm": () => ({ ticket: "AQ" }),
  "POST /api/webhooks": () => ({
    url: "https://hooks.example/in",
    subject: { kind: "trades", token: wallet, min_quote_amount: "1" },
  }),
  "PATCH /api/webhooks/:id": () => ({ url: "https://hooks.example/in", status: "paused" }),
  "POST /api/forecast/line": () => ({ series: Array(10).fill(1), prediction_length: 1, interval: "HOUR_1" }),
  "POST /api/forecast/lines": () => ({
    items: [{ series: Array(10).fill(1), prediction_length: 1, interval: "HOUR_1" }],
  }),
  "POST /businesses": () => business,
  "PUT /businesses/:id": () => business,
  "POST /reports": () => ({ kind: "listing", id: randomUUID(), reason: "spam", text: "It is spam." }),
  "PATCH /api/admin/listings/:id": () => ({ blocked: true, reason: "It is spam." }),
  "PATCH /api/admin/tokens/:id": () => ({ blocked: true, reason: "It is spam." }),
  "PATCH /api/admin/images/:id": () => ({ blocked: true, reason: "It is spam." }),
  "PATCH /api/admin/openings/:id": () => ({ blocked: true, reason: "It is spam." }),
  "POST /api/admin/denied-images": () => ({ dhash: "0123456789abcdef", reason: "It is spam." }),
  "POST /splits/transactions": () => ({ intent_id: randomUUID(), wallet }),
  "POST /launch/transactions": () => ({
    intent_id: randomUUID(),
    wallet,
    splitter: other,
    salt: `0x${"5a".repeat(32)}`,
  }),
  "POST /launch/calls": () => ({
    intent_id: randomUUID(),
    wallet,
    splitter: other,
    salt: `0x${"5a".repeat(32)}`,
    authorization: { deadline: 2_000_000_000, signature: "0x", epoch: 0 },
  }),
  "POST /openings/transactions": () => ({
    intent_id: randomUUID(),
    wallet,
    minimum: "1",
    cap: "2",
    deadline: 2_000_000_000,
  }),
  "POST /openings/:address/deposits/transactions": () => ({ wallet, amount: "1" }),
  "POST /openings/:address/claims/transactions": () => ({ wallet, account: other, to: other }),
  "POST /openings/:address/authorizations": () => ({
    value: "1",
    salt: `0x${"5a".repeat(32)}`,
    intent_id: randomUUID(),
  }),
  "POST /openings/:address/open/transactions": () => ({
    wallet,
    value: "1",
    salt: `0x${"5a".repeat(32)}`,
    signature: "0x",
    epoch: 0,
  }),
  "POST /openings/:address/close/transactions": () => ({ wallet }),
  "POST /vestings/transactions": () => ({ intent_id: randomUUID(), wallet }),
  "POST /vestings/release-transactions": () => ({ token: other, wallet }),
  "POST /launch/cancel/transactions": () => ({ wallet }),
  "POST /launch/preview": () => ({ intent_id: randomUUID(), wallet }),
  "POST /trade/quote": () => trade,
  "POST /trade/transactions": () => trade,
  "POST /trade/calls": () => ({
    ...trade,
    side: "sell",
    receive: "native",
    permit: { deadline: 2_000_000_000, signature: `0x${"2".repeat(130)}` },
    recipient: other,
  }),
  "POST /fees/claim-transactions": () => ({ token: wallet, wallet, stage: "settle", asset: other, recipient: other }),
  "POST /fees/claim-calls": () => ({ wallet, tokens: [wallet, other], unwrap: true, stages: "release" }),
  "POST /fees/payout-transactions": () => ({ token: wallet, wallet, payout: other }),
  "POST /gas/quote": () => ({ wallet, token: "USDC", gas_limit: 100_000 }),
  "POST /gas/topup": () => ({
    quote_id: `0x${"1".repeat(64)}`,
    wallet,
    signature: `0x${"2".repeat(130)}`,
    permit_signature: `0x${"2".repeat(130)}`,
  }),
  "POST /api/auth/siwe/verify": () => signed,
  "POST /api/auth/link-social": () => ({ provider: "code_host", callback_url: "/settings" }),
  "PATCH /api/account": () => ({ name: "Ada" }),
  "POST /api/account/wallets": () => signed,
  "POST /api/account/keys": () => ({ name: "laptop", scopes: ["read"] }),
  "POST /api/account/payments": () => ({
    product: "credits:100",
    payment: {
      x402Version: 2,
      accepted: { scheme: "exact", network: `eip155:${testChainId}`, amount: "1", asset: other, payTo: other },
      payload: {
        signature: `0x${"2".repeat(130)}`,
        authorization: {
          from: wallet,
          to: other,
          value: "1",
          validAfter: "0",
          validBefore: "1",
          nonce: `0x${"5a".repeat(32)}`,
        },
      },
    },
  }),
  "POST /api/admin/plans": () => ({ account_id: accountId, plan: "subscriber" }),
  "POST /api/admin/credits": () => ({ account_id: accountId, amount: 1, reason: "a gift" }),
};

/** Returns the body once for each of its texts, with `bad` inserted into it. */
function* spoil(value: unknown, bad: string, path: string[] = []): Generator<{ field: string; value: unknown }> {
  if (typeof value === "string") {
    for (const spoilt of [`${value}${bad}`, `${bad}${value}`]) yield { field: path.join("/"), value: spoilt };
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const { field, value: spoilt } of spoil(member, bad, [...path, name])) {
        const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
        copy[name] = spoilt;
        yield { field, value: copy };
      }
    }
  }
}

/** Returns all data that a request could have written. */
async function readStored(): Promise<unknown> {
  const { rows } = await database.db.api.query(`
    select (select count(*) from app.credit_ledger) as ledger, (select json_agg(b) from app.credit_balances b) as balances,
      (select count(*) from app.intents) as intents, (select count(*) from app.listings) as listings,
       (select count(*) from app.reports) as reports,
       (select count(*) from app.intents where options is not null) as options, (select count(*) from app.api_keys) as keys,
      (select count(*) from app.plans) as plans, (select json_agg(name order by id) from app.accounts) as names,
      (select count(*) from app.wallets) as wallets, (select count(*) from app.sessions) as sessions,
      (select count(*) from app.verifications) as verifications, (select count(*) from app.gas_quotes) as quotes`);
  return rows[0];
}

const send = async (route: Route, more: { url?: string; headers?: Record<string, string>; payload?: object }) => {
  const needsSession = "recentSignIn" in route && route.recentSignIn;
  const credential = route.auth === "public" ? {} : needsSession ? session : key;
  const headers = { "idempotency-key": randomUUID(), ...credential, ...more.headers };
  const url = more.url ?? getUrl({ ...route, path: withId(route.path) });
  const answer = await read.app.inject({
    method: route.method,
    url,
    headers,
    ...(more.payload && { payload: more.payload }),
  });
  return { status: answer.statusCode, error: answer.json().error };
};

describe("text that cannot be stored", () => {
  it("C4-19 is refused by the schema of every text of every route, in every part of a request", () => {
    const accepting: string[] = [];
    let texts = 0;
    for (const route of createRoutes(read.deps)) {
      for (const [part, schema] of Object.entries(route.schemas)) {
        for (const { path, schema: leaf } of listStrings(schema)) {
          texts++;
          // Uses all lengths, so that no length limit rejects the text instead.
          for (let length = 0; length < 140; length++) {
            for (const [what, bad] of Object.entries(badTexts)) {
              const texts = [`${bad}${"a".repeat(length)}`, `${"a".repeat(length)}${bad}`];
              if (texts.some((text) => leaf.safeParse(text).success)) {
                accepting.push(`${getName(route)} ${part}.${path} takes ${what}`);
              }
            }
          }
        }
      }
    }
    expect(texts).toBeGreaterThan(40);
    expect([...new Set(accepting)]).toEqual([]);
  });

  it("C4-19 in a body is 422, names the field, and nothing is written", async () => {
    const routes = createRoutes(read.deps).filter(({ schemas }) => schemas.body);
    expect(Object.keys(bodies).sort()).toEqual(routes.map(getName).sort());
    const before = await readStored();
    for (const route of routes) {
      for (const [what, bad] of Object.entries(badTexts)) {
        for (const { field, value } of spoil(bodies[getName(route)]!(), bad)) {
          const { status, error } = await send(route, {
            url: getUrl({ ...route, path: withId(route.path) }).replace(/:\w+/, randomUUID()),
            payload: value as object,
          });
          const named = String(error.field)
            .replaceAll(/[.[\]]+/g, "/")
            .replace(/\/$/, "");
          expect([status, error.code, named], `${getName(route)} ${field}: ${what}`).toEqual([
            422,
            "invalid_fields",
            field,
          ]);
        }
      }
    }
    expect(await readStored()).toEqual(before);
  });

  it("C4-19 in a query, a path or a header is 400", async () => {
    const before = await readStored();
    for (const route of createRoutes(read.deps)) {
      // The caller has no plan, which is rejected first.
      if (route.auth === "bearer" && route.plan !== undefined) continue;
      const urls = [];
      const { query, params, headers } = route.schemas;
      for (const { path } of query ? listStrings(query) : []) urls.push(`${getUrl(route)}?${path}=a%00`);
      if (params) urls.push(getUrl(route).replace(/:\w+/, "a%00"));
      for (const url of urls) expect((await send(route, { url })).status, `${route.method} ${url}`).toBe(400);
      for (const { path } of headers ? listStrings(headers) : []) {
        const answer = await send(route, {
          headers: { [path]: "abcdefgh\u0000" },
          payload: bodies[getName(route)]?.(),
        });
        expect(answer.status, `${getName(route)} ${path}`).toBe(400);
      }
    }
    expect(await readStored()).toEqual(before);
  });

  it("C4-19 in what a provider's redirect brings is refused before it is looked up", async () => {
    const configured = { CODE_HOST_CLIENT_ID: "id", CODE_HOST_CLIENT_SECRET: "secret" };
    const linking = await createReadApp(database.db, { ...signInSettings, ...configured });
    for (const query of ["state=%00", "state=a&code=%00", "error=%00", "state=a&other=%00"]) {
      const answer = await linking.app.inject({ method: "GET", url: `/api/auth/callback/code_host?${query}` });
      expect([answer.statusCode, answer.json().error.code], query).toEqual([400, "invalid_request"]);
    }
    await linking.app.close();
  });
});

describe("credits that an operator books", () => {
  const grant = async (payload: object, requestKey: string = randomUUID()) =>
    await read.app.inject({
      method: "POST",
      url: "/api/admin/credits",
      headers: { ...key, "idempotency-key": requestKey },
      payload,
    });
  const readLedger = async () =>
    (await database.db.api.query("select amount, reason from app.credit_ledger where account_id = $1", [accountId]))
      .rows;

  it("C4-19 are not booked when the answer cannot be sent", async () => {
    const huge = { account_id: accountId, kind: "grant", request_id: randomUUID() };
    await database.db.api.query(
      "insert into app.credit_ledger (account_id, kind, amount, reason, request_id) values ($1, $2, $3, 'huge', $4)",
      [huge.account_id, huge.kind, Number.MAX_SAFE_INTEGER, huge.request_id],
    );
    const before = await readLedger();
    // JSON cannot represent a balance above 2^53 - 1 exactly.
    const answer = await grant({ account_id: accountId, amount: 1 });
    expect(answer.statusCode).toBe(500);
    expect(await readLedger()).toEqual(before);
    expect((await grant({ account_id: accountId, amount: -5 })).json().balance).toBe(Number.MAX_SAFE_INTEGER - 5);
  });

  it("C4-19 are booked once by fifty identical requests at once, which all get the same answer", async () => {
    const before = await readLedger();
    const requestKey = randomUUID();
    const body = { account_id: accountId, amount: -7, reason: "a correction" };
    const answers = await Promise.all(Array.from({ length: 50 }, () => grant(body, requestKey)));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]!.statusCode).toBe(200);
    expect(await readLedger()).toHaveLength(before.length + 1);
    for (const change of [{ amount: -8 }, { reason: "another" }]) {
      expect((await grant({ ...body, ...change }, requestKey)).json().error.code).toBe("idempotency_key_reused");
    }
    expect(await readLedger()).toHaveLength(before.length + 1);
  });
});
