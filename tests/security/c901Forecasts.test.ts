import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, it } from "vitest";
import { unlimited } from "../support/conformance/unlimited.ts";
import { createRequest, createSeries, useForecasts } from "../support/server/useForecasts.ts";

const forecasts = useForecasts();
const { newOwner, ask } = forecasts;

describe("a forecast", () => {
  it("has points, quantiles and intervals, costs one credit and says how many are left", async () => {
    const owner = await newOwner(2);
    const { status, body, headers } = await ask(owner, createRequest());
    expect([status, headers.get("credits-remaining")]).toEqual([200, "1"]);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^fc_[0-9a-f]{24}$/),
      interval: "HOUR_1",
      prediction_length: 24,
      model: { name: "ensemble", seasonal_periods: [24] },
      diagnostics: { n_obs: 200, n_used: 200, seasonal: true, backtest: { origins: expect.any(Number) } },
      credits: { charged: 1 },
      disclaimer: expect.stringMatching(/not advice/),
    });
    expect(body.forecast).toHaveLength(24);
    expect(body.quantiles["0.5"]).toEqual(body.forecast);
    expect(body.intervals.map(({ level }: { level: number }) => level)).toEqual([50, 80, 95]);
    expect(body.intervals[2]).toEqual({ level: 95, lower: body.quantiles["0.025"], upper: body.quantiles["0.975"] });
    const paths = Object.keys(body.quantiles)
      .sort()
      .map((name) => body.quantiles[name] as number[]);
    for (let h = 0; h < 24; h++)
      for (let k = 1; k < 7; k++) expect(paths[k]![h]).toBeGreaterThanOrEqual(paths[k - 1]![h]!);
  });

  it("of the same request has the same bytes, at another server too", async () => {
    const owner = await newOwner(3);
    const request = createRequest(0.1);
    const first = await ask(owner, request);
    const second = await ask(owner, request);
    const other = await forecasts.open();
    const third = await ask(owner, JSON.stringify(request, null, 2), { server: other });
    expect([first.status, second.text, third.text]).toEqual([200, first.text, first.text]);
    expect(await forecasts.getBalance(owner)).toBe(0);
    await other.stop();
  });

  it("of a constant series is the constant, of the longest series is answered, and is not below zero for values that are not", async () => {
    const owner = await newOwner(3);
    const constant = await ask(owner, { series: Array(10).fill(0), prediction_length: 10, interval: "WEEK_1" });
    expect([constant.status, constant.body.forecast]).toEqual([200, Array(10).fill(0)]);
    expect(constant.body.diagnostics.warnings).toEqual(["constant_series"]);
    const longest = await ask(owner, { series: createSeries(4_096), prediction_length: 256, interval: "MINUTE_1" });
    expect([longest.status, longest.body.forecast.length]).toEqual([200, 256]);
    const low = createSeries(200).map((value) => Math.max(0, value - 100));
    const bounded = await ask(owner, { series: low, prediction_length: 200, interval: "HOUR_1" });
    expect(Math.min(...(Object.values(bounded.body.quantiles) as number[][]).flat())).toBeGreaterThanOrEqual(0);
  });

  it("needs a credential", async () => {
    expect((await ask({ accountId: "", apiKey: "none" }, createRequest())).status).toBe(401);
  });
});

