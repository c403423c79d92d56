import { randomBytes } from "node:crypto";
import { startPlan } from "@slipway/server/accounts/plans";
import { storeBars } from "@slipway/server/markets/storeBars";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { getLastHour, riskBars, storeRiskMarket } from "../support/markets/riskBars.ts";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, pollOptions, refusedLive } from "../support/security/liveClient.ts";
import { openRisk } from "../support/security/riskClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const origin = "https://launch.example";
/** The number of sockets; 10,000 in `npm run bench -- risk-stream`. */
const sockets = 1_000;
const hour = 3600;
/** The hour can end during a test. */
const lastHour = getLastHour();

let service: LiveService;
let site: string;
let subscriber: SubscriberAccount;

beforeAll(async () => {
  service = await startLiveService();
  await storeRiskMarket(service.db, "BTC_USDT");
  await storeRiskMarket(service.db, "ETH_USDT", { lastTime: lastHour });
  const signInSettings = { SITE_URL: origin, AUTH_SECRET: randomBytes(32).toString("hex"), CHAIN_ID: "46630" };
  const limits = { WRITE_LIMIT_PER_SECOND: "1000000", WRITE_LIMIT_BURST: "1000000", MAX_CONNECTIONS: "10000" };
  ({ url: site } = await service.openServer({ ROLES: "api,worker", ...signInSettings, ...limits }));
  subscriber = await service.createSubscriber();
});
afterAll(() => service?.close());

