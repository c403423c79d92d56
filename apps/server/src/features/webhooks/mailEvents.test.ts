import { describe, expect, test } from "vitest";
import { findTicket, useAlerts } from "../../../../../tests/support/mail/useAlerts.ts";
import { insert, toAddress } from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import {
  paidSplitter,
  tradedToken,
  writeFees,
  writeLaunch,
  writeRetraction,
  writeTrade,
} from "../../../../../tests/support/webhooks/outboxRows.ts";
import { exportAccount } from "../../accounts/exportAccount.ts";
import { endPlans } from "../../accounts/plans.ts";

const alerts = useAlerts();
const db = () => alerts.database.db;
const hour = 3_600_000;
const ether = 10n ** 18n;

/** Creates an alert of events for a confirmed address. @returns Its id. */
async function setConfirmed(key: string, subject: object): Promise<string> {
  const { status, body } = await alerts.set(key, { pair: undefined, rule: undefined, subject });
  expect(status).toBe(201);
  await alerts.query("update app.alert_addresses set confirmed_at = now()");
  await alerts.query("update app.mail set state = 'cancelled' where kind = 'confirm'");
  return body.id;
}

/** The subject and the lines of each sent alert, without links. */
const readMails = () =>
  alerts.smtp.received.map(({ raw }) => {
    const [head, ...rest] = raw.replace(/=\r?\n/g, "").split(/\r?\n\r?\n/);
    const text = rest.join("\n\n").split("<!doctype")[0]!;
    return { subject: /^Subject: (.*(?:\r?\n .*)*)/m.exec(head!)![1]!.replace(/\r?\n /g, " "), text };
  });

/** Starts the jobs that match events, join them to mails, and send the mails. */
function start(): void {
  alerts.startMatching();
  alerts.startMailingEvents();
  alerts.startSending();
}

