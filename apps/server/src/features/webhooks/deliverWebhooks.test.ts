import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  insertAccount,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import {
  tradedToken,
  writeLaunch,
  writeRetraction,
  writeRow,
  writeTrade,
} from "../../../../../tests/support/webhooks/outboxRows.ts";
import { useWebhooks, verify } from "../../../../../tests/support/webhooks/useWebhooks.ts";
import { endPlans } from "../../accounts/plans.ts";
import { getRetryDelayMs } from "./deliverWebhooks.ts";
import { matchOutbox } from "./matchOutbox.ts";

const hooks = useWebhooks();
const minute = 60_000;
const hour = 60 * minute;
const db = () => hooks.database.db;

const readWebhook = async () => (await hooks.query("select * from app.webhooks"))[0];
/** The names of the messages that the receiver got, such as "launch 1". */
const listReceived = () =>
  hooks.received.map(({ message: { type, data } }) =>
    type === "launch" ? data.symbol : type === "trade" ? `trade ${data.trade.block_number}` : type,
  );
/** Waits until an attempt number is stored, and all of its results. */
const untilFailures = async (count: number) =>
  await expect.poll(async () => (await readWebhook()).failures).toBe(count);

describe("the messages of a subject", () => {
  test("are signed by Standard Webhooks, and have the data of the live streams", async () => {
    const { key } = await hooks.newOwner();
    const { id, secret } = await hooks.subscribe(key);
    hooks.start();
    const cursor = await writeLaunch(db(), 7);
    await hooks.untilReceived(1);
    const [received] = hooks.received;
    const message: any = verify(secret, received!);
    expect(message).toMatchObject({ type: "launch", cursor: String(cursor), timestamp: expect.any(String) });
    expect(message.data).toMatchObject({ symbol: "T7", address: expect.stringMatching(/^0x/) });
    expect(() => verify(secret, { ...received!, body: received!.body.replace("T7", "T8") })).toThrow();
    await expect
      .poll(async () => await hooks.deliveries(key, id))
      .toMatchObject([{ id: received!.id, type: "launch", status: "delivered", attempts: 1, response_status: 204 }]);
    expect(await hooks.query("select data from app.webhook_deliveries")).toEqual([{ data: null }]);
  });

  test("are those that its subject matches", async () => {
    const { key } = await hooks.newOwner();
    const subjects: [subject: object, expected: string[]][] = [
      [{ kind: "launches" }, ["T1", "T2", "T3"]],
      [{ kind: "launches", creator: toAddress(8) }, ["T2"]],
      [{ kind: "launches", partner: toAddress(9) }, ["T3"]],
      [{ kind: "trades", token: tradedToken }, ["trade 1", "trade 2"]],
      [{ kind: "trades", token: tradedToken, min_quote_amount: "2" }, ["trade 2"]],
      [{ kind: "large_trades", min_quote_amount: "2" }, ["trade 2", "trade 3"]],
      [{ kind: "wallet_trades", account: toAddress(10) }, ["trade 3"]],
      [{ kind: "signals" }, ["signal", "signal"]],
      [{ kind: "signals", pair: "BTC_USDT" }, ["signal"]],
      [{ kind: "retractions" }, ["retracted"]],
    ];
    for (const [index, [subject]] of subjects.entries()) await hooks.subscribe(key, subject, `/${index}`);
    await writeLaunch(db(), 1);
    await writeLaunch(db(), 2, { creator: toAddress(8) });
    await writeLaunch(db(), 3, { partner: toAddress(9) });
    await writeTrade(db(), 1, { quote_amount: "1" });
    await writeTrade(db(), 2, { quote_amount: "2" });
    await writeTrade(db(), 3, { quote_amount: "3", address: toAddress(1_002), account: toAddress(10) });
    for (const pair of ["BTC_USDT", "ETH_USDT"]) await writeRow(db(), "signal", null, signal(pair));
    await writeRow(db(), "state", null, { tokens: [tradedToken] });
    await writeRetraction(db(), { trades: [99] });
    hooks.start();
    const expected = subjects.map(([, names]) => names);
    await hooks.untilReceived(expected.flat().length);
    await hooks.untilMatched();
    const received = listReceived();
    const list = (path: string) => received.filter((_, index) => hooks.received[index]!.path === path);
    expect(subjects.map((_, index) => list(`/${index}`))).toEqual(expected);
    const [stored] = await hooks.query("select count(*)::int as n from app.webhook_deliveries");
    expect(stored.n).toBe(expected.flat().length);
  });

  test("begin with the first one after the webhook was created", async () => {
    const { key } = await hooks.newOwner();
    await writeLaunch(db(), 1);
    await hooks.subscribe(key);
    await writeLaunch(db(), 2);
    hooks.start();
    await hooks.untilReceived(1);
    expect(listReceived()).toEqual(["T2"]);
  });
});