describe("credits", () => {
  it("C9-01 fifty parallel forecasts with one credit left have one success and leave nothing negative", async () => {
    const owner = await newOwner(1);
    const answers = await Promise.all([...Array(50)].map((_, i) => ask(owner, createRequest(i))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([
        [402, "insufficient_credits"],
        [503, "overloaded"],
      ]).toContainEqual([status, body.error.code]);
    }
    expect(await forecasts.getBalance(owner)).toBe(0);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant", "charge"], states: ["done"] });
  });

  it("C9-01 fifty equal parallel forecasts with one key have equal answers and are charged once", async () => {
    const owner = await newOwner(5);
    const request = createRequest();
    const other = await forecasts.open();
    const answers = await Promise.all(
      [...Array(50)].map((_, i) =>
        ask(owner, request, { key: "one-key-for-all", server: i % 2 ? other : forecasts.server }),
      ),
    );
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]!.text]);
    const later = await ask(owner, request, { key: "one-key-for-all" });
    expect([later.text, later.headers.get("credits-remaining")]).toEqual([answers[0]!.text, "4"]);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant", "charge"], states: ["done"] });
    await other.stop();
  });

  it("C9-01 a key with another body is refused and costs nothing, and is another account's own", async () => {
    const owner = await newOwner(5);
    const stranger = await newOwner(1);
    const key = "shared-key";
    const first = await ask(owner, createRequest(), { key });
    expect(first.status).toBe(200);
    const reused = await ask(owner, createRequest(1), { key });
    expect([reused.status, reused.body.error.code]).toEqual([409, "idempotency_key_reused"]);
    expect((await ask(stranger, createRequest(1), { key })).status).toBe(200);
    expect([await forecasts.getBalance(owner), await forecasts.getBalance(stranger)]).toEqual([4, 0]);
  });

  it("C9-01 a key whose answer is older than a day is charged again", async () => {
    const owner = await newOwner(2);
    const key = "yesterdays-key";
    await ask(owner, createRequest(), { key });
    const sql = "update app.forecast_runs set created_at = now() - interval '25 hours' where account_id = $1";
    await forecasts.servers.pool.query(sql, [owner.accountId]);
    expect((await ask(owner, createRequest(1), { key })).status).toBe(200);
    expect(await forecasts.getBalance(owner)).toBe(0);
  });

  it("C9-01 a refused attempt does not use its key", async () => {
    const owner = await newOwner(0);
    const key = "an-early-key";
    expect((await ask(owner, createRequest(), { key })).status).toBe(402);
    const { pool } = forecasts.servers;
    await pool.query(
      "insert into app.credit_ledger (account_id, kind, amount, reason, request_id) values ($1, 'grant', 1, 'test', 'later')",
      [owner.accountId],
    );
    expect((await ask(owner, createRequest(1), { key })).status).toBe(200);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant", "charge"], states: ["done"] });
  });

  it("C9-01 a server killed between the charge and the answer costs nothing, and a retry with the key is charged anew", async () => {
    const owner = await newOwner(1);
    const { pool } = forecasts.servers;
    const server = await forecasts.open();
    // The answer cannot be stored while this lock is held.
    const holder = await pool.connect();
    await holder.query("select pg_advisory_lock(901)");
    await pool.query(`
      create function app.hold_answer() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(901); return new; end $$;
      create trigger hold_answer before update on app.forecast_runs for each row execute function app.hold_answer();`);
    const lost = ask(owner, createRequest(), { key: "killed-key", server }).catch(() => "no answer");
    const held = "select 1 from pg_stat_activity where wait_event = 'advisory' and query like '%app.forecast_runs%'";
    await expect.poll(async () => (await pool.query(held)).rowCount).toBe(1);
    await server.kill();
    expect(await lost).toBe("no answer");
    expect(await forecasts.getBalance(owner)).toBe(0);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory' and query like '%app.forecast_runs%'",
    );
    await pool.query("drop trigger hold_answer on app.forecast_runs; drop function app.hold_answer()");
    await holder.query("select pg_advisory_unlock(901)");
    holder.release();

    const early = await ask(owner, createRequest(), { key: "killed-key" });
    expect([early.status, early.body.error.code]).toEqual([503, "overloaded"]);
    const sql = "update app.forecast_runs set created_at = now() - interval '61 seconds' where account_id = $1";
    await pool.query(sql, [owner.accountId]);
    await expect.poll(() => forecasts.getBalance(owner)).toBe(1);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant", "charge", "refund"], states: ["failed"] });
    expect((await ask(owner, createRequest(), { key: "killed-key" })).status).toBe(200);
    expect((await forecasts.getBookings(owner)).kinds).toEqual(["grant", "charge", "refund", "charge"]);
    expect(await forecasts.getBalance(owner)).toBe(0);
  });
});