describe("an alert of events", () => {
  test("C10-63 is stored, listed, confirmed, exported and deleted as others are", async () => {
    const { key, id: accountId } = await alerts.newOwner();
    const subject = { kind: "launches", creator: toAddress(8) };
    const { status, body } = await alerts.set(key, { pair: undefined, rule: undefined, subject });
    expect(status).toBe(201);
    const listed = { id: body.id, email: "ada@example.com", pair: null, rule: null, subject, status: "pending" };
    expect(await alerts.list(key)).toMatchObject([listed]);
    alerts.startSending();
    await alerts.untilReceived(1);
    const { raw } = alerts.smtp.received[0]!;
    // Nothing that the requester chose: its address may be a stranger's.
    expect(raw.replace(/=\r?\n/g, "")).toContain("Someone has set an alert for this address: new launches.");
    expect(raw).not.toContain(toAddress(8));
    const ticket = findTicket(raw, "confirm");
    expect((await alerts.send("POST", "/api/alerts/confirm", { body: { ticket } })).status).toBe(200);
    expect(await alerts.list(key)).toMatchObject([{ ...listed, status: "armed" }]);
    let exported = "";
    for await (const part of (await exportAccount(db().api, accountId))!) exported += part;
    expect(JSON.parse(exported)).toMatchObject({ alerts: [{ id: body.id, subject }], webhooks: [] });
    // It is no webhook.
    expect((await alerts.send("GET", "/api/webhooks", { key })).body.items).toEqual([]);
    expect((await alerts.send("DELETE", `/api/alerts/${body.id}`, { key })).body).toEqual({ removed: true });
    expect(await alerts.query("select from app.webhooks")).toEqual([]);
    expect(await alerts.query("select from app.alert_addresses")).toEqual([]);
  });

  test("has either a subject, or a pair and a rule", async () => {
    const { key } = await alerts.newOwner();
    const subject = { kind: "launches" };
    for (const [change, field] of [
      [{ subject }, "pair"],
      [{ pair: undefined, rule: undefined }, "pair"],
      [{ pair: undefined, rule: undefined, subject: { kind: "signals" } }, "subject.kind"],
      [{ pair: undefined, rule: undefined, subject: { kind: "large_trades" } }, "subject.min_quote_amount"],
    ] as const) {
      const { status, body } = await alerts.set(key, change);
      expect([status, body.error.field]).toEqual([422, field]);
    }
  });

  test("C10-77 sends launches of a creator, trades of a wallet, large trades and fees of a recipient, without a stranger's text", async () => {
    const { key } = await alerts.newOwner();
    await insert(db(), "chain.splitters", { address: paidSplitter, proven: true, block_number: 1 });
    const payee = { splitter: paidSplitter, position: 0, payee: toAddress(21), share_bps: 10_000, block_number: 1 };
    await insert(db(), "chain.splitter_payees", payee);
    await setConfirmed(key, { kind: "launches", creator: toAddress(8) });
    await setConfirmed(key, { kind: "wallet_trades", account: toAddress(10) });
    await setConfirmed(key, { kind: "large_trades", min_quote_amount: String(5n * ether) });
    await setConfirmed(key, { kind: "fees", wallet: toAddress(21), asset: wrappedNative, min_amount: String(ether) });
    await writeLaunch(db(), 1, { creator: toAddress(8), symbol: "<b>free</b>" });
    await writeLaunch(db(), 2);
    await writeTrade(db(), 3, { account: toAddress(10) });
    await writeTrade(db(), 4, { quote_amount: String((15n * ether) / 2n) });
    await writeFees(db(), 5, { amount: String(2n * ether) });
    await writeFees(db(), 6, { amount: "5" });
    start();
    await alerts.untilReceived(4);
    const texts = readMails().map(({ subject, text }) => `${subject}\n${text}`);
    const find = (start: string) => texts.find((text) => text.startsWith(`Alert: ${start}`))!;
    // A symbol that is not plain is left out: its creator chose it.
    expect(find("new launches of")).toMatch(/Launch: 0x\w{40} by 0x\w{40}/);
    expect(find("trades of 0x")).toMatch(/Buy of 0x\w{40} for 1 native by 0x\w{40}, transaction 0x\w{64}/);
    expect(find("trades of all tokens from 5 native on")).toContain("for 7.5 native");
    expect(find("fees of")).toMatch(/Fees of 0x\w{40}: 2 of 0x\w{40}/);
    expect(texts.join("")).not.toContain("free");
  });

  test("C10-76 mails the first event at once, and later ones together an hour later, each once", async () => {
    const { key } = await alerts.newOwner();
    await setConfirmed(key, { kind: "trades", token: tradedToken });
    start();
    await writeTrade(db(), 1);
    await alerts.untilReceived(1);
    for (let n = 2; n <= 26; n++) await writeTrade(db(), n);
    const queued = "select count(*)::int as n from app.webhook_deliveries where state = 'queued'";
    await expect.poll(async () => (await alerts.query(queued))[0]).toEqual({ n: 25 });
    // One of them leaves the chain before its mail, and one that was mailed.
    await writeRetraction(db(), { trades: [1, 26] });
    const retracted = "select count(*)::int as n from app.webhook_deliveries where retracted";
    await expect.poll(async () => (await alerts.query(retracted))[0]).toEqual({ n: 2 });
    expect(await alerts.query(queued)).toEqual([{ n: 25 }]);
    expect(alerts.smtp.received).toHaveLength(1);
    alerts.pass(hour);
    await alerts.untilReceived(2);
    const { text } = readMails()[1]!;
    expect(text.match(/Buy of/g)).toHaveLength(20);
    expect(text).toContain("5 more.");
    alerts.pass(hour);
    await expect
      .poll(async () => (await alerts.query("select next_at from app.webhooks"))[0])
      .toEqual({ next_at: null });
    expect(alerts.smtp.received).toHaveLength(2);
    expect(await alerts.list(key)).toMatchObject([{ status: "armed", last_fired_at: expect.any(String) }]);
  });

  test("waits for the plan and for the confirmation of its address", async () => {
    const { key, id: accountId } = await alerts.newOwner();
    await setConfirmed(key, { kind: "launches" });
    await endPlans(db().indexer, accountId);
    start();
    await writeLaunch(db(), 1);
    const due = "select count(*)::int as n from app.webhooks where next_at is not null";
    await expect.poll(async () => (await alerts.query(due))[0]).toEqual({ n: 1 });
    await alerts.query("update app.alert_addresses set confirmed_at = null");
    await alerts.query("update app.plans set active_until = null");
    expect(alerts.smtp.received).toHaveLength(0);
    await alerts.query("update app.alert_addresses set confirmed_at = now()");
    await alerts.untilReceived(1);
  });
});