describe("price crossings", () => {
  test("are the trades that move the price across a number, in one direction, and are retracted with them", async () => {
    const { key } = await hooks.newOwner();
    const subject = { kind: "price", token: tradedToken, op: "above", price_eth: 2 };
    await hooks.subscribe(key, subject);
    await hooks.subscribe(key, { ...subject, op: "below" }, "/below");
    await insertIndex(db());
    for (const id of [1, 2]) await insertAccount(db(), id);
    await insertToken(db(), 1, { address: tradedToken, start_price: 1 });
    for (const [n, price] of [1, 2, 3, 4, 1.5, 2.5].entries()) {
      await insertTrade(db(), 1, n + 1, { pool_price: price });
      await writeTrade(db(), n + 1, { pool_price: price });
    }
    await writeTrade(db(), 9, { address: toAddress(1_002), pool_price: 9 });
    hooks.start();
    await hooks.untilReceived(3);
    await hooks.untilMatched();
    const list = (path: string) =>
      hooks.received
        .filter((one) => one.path === path && one.message.type === "price")
        .map(({ message: { data } }) => [data.block_number, data.previous_price_eth, data.price_eth]);
    expect([list("/"), list("/below")]).toEqual([
      [
        [3, 2, 3],
        [6, 1.5, 2.5],
      ],
      [[5, 4, 1.5]],
    ]);
    const second = hooks.received.find(({ message }) => message.data.block_number === 6)!;
    await writeRetraction(db(), { trades: [6] });
    await hooks.untilReceived(4);
    expect(hooks.received[3]!.message).toMatchObject({ type: "retracted", data: { messages: [second.id] } });
  });

  test("C6-42 of many webhooks by many trades are queued in several transactions", async () => {
    const { id: accountId } = await hooks.newOwner();
    await insertIndex(db());
    for (const id of [1, 2]) await insertAccount(db(), id);
    await insertToken(db(), 1, { address: tradedToken, start_price: 1 });
    await hooks.query(
      `insert into app.webhooks (id, account_id, idempotency_key, body_hash, url, host, subject, match_key, price_op, price, secret)
       select gen_random_uuid(), $1, 'key ' || n, '', '', '', '{}', 'price:' || $2, 'above', 2, '' from generate_series(1, 1500) n`,
      [accountId, tradedToken],
    );
    for (let n = 1; n <= 10; n++) {
      const price = n % 2 === 0 ? 1 : 3;
      await insertTrade(db(), 1, n, { pool_price: price });
      await writeTrade(db(), n, { pool_price: price });
    }
    const passes: [boolean, number][] = [];
    do {
      const { hasMore } = await matchOutbox(db().api);
      const [{ count }] = await hooks.query("select count(*)::int as count from app.webhook_deliveries");
      passes.push([hasMore, count]);
    } while (passes.at(-1)![0]);
    expect(passes).toEqual([
      [true, 4_500],
      [false, 7_500],
    ]);
  });
});

