import { describe, expect, test } from "vitest";
import { reply } from "../../../../../../tests/support/mail/startSmtp.ts";
import { findTicket, useAlerts } from "../../../../../../tests/support/mail/useAlerts.ts";

const alerts = useAlerts();
const minute = 60_000;

const readMail = () =>
  alerts.query<{ state: string; attempts: number; error: string | null; address: string | null }>(
    "select state, attempts, error, address from app.mail order by created_at, id",
  );
const untilMail = async (expected: object) =>
  await expect.poll(async () => (await readMail())[0]).toMatchObject(expected);
/** Waits until the result of attempt `count` of the first mail is stored. */
const untilAttempts = async (count: number) => await untilMail({ attempts: count, error: expect.any(String) });

/** Sets an alert, which queues one mail. */
async function queueOne(email = "ada@example.com") {
  const owner = await alerts.newOwner();
  expect((await alerts.set(owner.key, { email })).status).toBe(201);
  return owner;
}

describe("sending queued mails", () => {
  test("sends text and HTML with the link, and erases personal data afterwards", async () => {
    await queueOne();
    alerts.startSending();
    await alerts.untilReceived(1);
    const { to, subject, raw, messageId } = alerts.smtp.received[0]!;
    expect([to, subject]).toEqual(["ada@example.com", "Confirm your address for alerts"]);
    expect(messageId).toMatch(/^<[0-9a-f-]{36}@slipway\.example>$/);
    expect(raw).toContain("From: Slipway <alerts@slipway.example>");
    expect(raw).toContain("Content-Type: text/plain; charset=utf-8");
    expect(raw).toContain("Content-Type: text/html; charset=utf-8");
    expect(findTicket(raw, "confirm")).toMatch(/^[\w-]{72}$/);
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    // Opening the mail loads nothing.
    expect(raw).not.toMatch(/<img|<link|src=|url\(/i);
    await untilMail({ state: "sent", attempts: 1, error: null, address: null });
    expect(await alerts.query("select content from app.mail")).toEqual([{ content: {} }]);
  });

  test("retries with the same Message-ID after a temporary refusal", async () => {
    const ids: string[] = [];
    alerts.smtp.behaviour.afterData = (mail) => {
      ids.push(mail.messageId);
      return ids.length < 2 ? reply(451, "try again") : null;
    };
    let refusals = 0;
    alerts.smtp.behaviour.recipient = () => (refusals++ === 0 ? reply(450, "greylisted") : null);
    await queueOne();
    alerts.startSending();
    await untilAttempts(1);
    expect(await readMail()).toMatchObject([{ state: "queued", error: "smtp_450" }]);
    alerts.pass(minute);
    await untilMail({ attempts: 2, error: "smtp_451" });
    alerts.pass(2 * minute);
    await alerts.untilReceived(1);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test("suspends an address that its server refuses permanently, and cancels the address's other mails", async () => {
    alerts.smtp.behaviour.recipient = (address) => (address.startsWith("ada") ? reply(550, "no such user") : null);
    const { key } = await queueOne();
    alerts.startSending();
    await untilMail({ state: "failed", error: "smtp_550" });
    await alerts.set(key, { email: "Ada@example.com" });
    expect((await readMail()).map(({ error, address }) => [error, address])).toContainEqual(["suspended", null]);
    await alerts.set(key, { email: "bob@example.com" });
    await alerts.untilReceived(1);
    expect(alerts.smtp.received.map(({ to }) => to)).toEqual(["bob@example.com"]);
    await alerts.confirmAll();
    await alerts.query("update app.alerts set state = 'armed'");
    expect((await alerts.list(key)).map((alert: any) => [alert.email, alert.status])).toContainEqual([
      "ada@example.com",
      "suspended",
    ]);
  });

  test("fails a mail that the server refuses, without suspending the address", async () => {
    alerts.smtp.behaviour.afterData = () => reply(554, "not wanted");
    await queueOne();
    alerts.startSending();
    await untilMail({ state: "failed", error: "smtp_554", attempts: 1, address: null });
    expect(await alerts.query("select from app.mail_suspensions")).toEqual([]);
  });

  test("C9-33 does not suspend an address because its server refuses another spelling", async () => {
    alerts.smtp.behaviour.recipient = (address) => (address.includes("+") ? reply(550, "no such user") : null);
    await queueOne("ada+stranger@example.com");
    alerts.startSending();
    await untilMail({ state: "failed" });
    await queueOne("ada@example.com");
    await alerts.untilReceived(1);
  });

  test("may send a mail twice with the same Message-ID if the connection is cut after DATA", async () => {
    let cuts = 0;
    alerts.smtp.behaviour.afterData = () => (cuts++ === 0 ? "cut" : null);
    await queueOne();
    alerts.startSending();
    await untilAttempts(1);
    alerts.pass(minute);
    await alerts.untilReceived(2);
    expect(new Set(alerts.smtp.received.map(({ messageId }) => messageId)).size).toBe(1);
    await untilMail({ state: "sent" });
  });

  test("C10-64 does not send a mail that was cancelled after its claim", async () => {
    const { promise: turn, resolve } = Promise.withResolvers<null>();
    let waiting = 0;
    alerts.smtp.behaviour.afterData = () => {
      waiting++;
      return turn;
    };
    const { key } = await alerts.newOwner();
    // One mail more than connections, so that one claimed mail waits in the process.
    const connections = alerts.read.deps.config.MAIL_CONNECTIONS;
    for (let n = 0; n <= connections; n++) await alerts.set(key, { email: `a${n}@example.com` });
    alerts.startSending();
    await expect.poll(() => waiting).toBe(connections);
    for (const { id } of await alerts.list(key)) await alerts.send("DELETE", `/api/alerts/${id}`, { key });
    resolve(null);
    await expect.poll(() => alerts.smtp.received.length).toBeGreaterThanOrEqual(connections);
    alerts.smtp.behaviour.afterData = () => null;
    // A mail that is queued later arrives after all earlier attempts.
    await alerts.set(key, { email: "last@example.com" });
    await expect.poll(() => alerts.smtp.received.map(({ to }) => to)).toContain("last@example.com");
    expect(alerts.smtp.received).toHaveLength(connections + 1);
  });

  test("C9-39 loses no mail and sends none twice while the server is unavailable for ten minutes", async () => {
    await alerts.smtp.away();
    for (const name of ["a", "b", "c", "d", "e"]) await queueOne(`${name}@example.com`);
    alerts.startSending();
    // 1, 2, 4 and 8 minutes.
    for (const [attempt, minutes] of [1, 2, 4].entries()) {
      await expect
        .poll(async () => (await readMail()).map((mail) => mail.attempts))
        .toEqual(Array(5).fill(attempt + 1));
      await expect.poll(async () => (await readMail()).every((mail) => mail.error !== null)).toBe(true);
      const due = "select min(next_at - created_at) > $1 * interval '30 seconds' as later from app.mail";
      await expect.poll(async () => (await alerts.query(due, [minutes]))[0]).toEqual({ later: true });
      // The next attempt has ended when its error is stored.
      await alerts.query("update app.mail set error = null");
      alerts.pass(minutes * minute);
    }
    await expect.poll(async () => (await readMail()).map((mail) => mail.attempts)).toEqual(Array(5).fill(4));
    // Until its result is stored, an attempt has not set the time of the next one.
    await expect.poll(async () => (await readMail()).every((mail) => mail.error !== null)).toBe(true);
    await alerts.smtp.open();
    alerts.pass(8 * minute);
    await expect.poll(async () => (await readMail()).map((mail) => mail.state)).toEqual(Array(5).fill("sent"));
    expect(new Set(alerts.smtp.received.map(({ to }) => to[0]))).toEqual(new Set(["a", "b", "c", "d", "e"]));
    expect(alerts.smtp.received).toHaveLength(5);
  });

  test("fails a mail after a day", async () => {
    await alerts.smtp.away();
    await queueOne();
    alerts.startSending();
    await untilAttempts(1);
    alerts.pass(24 * 60 * minute);
    await untilMail({ state: "failed", address: null });
  });

  test("deletes mails after two days, when no limit counts them", async () => {
    await queueOne();
    alerts.startSending();
    await untilMail({ state: "sent" });
    alerts.pass(49 * 60 * minute);
    await expect.poll(readMail).toEqual([]);
  });

  test("C9-40 shares mails among workers: each is sent once", async () => {
    const { key } = await queueOne();
    for (let n = 0; n < 9; n++) await alerts.set(key, { email: `user${n}@example.com` });
    for (let n = 0; n < 3; n++) alerts.startSending({ MAIL_CONNECTIONS: "1" });
    await expect.poll(async () => (await readMail()).filter((mail) => mail.state === "sent").length).toBe(10);
    expect(alerts.smtp.received.length).toBe(10);
    expect((await readMail()).every((mail) => mail.attempts === 1)).toBe(true);
  });

  test("a slow mail does not delay the mails of other connections", async () => {
    const release = Promise.withResolvers<null>();
    alerts.smtp.behaviour.afterData = (mail) => (mail.to.startsWith("slow") ? release.promise : null);
    await queueOne("slow@example.com");
    await queueOne("quick@example.com");
    alerts.startSending();
    await alerts.untilReceived(1);
    expect(alerts.smtp.received[0]!.to).toBe("quick@example.com");
    release.resolve(null);
    await alerts.untilReceived(2);
  });

  test("ends an attempt when the process stops, and another worker repeats the attempt after the claim expires", async () => {
    let hangs = true;
    alerts.smtp.behaviour.afterData = () => (hangs ? new Promise<null>(() => undefined) : null);
    await queueOne();
    const job = alerts.startSending();
    await untilMail({ attempts: 1 });
    await expect.poll(() => alerts.smtp.connections).toBe(1);
    await job.stop();
    hangs = false;
    alerts.startSending();
    alerts.pass(5 * minute);
    await alerts.untilReceived(1);
    await untilMail({ state: "sent" });
  });
});