async function readMetric(name: string): Promise<number> {
  const text = await (await fetch(`${site}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}
const countComputed = () => readMetric('slipway_risk_computed_total{outcome="stored"}');

async function getRisk(path: string, key = subscriber.key) {
  const response = await fetch(`${site}/api/risk${path}`, { headers: bearer(key) });
  return { status: response.status, body: (await response.json()) as any };
}
const untilRisk = async (pair: string) => {
  await expect.poll(async () => (await getRisk(`/${pair}`)).status, pollOptions).toBe(200);
  return (await getRisk(`/${pair}`)).body;
};

it("C9-10 a revoked key, an ended session and an ended plan close their streams of risk, and the others' stay", async () => {
  const [revoked, lapsed, other] = await Promise.all([1, 2, 3].map(() => service.createSubscriber()));
  const { accountId, cookie } = await signIn(site);
  await startPlan(service.db.indexer, accountId, "subscriber");
  const open = (account: SubscriberAccount) => openRisk(site, bearer(account.key), "?pair=BTC_USDT");
  const clients = [await open(revoked!), await open(lapsed!), await openRisk(site, { cookie, origin })];
  const stays = await open(other!);
  await service.db.indexer.query("update app.api_keys set revoked_at = now() where id = $1", [revoked!.keyId]);
  await service.db.indexer.query("update app.plans set active_until = now() where account_id = $1", [lapsed!.id]);
  await fetch(`${site}/api/auth/sign-out`, { method: "POST", headers: { cookie, origin } });
  expect(await Promise.all(clients.map(async (client) => (await client.untilClosed()).code))).toEqual([
    4401, 4403, 4401,
  ]);
  expect(stays.closed()).toBeNull();
  expect(stays.messages).toHaveLength(1);
  stays.ws.terminate();
});

it(`C9-12 of ${sockets} sockets of one pair each has its message at once, from one computation and one framing`, async () => {
  await untilRisk("BTC_USDT");
  const open = await readMetric("slipway_websockets");
  const computed = await countComputed();
  const framed = await readMetric("slipway_risk_framed_total");
  const clients = [await openRisk(site, bearer(subscriber.key), "?pair=BTC_USDT")];
  while (clients.length < sockets) {
    const some = Array.from({ length: Math.min(50, sockets - clients.length) }, () =>
      openRisk(site, bearer(subscriber.key), "?pair=BTC_USDT"),
    );
    clients.push(...(await Promise.all(some)));
  }
  for (const client of clients) await client.untilReceived(1);
  const [first] = clients[0]!.messages;
  for (const { messages } of clients) expect(messages[0]).toEqual(first);
  expect(first).toMatchObject({
    event: "risk_update",
    refresh_seconds: 30,
    snapshot: { pair: "BTC_USDT", status: "fresh", stale: false, reason: null, horizon_hours: 24 },
  });
  // The hour may end during the test; nothing else is computed or created again.
  expect((await countComputed()) - computed).toBeLessThanOrEqual(2);
  expect((await readMetric("slipway_risk_framed_total")) - framed).toBeLessThanOrEqual(2);
  for (const { ws } of clients) ws.terminate();
  await expect.poll(() => readMetric("slipway_websockets"), pollOptions).toBeLessThanOrEqual(open);
});

it.each([
  ["a pair in lower case", "?pair=btc_usdt", 400, "invalid_query"],
  ["nothing", "?pair=", 400, "invalid_query"],
  ["two pairs", "?pair=BTC_USDT&pair=ETH_USDT", 400, "invalid_query"],
  ["a null byte", "?pair=BTC_USDT%00", 400, "invalid_query"],
  ["5,000 letters", `?pair=${"A".repeat(5_000)}_USDT`, 400, "invalid_query"],
  ["SQL", "?pair=';drop table app.markets;--_USDT", 400, "invalid_query"],
  ["another parameter", "?tokens=all", 400, "invalid_query"],
  ["an unknown market", "?pair=DOGE_USDT", 404, "pair_not_found"],
])(
  "C9-13 %s as a pair is refused before the upgrade, and nothing is computed for it",
  async (_what, query, status, code) => {
    const path = `/ws/risk${query.replaceAll(" ", "%20").replaceAll(";", "%3B")}`;
    const refused = await refusedLive(site, { headers: bearer(subscriber.key), path });
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    const { rows } = await service.db.api.query(
      "select from app.risk_demand d join app.markets m on m.id = d.market_id where m.pair !~ '^(BTC|ETH)_USDT$'",
    );
    expect(rows).toEqual([]);
  },
);

it("C9-14 an account without a plan, no account and a credential in the URL get neither the stream nor its answers", async () => {
  const { key } = await service.createSubscriber({ plan: false });
  const tries: [string, Record<string, string>, number, string][] = [
    ["/ws/risk", bearer(key), 403, "plan_required"],
    ["/ws/risk?pair=BTC_USDT", bearer(key), 403, "plan_required"],
    ["/ws/risk?pair=not-a-pair", bearer(key), 403, "plan_required"],
    ["/ws/risk", {}, 401, "unauthorized"],
    [`/ws/risk?api_key=${subscriber.key}`, {}, 400, "credentials_in_url"],
  ];
  for (const [path, headers, status, code] of tries) {
    const refused = await refusedLive(site, { headers, path });
    expect([path, refused.status, refused.body.error.code]).toEqual([path, status, code]);
  }
  for (const path of ["", "/BTC_USDT"]) {
    expect((await getRisk(path, key)).body.error.code).toBe("plan_required");
    expect((await getRisk(path, "slip_guessed")).status).toBe(401);
  }
});

it("C9-15 a source that stopped is marked stale, then unavailable with nulls and 404, and never zero", async () => {
  const { db } = service;
  await storeRiskMarket(db, "OLD_USDT", { lastTime: lastHour - 3 * hour });
  await storeRiskMarket(db, "DEAD_USDT", { lastTime: lastHour - 9 * hour });
  await storeRiskMarket(db, "NEW_USDT", { days: 20, lastTime: lastHour });
  const stale = await untilRisk("OLD_USDT");
  expect(stale.snapshot).toMatchObject({ status: "stale", stale: true, reason: null });
  expect(stale.snapshot.var["95"]).toBeGreaterThan(0);
  expect(Date.parse(stale.snapshot.data_through) / 1000).toBe(lastHour - 2 * hour);
  const short = await untilRisk("NEW_USDT");
  expect(short.snapshot).toMatchObject({ status: "fresh", reason: "too_short", var: { "95": null, "99": null } });
  expect([short.snapshot.risk_score, short.snapshot.volatility.har_daily]).toEqual([null, null]);

  const dead = await getRisk("/DEAD_USDT");
  expect([dead.status, dead.body.error.code, dead.body.error.details]).toEqual([
    404,
    "market_unavailable",
    { reason: "gap" },
  ]);
  const client = await openRisk(site, bearer(subscriber.key), "?pair=DEAD_USDT");
  await client.untilReceived(1);
  const { snapshot, history } = client.messages[0] as any;
  expect([snapshot.status, snapshot.reason, history]).toEqual(["unavailable", "gap", []]);
  const { calibration, horizon_hours: horizon, ...numbers } = snapshot;
  expect([calibration.window_days, horizon]).toEqual([0, 24]);
  expect(JSON.stringify(numbers)).not.toMatch(/":-?\d/);
  const cards = (await getRisk("")).body.cards as any[];
  expect(cards.find(({ pair }) => pair === "DEAD_USDT")).toMatchObject({
    status: "unavailable",
    price: null,
    var_95: null,
  });
  expect(cards.find(({ pair }) => pair === "OLD_USDT")).toMatchObject({ status: "stale", stale: true });
  client.ws.terminate();
});

it("C9-16 a client that sends anything to the stream of risk is closed after five messages, and changes nothing", async () => {
  const client = await openRisk(site, bearer(subscriber.key));
  for (const text of ["{}", "[", '{"type":"subscribe_live"}', '{"pair":"ETH_USDT"}', "x"]) client.ws.send(text);
  expect(await client.untilClosed()).toEqual({ code: 1008, reason: "this stream takes no messages" });
  expect(client.messages).toHaveLength(1);
});

it("C9-18 a bar that its source revises is computed again, and the forecasts that were stored stay as they were", async () => {
  const { db } = service;
  const before = await untilRisk("ETH_USDT");
  const id = (await db.api.query<{ id: number }>("select id from app.markets where pair = 'ETH_USDT'")).rows[0]!.id;
  const list = async () =>
    (
      await db.api.query(
        "select made_at, forecast, stored_at from app.risk_forecasts where market_id = $1 order by 1",
        [id],
      )
    ).rows;
  const forecasts = await list();
  const bars = riskBars(320, lastHour);
  const revised = { ...bars.at(-5)!, high: bars.at(-5)!.high * 1.2 };
  await storeBars(db.api, id, 3600, "history", [revised]);
  const parkinson = ({ snapshot }: any) => snapshot.volatility.parkinson as number;
  await expect
    .poll(async () => parkinson((await getRisk("/ETH_USDT")).body), pollOptions)
    .toBeGreaterThan(parkinson(before));
  expect(await list()).toEqual(forecasts);
});

it("C9-19 a pair that cannot be computed is unavailable, waits, and holds up no other", async () => {
  const { db } = service;
  const id = await storeRiskMarket(db, "BAD_USDT", { lastTime: lastHour });
  const days = riskBars(320, lastHour).filter(({ time }) => (time + hour) % 86_400 === 23 * hour);
  const madeAt = days[310]!.time + hour;
  await db.api.query("insert into app.risk_forecasts (market_id, made_at, forecast) values ($1, $2, $3)", [
    ...[id, madeAt],
    { madeAt, har: 1, garch: 1, harFit: null, garchFit: null, tails: {}, risk: {} },
  ]);
  expect((await getRisk("/BAD_USDT")).status).toBe(404);
  await expect.poll(() => readMetric('slipway_risk_computed_total{outcome="failed"}'), pollOptions).toBe(1);
  await storeRiskMarket(db, "GOOD_USDT");
  expect((await untilRisk("GOOD_USDT")).snapshot.status).toBe("fresh");
  expect((await getRisk("/BAD_USDT")).body.error.details).toEqual({ reason: "no_data" });
});