describe("retractions", () => {
  test("C6-38 name the delivered messages that a reorganisation took back, and cancel the queued ones", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key, { kind: "trades", token: tradedToken });
    hooks.start();
    await writeTrade(db(), 1);
    await writeTrade(db(), 2);
    await hooks.untilReceived(2);
    const [first] = hooks.received;
    hooks.answer = (_, response) => response.writeHead(500).end();
    await writeTrade(db(), 3);
    await untilFailures(1);
    await writeTrade(db(), 4);
    await writeRetraction(db(), { trades: [1, 3, 4] });
    // The same transaction is included again.
    await writeTrade(db(), 1);
    await hooks.untilMatched();
    hooks.answer = (_, response) => response.writeHead(204).end();
    hooks.pass(60_000);
    await hooks.untilReceived(5);
    const [, , third, retracted, again] = hooks.received;
    expect(retracted!.message).toMatchObject({ type: "retracted", data: { above_block: 0 } });
    expect(retracted!.message.data.messages.sort()).toEqual([first!.id, third!.id].sort());
    expect(again!.message.data.trade.id).toBe(first!.message.data.trade.id);
    expect(again!.id).not.toBe(first!.id);
    expect((await hooks.deliveries(key, id)).map((one: any) => one.status)).toEqual([
      ...["delivered", "delivered", "cancelled", "cancelled", "delivered", "delivered"],
    ]);
  });
});

describe("failed deliveries", () => {
  test("are retried with the same id, and keep the order of the messages", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    const statuses = [500, 302, 404];
    hooks.answer = (_, response) => response.writeHead(statuses.shift() ?? 200, { location: "/other" }).end();
    await writeLaunch(db(), 1);
    await writeLaunch(db(), 2);
    hooks.start();
    for (const failures of [1, 2, 3]) {
      await untilFailures(failures);
      const [, first] = await hooks.deliveries(key, id);
      const error = failures === 2 ? "redirected" : "status";
      const status = [500, null, 404][failures - 1];
      expect(first).toMatchObject({ status: "queued", attempts: failures, error, response_status: status });
      hooks.pass(hour);
    }
    await hooks.untilReceived(5);
    expect(listReceived()).toEqual(["T1", "T1", "T1", "T1", "T2"]);
    expect(new Set(hooks.received.slice(0, 4).map((one) => one.id)).size).toBe(1);
    await untilFailures(0);
    expect(await readWebhook()).toMatchObject({ failing_since: null, error: null });
  });

  test("C6-30 end after a day, and disable the webhook after three days with a mail to its owner", async () => {
    const { key, id: accountId } = await hooks.newOwner();
    await hooks.query(
      "insert into app.users (id, name, email, created_at, updated_at) values ($1, '', '', now(), now()) on conflict do nothing",
      [accountId],
    );
    await hooks.query(
      "insert into app.identities (id, user_id, provider_id, account_id) values (gen_random_uuid(), $1, 'code_host', 'ada')",
      [accountId],
    );
    await hooks.query("insert into app.provider_addresses values ('code_host', 'ada', 'ada@example.com', now())");
    const { id } = await hooks.subscribe(key);
    hooks.answer = (_, response) => response.writeHead(500).end();
    await writeLaunch(db(), 1);
    hooks.start();
    await untilFailures(1);
    await hooks.query("update app.webhook_deliveries set created_at = now() - interval '24 hours 1 minute'");
    hooks.pass(2 * minute);
    await expect
      .poll(async () => await hooks.deliveries(key, id))
      .toMatchObject([{ status: "failed", error: "expired" }]);
    await writeLaunch(db(), 2);
    await hooks.query("update app.webhooks set failing_since = now() - interval '3 days'");
    await expect.poll(async () => (await readWebhook()).state).toBe("disabled");
    expect((await hooks.list(key))[0]).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    expect(await hooks.query("select kind, details from app.account_events where kind = 'webhook_disabled'")).toEqual([
      { kind: "webhook_disabled", details: { webhook_id: id, reason: "failing" } },
    ]);
    expect(await hooks.query("select address, content->>'event' as event from app.mail")).toContainEqual({
      address: "ada@example.com",
      event: "webhook_disabled",
    });
    // It misses nothing that the outbox has.
    hooks.answer = (_, response) => response.writeHead(200).end();
    await writeLaunch(db(), 3);
    hooks.received.length = 0;
    await hooks.send("PATCH", `/api/webhooks/${id}`, { key, body: { status: "enabled" } });
    await expect.poll(() => listReceived()).toContain("T3");
  });

  test("of an endpoint that answers 410 disable the webhook at once", async () => {
    const { key } = await hooks.newOwner();
    await hooks.subscribe(key);
    hooks.answer = (_, response) => response.writeHead(410).end();
    await writeLaunch(db(), 1);
    hooks.start();
    await expect.poll(async () => await readWebhook()).toMatchObject({ state: "disabled", disabled_reason: "gone" });
  });

  test("wait longer after each failure, up to an hour, with jitter", () => {
    const delays = [1, 2, 3, 20].map((failures) => [0, 2 ** 31, 2 ** 32 - 1].map((n) => getRetryDelayMs(failures, n)));
    expect(delays).toEqual([
      [3_750, 5_000, 6_250],
      [7_500, 10_000, 12_500],
      [15_000, 20_000, 25_000],
      [2_700_000, 3_600_000, 4_500_000],
    ]);
  });

  test("C6-31 of a slow endpoint delay no other webhook", async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => hooks.newOwner()));
    for (const { key } of owners)
      for (let n = 0; n < 10; n++) await hooks.subscribe(key, { kind: "launches" }, "/slow");
    await hooks.query("update app.webhooks set host = id::text, is_slow = true");
    const { key } = await hooks.newOwner();
    await hooks.subscribe(key, { kind: "launches" }, "/fast");
    const open = { now: 0, most: 0 };
    const waiting = new Set<ServerResponse>();
    hooks.answer = ({ path }, response) => {
      if (path === "/fast") return response.writeHead(200).end();
      open.most = Math.max(open.most, ++open.now);
      waiting.add(response.on("close", () => open.now--));
    };
    await writeLaunch(db(), 1);
    hooks.start();
    await expect.poll(() => open.most).toBe(25);
    for (let n = 2; n < 5; n++) await writeLaunch(db(), n);
    const received = () => hooks.received.filter(({ path }) => path === "/fast").length;
    await expect.poll(received).toBe(4);
    expect(open.most).toBe(25);
    for (const response of waiting) response.end();
  });

  test("C6-40 of an endpoint that only sometimes answers in time end early while slow endpoints have their half", async () => {
    const { key } = await hooks.newOwner();
    await hooks.subscribe(key, { kind: "launches" }, "/silent");
    const sometimes = await hooks.subscribe(key, { kind: "launches" }, "/sometimes");
    const fast = await hooks.subscribe(key, { kind: "trades", token: tradedToken }, "/fast");
    await hooks.query("update app.webhooks set host = id::text, is_slow = id <> all($1)", [[sometimes.id, fast.id]]);
    const silent = new Set<ServerResponse>();
    hooks.answer = ({ path }, response) => {
      if (path === "/fast") return response.writeHead(200).end();
      if (path === "/silent") silent.add(response.on("close", () => silent.clear()));
    };
    hooks.start({ WEBHOOK_CONNECTIONS: 2 });
    await writeLaunch(db(), 1);
    await hooks.untilReceived(2);
    await writeTrade(db(), 2);
    await hooks.untilReceived(3);
    expect([hooks.received[2]!.path, silent.size]).toEqual(["/fast", 1]);
    const read = async () => (await hooks.list(key)).find(({ id }: any) => id === sometimes.id);
    await expect.poll(async () => (await read()).last_error).toBe("too_slow");
    for (const response of silent) response.end();
  });
});