describe("several series", () => {
  const createItems = (count: number) => Array.from({ length: count }, (_, i) => createRequest(i));
  const askBatch = (owner: Parameters<typeof ask>[0], items: unknown[], key?: string) =>
    ask(owner, { items }, { path: "lines", ...(key !== undefined && { key }) });

  it("C9-60 cost one credit each in one charge, and have the forecasts of single requests in order", async () => {
    const owner = await newOwner(5);
    const { status, body, headers } = await askBatch(owner, createItems(3));
    expect([status, headers.get("credits-remaining"), body.credits]).toEqual([200, "2", { charged: 3 }]);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant", "charge"], states: ["done"] });
    for (const [i, item] of body.items.entries())
      expect((await ask(await newOwner(1), createRequest(i))).body).toEqual(item);
  });

  it("C9-60 in thirty parallel requests of two with five credits have two successes, and leave nothing negative", async () => {
    const owner = await newOwner(5);
    const answers = await Promise.all([...Array(30)].map(() => askBatch(owner, createItems(2))));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2);
    const paid = answers.filter(({ status }) => status === 200).length;
    expect(await forecasts.getBalance(owner)).toBe(5 - 2 * paid);
    expect(answers.every(({ status }) => [200, 402, 503].includes(status))).toBe(true);
  });

  it("C9-60 with a key are charged once, and a single request cannot reuse the key", async () => {
    const owner = await newOwner(9);
    const answers = await Promise.all([...Array(6)].map(() => askBatch(owner, createItems(2), "one-batch-key")));
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]!.text]);
    expect(await forecasts.getBalance(owner)).toBe(7);
    expect((await ask(owner, createRequest(), { key: "one-batch-key" })).status).toBe(409);
  });

  it.each<[string, unknown[], string]>([
    ["no series", [], "items"],
    ["500,000 entries", Array(500_000).fill(0), "items"],
    ["65 series", Array(65).fill({ series: Array(10).fill(1), prediction_length: 1, interval: "HOUR_1" }), "items"],
    [
      "32,769 values",
      [...Array(8).fill({ series: Array(4_096).fill(1), prediction_length: 1, interval: "HOUR_1" }), createRequest()],
      "items",
    ],
    [
      "4,097 forecast values",
      Array(17).fill({ series: Array(256).fill(1), prediction_length: 256, interval: "HOUR_1" }),
      "items",
    ],
    [
      "one wrong value",
      [createRequest(), { ...createRequest(), series: [null, ...createSeries(20)] }],
      "items[1].series[0]",
    ],
    ["a short covariate", [{ ...createRequest(), known_future: [createSeries(223)] }], "items[0].known_future"],
    [
      "five covariates",
      [{ ...createRequest(), known_future: Array(5).fill(createSeries(224)) }],
      "items[0].known_future",
    ],
    [
      "a covariate with a text",
      [{ ...createRequest(), known_future: [["1", ...createSeries(223)]] }],
      "items[0].known_future[0][0]",
    ],
  ])("C9-60 C9-63 with %s are refused before anything is charged or computed", async (_what, items, field) => {
    const owner = await newOwner(64);
    const { status, body } = await askBatch(owner, items);
    expect([status, body.error.field]).toEqual([422, field]);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant"], states: [] });
  });

  it("C9-63 have the rate of uploads, also while they are refused: their bodies are as expensive to read", async () => {
    const limits = { ...unlimited, UPLOAD_LIMIT_PER_SECOND: "1", UPLOAD_LIMIT_BURST: "2" };
    const server = await forecasts.servers.open({ ROLES: "api", ...limits });
    const owner = await newOwner(0);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(owner, { items: [] }, { path: "lines", server })).status);
    expect(statuses).toEqual([422, 422, 429]);
    await server.stop();
  });

  it("C9-63 that arrive slowly occupy the memory of eight bodies of an address", async () => {
    const owner = await newOwner(0);
    const headers = { authorization: `Bearer ${owner.apiKey}`, "content-type": "application/json" };
    const statuses: number[] = [];
    const begin = () => {
      const url = `${forecasts.server.site}/api/forecast/lines`;
      const sent = request(url, { method: "POST", headers: { ...headers, "content-length": 1_000_000 }, agent: false });
      sent.on("error", () => undefined).on("response", ({ statusCode }) => statuses.push(statusCode!));
      sent.write('{"items":[');
      return sent;
    };
    const slow = Array.from({ length: 12 }, begin);
    await expect.poll(() => statuses).toEqual([503, 503, 503, 503]);
    for (const sent of slow) sent.destroy();
    // The places are free again.
    const isTaken = async () => (await ask(owner, { items: [] }, { path: "lines" })).status === 422;
    await expect.poll(isTaken).toBe(true);
  });

  it("C9-60 with the largest covariates have finite forecasts", async () => {
    const covariate = Array.from({ length: 224 }, (_, t) => (t % 9 === 0 ? 1.7e308 : -1.7e308));
    const items = [
      { ...createRequest(), known_future: [covariate, covariate] },
      { ...createRequest(), series: createSeries(200).map((value) => value * 1e306), known_future: [covariate] },
    ];
    const { status, body } = await askBatch(await newOwner(2), items);
    expect(status).toBe(200);
    for (const { quantiles } of body.items)
      expect((Object.values(quantiles) as number[][]).flat().every(Number.isFinite)).toBe(true);
  });
});

