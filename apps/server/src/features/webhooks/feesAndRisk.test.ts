import { describe, expect, test } from "vitest";
import { insert, toAddress } from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import {
  paidSplitter,
  tradedToken,
  writeFees,
  writeRetraction,
} from "../../../../../tests/support/webhooks/outboxRows.ts";
import { useWebhooks } from "../../../../../tests/support/webhooks/useWebhooks.ts";
import { endPlans } from "../../accounts/plans.ts";
import { listRiskPairs } from "./deliveryQueries.ts";

const hooks = useWebhooks();
const db = () => hooks.database.db;
const [alice, bob] = [toAddress(21), toAddress(22)];
const minute = 60_000;

/** Stores the recipients of the splitter: 70% and 30%. */
async function insertPayees(): Promise<void> {
  await insert(db(), "chain.splitters", { address: paidSplitter, proven: true, block_number: 1 });
  for (const [position, [payee, share]] of [
    [alice, 7_000],
    [bob, 3_000],
  ].entries()) {
    const row = { splitter: paidSplitter, position, payee, share_bps: share, block_number: 1 };
    await insert(db(), "chain.splitter_payees", row);
  }
}

describe("fees of a recipient", () => {
  test("are its part of settled fees, in every asset or in one, from an amount on", async () => {
    const { key } = await hooks.newOwner();
    await insertPayees();
    const subjects: [subject: object, expected: string[]][] = [
      [{ kind: "fees", wallet: alice }, ["700000000000000000", "2", "7"]],
      [{ kind: "fees", wallet: bob.toUpperCase().replace("X", "x") }, ["300000000000000000", "3"]],
      [{ kind: "fees", wallet: alice, asset: wrappedNative }, ["700000000000000000", "2"]],
      [{ kind: "fees", wallet: alice, asset: wrappedNative, min_amount: "3" }, ["700000000000000000"]],
      [{ kind: "fees", wallet: toAddress(23) }, []],
    ];
    for (const [index, [subject]] of subjects.entries()) await hooks.subscribe(key, subject, `/${index}`);
    await writeFees(db(), 1);
    // 70% of 3 base units are 2, and 30% are none.
    await writeFees(db(), 2, { amount: "3" });
    await writeFees(db(), 3, { amount: "10", asset: tradedToken });
    await writeFees(db(), 4, { splitter: toAddress(9) });
    hooks.start();
    await hooks.untilReceived(subjects.flatMap(([, amounts]) => amounts).length);
    await hooks.untilMatched();
    const list = (path: string) => hooks.received.filter((one) => one.path === path).map(({ message }) => message);
    expect(subjects.map((_, index) => list(`/${index}`).map(({ data }) => data.amount))).toEqual(
      subjects.map(([, amounts]) => amounts),
    );
    expect(list("/0")[0]).toMatchObject({
      type: "fees",
      data: { wallet: expect.stringMatching(new RegExp(alice, "i")), block_number: 1 },
    });
    expect(list("/0")[2].data.token).toMatch(new RegExp(tradedToken, "i"));
  });

  test("that a chain reorg removes are retracted by the ids of their messages, or never sent", async () => {
    const { key } = await hooks.newOwner();
    await insertPayees();
    await hooks.subscribe(key, { kind: "fees", wallet: alice });
    await writeFees(db(), 1);
    hooks.start();
    await hooks.untilReceived(1);
    await writeRetraction(db(), { fees: [1] });
    await hooks.untilReceived(2);
    expect(hooks.received[1]!.message).toMatchObject({
      type: "retracted",
      data: { messages: [hooks.received[0]!.id] },
    });
    await writeFees(db(), 2);
    await hooks.untilReceived(3);
    expect(hooks.received[2]!.message.data.block_number).toBe(2);
  });

  test("from an amount on need the asset of the amount", async () => {
    const { key } = await hooks.newOwner();
    const { status, body } = await hooks.create(key, { subject: { kind: "fees", wallet: alice, min_amount: "1" } });
    expect([status, body.error.field]).toEqual([422, "subject.asset"]);
  });
});

describe("the risk of a market", () => {
  const storeSnapshot = async (price: number) => {
    const snapshot = {
      price,
      var: { 95: 0.031, 99: 0.052 },
      es: { 95: 0.04, 99: null },
      riskScore: 61.5,
      volatility: { percentile1y: 0.8 },
      regime: { label: "elevated" },
    };
    await db().api.query(
      `insert into app.risk_snapshots (market_id, input, data_through, snapshot, history, card)
       select id, 'x', 1790000000, $1, '[]', '{"volatilityDaily": 0.02}' from app.markets where pair = 'BTC_USDT'
       on conflict (market_id) do update set snapshot = excluded.snapshot, computed_at = now()`,
      [snapshot],
    );
  };
  const insertMarket = async () => {
    await hooks.query("delete from app.risk_snapshots");
    await hooks.query(`insert into app.markets (pair, source) values ('BTC_USDT', 'import') on conflict do nothing`);
  };

  test("C6-45 is sent in the transaction that stores it, for as long as the plan lasts", async () => {
    await insertMarket();
    await storeSnapshot(1);
    // No webhook waits for it.
    expect(await hooks.query("select from chain.outbox where kind = 'risk'")).toEqual([]);
    const { key, id: accountId } = await hooks.newOwner();
    const { id } = await hooks.subscribe(key, { kind: "risk", pair: "BTC_USDT" });
    await hooks.subscribe(key, { kind: "risk", pair: "ETH_USDT" }, "/other");
    expect(await listRiskPairs(db().api)).toEqual(["BTC_USDT", "ETH_USDT"]);
    hooks.start();
    await storeSnapshot(2);
    await hooks.untilReceived(1);
    expect(hooks.received[0]!.message).toMatchObject({
      type: "risk",
      data: {
        pair: "BTC_USDT",
        price: 2,
        var_95: 0.031,
        var_99: 0.052,
        es_95: 0.04,
        es_99: null,
        volatility_daily: 0.02,
        percentile_1y: 0.8,
        regime: "elevated",
        risk_score: 61.5,
        data_through: "2026-09-21T14:13:20.000Z",
      },
    });
    await endPlans(db().indexer, accountId);
    hooks.pass(2 * minute);
    const read = async () => (await hooks.list(key)).find((one: { id: string }) => one.id === id);
    await expect.poll(read).toMatchObject({ status: "disabled", disabled_reason: "plan" });
    const refused = await hooks.send("PATCH", `/api/webhooks/${id}`, { key, body: { status: "enabled" } });
    expect([refused.status, refused.body.error.code]).toEqual([403, "plan_required"]);
  });

  test("C6-45 needs the plan", async () => {
    const { key } = await hooks.newOwner({ plan: false });
    const { status, body } = await hooks.create(key, { subject: { kind: "risk", pair: "BTC_USDT" } });
    expect([status, body.error.code]).toEqual([403, "plan_required"]);
  });
});