describe("the deliveries of a process", () => {
  test("C6-32 are limited for each host and for each account", async () => {
    const [one, other] = [await hooks.newOwner(), await hooks.newOwner()];
    for (let n = 0; n < 6; n++) await hooks.subscribe(one.key, { kind: "launches" }, "/host");
    for (let n = 0; n < 10; n++) await hooks.subscribe(other.key, { kind: "launches" }, "/account");
    await hooks.query("update app.webhooks set host = id::text where account_id = $1", [other.id]);
    const held: { path: string; response: ServerResponse }[] = [];
    hooks.answer = ({ path }, response) => held.push({ path, response });
    await writeLaunch(db(), 1);
    hooks.start();
    const count = (path: string) => held.filter((delivery) => delivery.path === path).length;
    await expect.poll(() => [count("/host"), count("/account")]).toEqual([4, 8]);
    hooks.answer = (_, response) => response.writeHead(200).end();
    for (const { response } of held) response.writeHead(200).end();
    await hooks.untilReceived(16);
    expect(held.length).toBe(12);
  });

  test("C6-41 are one for each webhook, also when its URL is changed meanwhile", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    const held: ServerResponse[] = [];
    hooks.answer = (_, response) => held.push(response);
    await writeLaunch(db(), 1);
    hooks.start();
    await hooks.untilReceived(1);
    const { body } = await hooks.send("PATCH", `/api/webhooks/${id}`, {
      key,
      body: { url: "https://hooks.example/2" },
    });
    expect(body.url).toBe("https://hooks.example/2");
    const other = await hooks.newOwner();
    await hooks.subscribe(other.key, { kind: "launches" }, "/other");
    await writeLaunch(db(), 2);
    await hooks.untilReceived(2);
    expect(hooks.received.map(({ path }) => path)).toEqual(["/", "/other"]);
    expect((await hooks.deliveries(key, id)).map((one: any) => one.attempts)).toEqual([0, 1]);
    hooks.answer = (_, response) => response.writeHead(204).end();
    for (const response of held) response.end();
  });

  test("C6-36 go to public addresses only, and show no cause", async () => {
    let requests = 0;
    const trap = createServer((_, response) => {
      requests++;
      response.end("internal");
    }).listen(0, "127.0.0.1");
    await once(trap, "listening");
    const { port } = trap.address() as { port: number };
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    const urls = [`https://127.0.0.1:${port}/`, `https://documents.example:${port}/`, "https://missing.example/"];
    hooks.start();
    for (const [index, url] of urls.entries()) {
      await hooks.query("update app.webhooks set url = $1", [url]);
      if (index === 0) await writeLaunch(db(), 1);
      hooks.pass(2 * hour);
      await untilFailures(index + 1);
      expect((await hooks.deliveries(key, id))[0]).toMatchObject({ error: "unreachable", response_status: null });
    }
    expect(requests).toBe(0);
    trap.close();
  });

  test("use both secrets for a day after a rotation", async () => {
    const { key } = await hooks.newOwner();
    const { id, secret } = await hooks.subscribe(key);
    const { body } = await hooks.send("POST", `/api/webhooks/${id}/secret`, { key });
    expect(body.secret).not.toBe(secret);
    hooks.start();
    await writeLaunch(db(), 1);
    await hooks.untilReceived(1);
    for (const valid of [secret, body.secret]) expect(verify(valid, hooks.received[0]!)).toBeTruthy();
    await hooks.query("update app.webhooks set previous_until = now()");
    await writeLaunch(db(), 2);
    await hooks.untilReceived(2);
    expect(hooks.received[1]!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
  });

  test("fail without a request when the secret cannot be decrypted", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    await hooks.query("update app.webhooks set secret = set_byte(secret, 40, get_byte(secret, 40) # 1)");
    await writeLaunch(db(), 1);
    hooks.start();
    await untilFailures(1);
    expect((await hooks.deliveries(key, id))[0].error).toBe("secret_unreadable");
    expect(hooks.received).toEqual([]);
  });

  test("stop for webhooks beyond the plan when it ends", async () => {
    const { key, id } = await hooks.newOwner();
    for (let n = 0; n < 3; n++) await hooks.subscribe(key, { kind: "launches" }, `/${n}`);
    await endPlans(db().indexer, id);
    hooks.start();
    await expect.poll(async () => (await hooks.list(key))[0].status).toBe("disabled");
    expect((await hooks.list(key)).map((one: any) => one.disabled_reason)).toEqual(["plan", null, null]);
  });
});