describe("input", () => {
  const { series } = createRequest();
  const withValue = (text: string) =>
    `{"series":[${text},${series.join()}],"prediction_length":24,"interval":"HOUR_1"}`;
  const long = JSON.stringify({ ...createRequest(), series: Array(1_000_000).fill(1) });
  const cases: [string, unknown, number, string | undefined][] = [
    ["NaN", withValue("NaN"), 400, undefined],
    ["Infinity", withValue("Infinity"), 400, undefined],
    ["a number out of range", withValue("1e400"), 400, undefined],
    ["an array", [], 400, undefined],
    ["a text in the series", withValue('"1"'), 422, "series[0]"],
    ["null in the series", withValue("null"), 422, "series[0]"],
    ["an object in the series", withValue("{}"), 422, "series[0]"],
    ["only texts", { ...createRequest(), series: Array(4_096).fill("1") }, 422, "series[0]"],
    ["a million values", long, 422, "series"],
    ["4,097 values", { ...createRequest(), series: Array(4_097).fill(1) }, 422, "series"],
    ["60,000 values", { ...createRequest(), series: Array(60_000).fill(1) }, 422, "series"],
    ["9 values", { ...createRequest(), series: Array(9).fill(1), prediction_length: 1 }, 422, "series"],
    ["no series", { prediction_length: 1, interval: "HOUR_1" }, 422, "series"],
    ["a series that is a text", { ...createRequest(), series: "1,2" }, 422, "series"],
    ["a length of 0", { ...createRequest(), prediction_length: 0 }, 422, "prediction_length"],
    ["a length of -1", { ...createRequest(), prediction_length: -1 }, 422, "prediction_length"],
    ["a length of 10^9", { ...createRequest(), prediction_length: 1e9 }, 422, "prediction_length"],
    ["a length of 1.5", { ...createRequest(), prediction_length: 1.5 }, 422, "prediction_length"],
    ["a length above the series", { ...createRequest(), prediction_length: 201 }, 422, "prediction_length"],
    ["an unknown interval", { ...createRequest(), interval: "HOUR_2" }, 422, "interval"],
    ["an unknown field", { ...createRequest(), model: "x" }, 422, "model"],
  ];

  it.each(cases)("C9-02 %s is refused before anything is charged or computed", async (_what, body, status, field) => {
    const owner = await newOwner(1);
    const answer = await ask(owner, body);
    expect([answer.status, answer.body.error.field]).toEqual([status, field]);
    expect(await forecasts.getBookings(owner)).toEqual({ kinds: ["grant"], states: [] });
  });

  it("C9-02 a body above the limit is refused by its length, before any of it is sent", async () => {
    const owner = await newOwner(0);
    const headers = { authorization: `Bearer ${owner.apiKey}`, "content-type": "application/json" };
    const asked = request(`${forecasts.server.site}/api/forecast/line`, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(long) },
    });
    // The server closes the socket without waiting for the body.
    asked.on("error", () => {});
    asked.flushHeaders();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(422);
    expect(JSON.parse((await answer.setEncoding("utf8").toArray()).join("")).error.field).toBe("series");
    asked.destroy();
  });

  it("C9-02 of many wrong values the first alone is named", async () => {
    const { text } = await ask(await newOwner(0), { ...createRequest(), series: Array(4_096).fill("1") });
    expect(new Set(text.match(/series\[\d+\]/g))).toEqual(new Set(["series[0]"]));
  });
});
