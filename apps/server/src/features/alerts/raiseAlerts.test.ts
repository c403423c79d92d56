import { beforeEach, describe, expect, test } from "vitest";
import { above80, hour, useAlerts } from "../../../../../tests/support/mail/useAlerts.ts";
import { endPlans, startPlan } from "../../accounts/plans.ts";

const alerts = useAlerts();
let owner: Awaited<ReturnType<typeof alerts.newOwner>>;

const readMails = () =>
  alerts.query<{ dedupe_key: string; content: any; state: string }>(
    "select dedupe_key, content, state from app.mail where kind = 'alert' order by created_at",
  );
const countMails = async () => (await readMails()).length;
const judge = async (bar: number, score: number) => {
  alerts.know(bar, score);
  await alerts.untilJudged(bar);
};

beforeEach(async () => {
  owner = await alerts.newOwner();
  await alerts.set(owner.key);
  await alerts.confirmAll();
});

describe("judging alerts", () => {
  test("sends one mail per crossing, and another only after the value has returned", async () => {
    alerts.startRaising();
    const states = [];
    for (const [bar, score] of [70, 80, 81, 90, 79, 81, 77, 75, 81].entries()) {
      await judge(bar, score);
      // Another test covers the limit of 6 hours.
      await alerts.query("update app.alerts set fired_at = now() - interval '7 hours' where fired_at is not null");
      states.push([score, await alerts.status(owner.key), await countMails()]);
    }
    expect(states).toEqual([
      [70, "armed", 0],
      [80, "armed", 0],
      [81, "fired", 1],
      [90, "fired", 1],
      [79, "fired", 1],
      [81, "fired", 1],
      [77, "fired", 1],
      [75, "armed", 1],
      [81, "fired", 2],
    ]);
    const [mail] = await readMails();
    expect(mail!.content).toEqual({ pair: "BTC_USDT", rule: above80, reading: 81, bar: hour(2) });
    const [{ id }] = await alerts.list(owner.key);
    expect(mail!.dedupe_key).toBe(`${id}:${hour(2)}`);
  });

  test("delivers the mail with its links and escapes all text", async () => {
    alerts.startRaising();
    await judge(0, 70);
    await judge(1, 85.5);
    const pair = JSON.stringify(`<b>&"x'`);
    await alerts.query("update app.mail set content = jsonb_set(content, '{pair}', $1::jsonb) where kind = 'alert'", [
      pair,
    ]);
    await alerts.query("delete from app.mail where kind = 'confirm'");
    alerts.startSending();
    await alerts.untilReceived(1);
    const { raw } = alerts.smtp.received[0]!;
    expect(raw).toContain("risk score above 80: it is 85.5 since 2023-11-14T23:00:00.000Z.");
    expect(raw).toContain("<p>&lt;b&gt;&amp;&quot;x&#39;: risk score above 80");
    expect(raw).toMatch(/List-Unsubscribe:\s+<https:\/\/slipway\.example\/api\/alerts\/unsubscribe\/[\w-]{72}>/);
    expect(raw.replaceAll(/\s/g, "")).toMatch(/https:\/\/slipway\.example\/alerts\/unsubscribe#[\w-]{72}/);
  });

  test("does not fire on its first value or on stale data", async () => {
    alerts.startRaising();
    await judge(0, 90);
    expect([await alerts.status(owner.key), await countMails()]).toEqual(["fired", 0]);
    await judge(1, 70);
    alerts.know(2, 95, { isFresh: false });
    await judge(3, 70);
    expect([await alerts.status(owner.key), await countMails()]).toEqual(["armed", 0]);
  });

  test("sends one mail of a rule in six hours, then the next if the value is still beyond the threshold", async () => {
    alerts.startRaising();
    for (const [bar, score] of [70, 90, 70, 90].entries()) await judge(bar, score);
    expect([await alerts.status(owner.key), await countMails()]).toEqual(["armed", 1]);
    await alerts.query("update app.alerts set fired_at = now() - interval '6 hours 1 minute'");
    await judge(4, 91);
    expect([await alerts.status(owner.key), await countMails()]).toEqual(["fired", 2]);
  });

  test("C9-33 sends an address twenty alerts a day, across all accounts and rules", async () => {
    const other = await alerts.newOwner();
    for (let n = 0; n < 19; n++) await alerts.set(owner.key);
    await alerts.set(other.key, { email: "Ada+x@example.com" });
    await alerts.confirmAll();
    alerts.startRaising();
    alerts.startRaising();
    for (const [bar, score] of [70, 90].entries()) {
      alerts.know(bar, score);
      await expect
        .poll(async () => (await alerts.query("select from app.alerts where judged_bar = $1", [hour(bar)])).length)
        .toBe(21);
    }
    expect(await countMails()).toBe(20);
    const states = (await alerts.query("select state from app.alerts")).map((row) => row.state);
    expect(states.filter((state) => state === "armed").length).toBe(1);
  });

  test("C9-41 a rule without the plan or without a confirmed address sends nothing", async () => {
    const another = await alerts.newOwner();
    await alerts.set(another.key, { email: "unconfirmed@example.com" });
    alerts.startRaising();
    await judge(0, 70);
    await endPlans(alerts.database.db.indexer, owner.id);
    alerts.know(1, 90);
    // This active rule shows when the bar has been judged.
    const third = await alerts.newOwner();
    await alerts.set(third.key, { email: "third@example.com" });
    await alerts.query("update app.alert_addresses set confirmed_at = now() where address = 'third@example.com'");
    await alerts.untilJudged(1);
    expect([await countMails(), await alerts.status(another.key), await alerts.status(owner.key)]).toEqual([
      0,
      "pending",
      "armed",
    ]);
    await startPlan(alerts.database.db.indexer, owner.id, "subscriber");
    await expect.poll(countMails).toBe(1);
  });

  test("C9-38 concurrent workers, and a worker that judges a bar again, send one mail per crossing", async () => {
    const jobs = [alerts.startRaising(), alerts.startRaising(), alerts.startRaising()];
    await judge(0, 70);
    await judge(1, 90);
    await Promise.all(jobs.map((job) => job.stop()));
    // Restores the state before the crossing, like a backup; the deduplication key of the mail contains the bar.
    await alerts.query("update app.alerts set state = 'armed', judged_bar = null, fired_at = null");
    alerts.startRaising();
    await alerts.untilJudged(1);
    expect(await countMails()).toBe(1);
  });

  test("C9-38 a worker that ends before its commit stores neither crossing nor mail, and the next worker sends the mail", async () => {
    const job = alerts.startRaising();
    await judge(0, 70);
    await job.stop();
    // A sequence also counts rolled-back transactions.
    await alerts.query("create sequence app.ended_workers");
    await alerts.query(`create function app.end_worker() returns trigger language plpgsql as $$
      begin perform nextval('app.ended_workers'), pg_terminate_backend(pg_backend_pid()); return new; end $$`);
    await alerts.query(
      "create trigger end_worker before update on app.alerts for each row execute function app.end_worker()",
    );
    const failing = alerts.startRaising();
    alerts.know(1, 90);
    await expect
      .poll(async () => (await alerts.query("select last_value::int as n from app.ended_workers"))[0].n)
      .toBeGreaterThan(1);
    await failing.stop();
    expect([await countMails(), await alerts.status(owner.key)]).toEqual([0, "armed"]);
    await alerts.query("drop trigger end_worker on app.alerts");
    await alerts.query("drop function app.end_worker(); drop sequence app.ended_workers");
    alerts.startRaising();
    await alerts.untilJudged(1);
    expect([await countMails(), await alerts.status(owner.key)]).toEqual([1, "fired"]);
  });

  test("judges a regime by its name", async () => {
    await alerts.set(owner.key, { rule: { metric: "regime", op: "is", value: "stress" } });
    alerts.startRaising();
    for (const [bar, regime] of ["elevated", "stress", "stress", "calm"].entries()) {
      alerts.readings.set("BTC_USDT", { pair: "BTC_USDT", bar: hour(bar), isFresh: true, values: { regime } });
      await alerts.untilJudged(bar);
    }
    expect((await readMails()).map((mail) => mail.content.reading)).toEqual(["stress"]);
  });
});