describe("the cursor of a webhook", () => {
  test("moves back for a replay, which keeps the ids and the order", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    hooks.start();
    const first = await writeLaunch(db(), 1);
    for (const n of [2, 3]) await writeLaunch(db(), n);
    await hooks.untilReceived(3);
    await expect.poll(async () => (await readWebhook()).next_at).toBeNull();
    expect((await hooks.send("POST", `/api/webhooks/${id}/replay?from=${first}`, { key })).status).toBe(200);
    await hooks.untilReceived(5);
    const ids = hooks.received.map((one) => one.id);
    expect([listReceived(), ids.slice(3)]).toEqual([["T1", "T2", "T3", "T2", "T3"], ids.slice(1, 3)]);
  });

  test("C6-44 passes the rows that its subject does not match in one step, also in a replay", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key, { kind: "trades", token: tradedToken, min_quote_amount: "5" });
    await writeTrade(db(), 1, { quote_amount: "5" });
    for (const trade of [{ quote_amount: "4" }, { address: toAddress(1_002), quote_amount: "9" }]) {
      const row = await writeTrade(db(), 2, trade);
      await hooks.query(
        `insert into chain.outbox (block_number, kind, token, payload)
         select 1, kind, token, payload from chain.outbox, generate_series(1, 500) where id = $1`,
        [row],
      );
    }
    await writeTrade(db(), 3, { quote_amount: "6" });
    await hooks.send("POST", `/api/webhooks/${id}/replay?from=0`, { key });
    expect(await matchOutbox(db().api)).toMatchObject({ hasMore: false });
    expect(await readWebhook()).toMatchObject({ cursor: null, queued: 2 });
  });

  test("waits while the queue is full, and misses nothing", async () => {
    const { key } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key);
    hooks.start();
    await hooks.untilMatched();
    hooks.answer = (_, response) => response.writeHead(500).end();
    await hooks.query(
      `insert into chain.outbox (block_number, kind, token, payload) select 1, 'retracted', null,
         '{"above_block":0,"trades":[],"launches":[],"tokens":[]}' from generate_series(1, 3)`,
    );
    await hooks.query("update app.webhooks set queued = 1000");
    const rows = [await writeLaunch(db(), 1), await writeLaunch(db(), 2)];
    await expect.poll(async () => await readWebhook()).toMatchObject({ is_full: true, cursor: expect.any(Number) });
    rows.push(await writeLaunch(db(), 3));
    await untilFailures(1);
    expect(Number((await readWebhook()).cursor)).toBeLessThan(rows[2]!);
    hooks.answer = (_, response) => response.writeHead(200).end();
    hooks.received.length = 0;
    hooks.pass(hour);
    await hooks.untilReceived(3);
    expect(listReceived()).toEqual(["T1", "T2", "T3"]);
    await expect.poll(async () => await readWebhook()).toMatchObject({ is_full: false, cursor: null, queued: 0 });
    expect((await hooks.deliveries(key, id)).every((one: any) => one.status === "delivered")).toBe(true);
  });

  test("behind the oldest row of the outbox begins with a snapshot", async () => {
    const { key } = await hooks.newOwner();
    await hooks.subscribe(key);
    hooks.start();
    await writeLaunch(db(), 1);
    await hooks.untilReceived(1);
    await hooks.query("update app.webhooks set state = 'paused', cursor = 1");
    await writeLaunch(db(), 2);
    await writeLaunch(db(), 3);
    await hooks.query("delete from chain.outbox where id < 3");
    await hooks.query("update app.webhooks set state = 'enabled'");
    await hooks.untilReceived(3);
    expect(listReceived()).toEqual(["T1", "snapshot", "T3"]);
    expect(hooks.received[1]!.message.data).toEqual({ reason: "slow_reader" });
  });

  test("begins anew with a snapshot when the index was rebuilt", async () => {
    const { key } = await hooks.newOwner();
    await hooks.subscribe(key);
    hooks.start();
    for (const n of [1, 2]) await writeLaunch(db(), n);
    await hooks.untilReceived(2);
    await hooks.untilMatched();
    await hooks.query("truncate chain.outbox restart identity");
    await hooks.untilReceived(3);
    await writeLaunch(db(), 3);
    await hooks.untilReceived(4);
    expect(listReceived()).toEqual(["T1", "T2", "snapshot", "T3"]);
    expect(hooks.received[2]!.message.data).toEqual({ reason: "rebuilt" });
  });
});

const signal = (pair: string) => ({
  id: `sg_${toHash(1).slice(2, 26)}`,
  pair,
  token: null,
  strategy: "rsi_reversion",
  strategy_version: 1,
  direction: "long",
  origin: "live",
  closed_at: 1_700_000_000,
  generated_at: 1_700_000_000,
  price: 1,
  stop_loss: 1,
  take_profit: 1,
  indicators: {},
  confidence: null,
  skill: null,
  track_record: null,
});
