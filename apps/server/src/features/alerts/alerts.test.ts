import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { above80, alertSecret, findTicket, useAlerts } from "../../../../../tests/support/mail/useAlerts.ts";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { endPlans } from "../../accounts/plans.ts";
import { Secret } from "../../secret.ts";
import { systemClock } from "../../systemClock.ts";
import { createTicket } from "./tickets.ts";

const alerts = useAlerts();

const secret = Secret.fromText(alertSecret);
const day = 86_400_000;
const confirm = (ticket: string) => alerts.send("POST", "/api/alerts/confirm", { body: { ticket } });
const unsubscribe = (ticket: string) =>
  alerts.send("POST", `/api/alerts/unsubscribe/${ticket}`, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
const issue = async (
  purpose: "confirm" | "unsubscribe",
  signedBy = secret,
  issuedAt = Math.floor(Date.now() / 1000),
) => {
  const [address] = await alerts.query<{ id: string }>("select id from app.alert_addresses");
  return createTicket(signedBy, { addressId: address!.id, purpose, issuedAt });
};
const countMails = async () =>
  (await alerts.query("select count(*)::int as n from app.mail where state = 'queued'"))[0].n;
const isConfirmed = async () =>
  (await alerts.query("select from app.alert_addresses where confirmed_at is not null")).length;

describe("setting alerts", () => {
  test("stores a pending alert and sends a confirmation mail to its address", async () => {
    const { key } = await alerts.newOwner();
    const { status, body } = await alerts.set(key);
    expect([status, body]).toEqual([201, { id: expect.any(String), status: "pending" }]);
    expect(await alerts.list(key)).toEqual([
      {
        id: body.id,
        email: "ada@example.com",
        pair: "BTC_USDT",
        rule: above80,
        status: "pending",
        last_fired_at: null,
        created_at: expect.any(String),
        subject: null,
      },
    ]);
    alerts.startSending();
    await alerts.untilReceived(1);
    const ticket = findTicket(alerts.smtp.received[0]!.raw, "confirm");
    expect((await confirm(ticket)).body).toEqual({ confirmed: true });
    expect((await confirm(ticket)).status).toBe(200);
    expect(await isConfirmed()).toBe(1);
  });

  test("returns the same id for a retry, and 409 for other content", async () => {
    const { key } = await alerts.newOwner();
    const idempotencyKey = randomUUID();
    const [first, again] = [await alerts.set(key, {}, idempotencyKey), await alerts.set(key, {}, idempotencyKey)];
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    const other = await alerts.set(key, { pair: "ETH_USDT" }, idempotencyKey);
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
    expect([(await alerts.list(key)).length, await countMails()]).toEqual([1, 1]);
  });

  test("refuses an invalid address, pair or rule, and names the field", async () => {
    const { key } = await alerts.newOwner();
    const field = async (change: object) => {
      const { status, body } = await alerts.set(key, change);
      return status === 422 ? body.error.field : status;
    };
    const rule = (change: object) => ({ rule: { ...above80, ...change } });
    expect(await field({ email: "ada" })).toBe("email");
    expect(await field({ email: `${"a".repeat(65)}@example.com` })).toBe("email");
    expect(await field({ pair: "btc-usdt" })).toBe("pair");
    expect(await field(rule({ value: 101 }))).toBe("rule.value");
    expect(await field(rule({ value: "stress" }))).toBe("rule.value");
    expect(await field(rule({ op: "is" }))).toBe("rule.op");
    expect(await field(rule({ metric: "regime" }))).toBe("rule.op");
    expect(await field(rule({ metric: "regime", op: "is", value: "wild" }))).toBe("rule.value");
    expect(await field(rule({ metric: "drawdown", op: "below", value: 0.1 }))).toBe("rule.value");
    expect(await field(rule({ more: 1 }))).toBe("rule.more");
    expect(await field({ rule: { metric: "regime", op: "is", value: "stress" } })).toBe(201);
  });

  test("refuses the twenty-first alert of an account, even with concurrent requests", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    await alerts.confirmAll();
    const answers = await Promise.all(Array.from({ length: 25 }, () => alerts.set(key)));
    const codes = answers.map(({ status, body }) => (status === 201 ? "stored" : body.error.code));
    expect(codes.filter((code) => code === "stored").length).toBe(19);
    expect(codes.filter((code) => code === "too_many_alerts").length).toBe(6);
    const [first] = await alerts.list(key);
    expect((await alerts.send("DELETE", `/api/alerts/${first.id}`, { key })).body).toEqual({ removed: true });
    expect((await alerts.set(key)).status).toBe(201);
  });

  test("requires the plan to set an alert, but not to list or delete alerts", async () => {
    const { key, id } = await alerts.newOwner();
    const { body } = await alerts.set(key);
    await endPlans(alerts.database.db.indexer, id);
    expect((await alerts.set(key)).body.error.code).toBe("plan_required");
    expect((await alerts.list(key)).length).toBe(1);
    expect((await alerts.send("DELETE", `/api/alerts/${body.id}`, { key })).status).toBe(200);
    expect(await alerts.query("select state, address from app.mail")).toEqual([{ state: "cancelled", address: null }]);
    expect(await alerts.query("select from app.alert_addresses")).toEqual([]);
  });

  test("returns 503 if the operator has not configured mail", async () => {
    Object.assign(alerts.read.deps.config, { SMTP_URL: undefined });
    const { key } = await alerts.newOwner();
    const { status, body } = await alerts.set(key);
    expect([status, body.error.code]).toEqual([503, "provider_unavailable"]);
    Object.assign(alerts.read.deps.config, { ALERT_SECRET: undefined });
    expect((await confirm("any")).status).toBe(503);
  });

  test("sends no confirmation mail to an address that the account has confirmed", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    await alerts.confirmAll();
    await alerts.set(key, { pair: "ETH_USDT" });
    expect(await countMails()).toBe(1);
    // Another account needs its own confirmation.
    const other = await alerts.newOwner();
    await alerts.set(other.key);
    expect([await countMails(), await isConfirmed()]).toEqual([2, 1]);
  });
});

describe("tickets", () => {
  test("C9-30 a forged ticket confirms and ends nothing", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    const right = await issue("confirm");
    const foreign = await issue("confirm", Secret.fromText("another secret of 32 characters!"));
    const flipped = Array.from(
      { length: right.length },
      (_, at) => right.slice(0, at) + (right[at] === "A" ? "B" : "A") + right.slice(at + 1),
    );
    for (const ticket of [
      foreign,
      right.slice(1),
      `${right}A`,
      `${right}==`.slice(0, 74),
      "x",
      ...flipped.filter((_, at) => at % 7 === 0),
    ]) {
      const { status, body } = await confirm(ticket);
      expect([ticket, status, body.error.code === "signature_invalid" || body.error.field === "ticket"]).toEqual([
        ticket,
        422,
        true,
      ]);
    }
    for (const ticket of [
      await issue("unsubscribe", Secret.fromText("another secret of 32 characters!")),
      "x",
      "%00",
    ]) {
      expect([ticket, (await unsubscribe(ticket)).status].slice(1)[0]).toSatisfy(
        (status: number) => status === 404 || status === 400,
      );
    }
    expect([await isConfirmed(), (await alerts.list(key)).length]).toEqual([0, 1]);
  });

  test("C9-31 a ticket for one purpose is refused for the other", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    expect((await confirm(await issue("unsubscribe"))).status).toBe(422);
    expect((await unsubscribe(await issue("confirm"))).status).toBe(404);
    expect([await isConfirmed(), (await alerts.list(key)).length]).toEqual([0, 1]);
  });

  test("C9-32 opening the links of a mail changes nothing: confirming and unsubscribing need a POST", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    const ticket = await issue("unsubscribe", secret, 0);
    for (const method of ["GET", "HEAD"]) {
      const opened = await alerts.send(method, `/api/alerts/unsubscribe/${ticket}`);
      expect([opened.status, opened.headers.location]).toEqual([303, `/alerts/unsubscribe#${ticket}`]);
    }
    expect((await alerts.send("GET", "/api/alerts/unsubscribe/x")).status).toBe(404);
    expect((await alerts.send("GET", "/api/alerts/confirm")).status).toBe(405);
    for (const path of ["/alerts/confirm", "/alerts/unsubscribe"]) {
      const page = await alerts.send("GET", path);
      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.headers["content-security-policy"]).toMatch(
        /^default-src 'none';script-src 'sha256-[\w+/=]+';style-src 'sha256-/,
      );
      expect(page.headers["referrer-policy"]).toBe("no-referrer");
    }
    expect([await isConfirmed(), (await alerts.list(key)).length]).toEqual([0, 1]);
  });

  test("expire after 24 hours for confirming, and never for unsubscribing", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    const [old, end] = [await issue("confirm"), await issue("unsubscribe", secret, 0)];
    alerts.pass(day + 1_000);
    expect((await confirm(old)).body.error).toMatchObject({ code: "signature_invalid", field: "ticket" });
    alerts.pass(1_000 * day);
    expect((await unsubscribe(end)).body).toEqual({ unsubscribed: true });
    expect(await alerts.list(key)).toEqual([]);
  });

  test("are in no log line, whatever the response is", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    const lines: string[] = [];
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const log = pino({ level: "trace" }, sink);
    const app = await createReadApp(alerts.database.db, alerts.settings(), systemClock, log);
    const [yes, end] = [await issue("confirm"), await issue("unsubscribe", secret, 0)];
    const urls = [`/api/alerts/unsubscribe/${end}`, `/api/alerts/unsubscribe/${yes}`, `/api/alerts/${end}`];
    for (const url of urls) {
      for (const method of ["GET", "POST", "DELETE"] as const) await app.app.inject({ method, url });
    }
    await app.app.inject({ method: "POST", url: "/api/alerts/confirm", payload: { ticket: `${yes}x` } });
    await app.app.close();
    expect(lines.join("")).toContain("request completed");
    for (const ticket of [yes, end]) expect(lines.join("")).not.toContain(ticket.slice(0, 40));
  });

  test("C9-36 a reused ticket changes nothing, and no ticket restores ended alerts", async () => {
    const { key } = await alerts.newOwner();
    await alerts.set(key);
    const [yes, end] = [await issue("confirm"), await issue("unsubscribe", secret, 0)];
    await confirm(yes);
    expect((await unsubscribe(end)).status).toBe(200);
    expect((await unsubscribe(end)).status).toBe(200);
    expect((await confirm(yes)).status).toBe(422);
    await alerts.set(key);
    expect((await confirm(yes)).status).toBe(422);
    expect([await isConfirmed(), (await alerts.list(key)).length]).toEqual([0, 1]);
  });

  test("unsubscribe whatever body a mail program sends", async () => {
    const { key } = await alerts.newOwner();
    const bodies: [string | undefined, string | undefined][] = [
      ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
      [
        "multipart/form-data; boundary=b",
        '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      ],
      ["application/json", "{not json"],
      [undefined, undefined],
    ];
    for (const [type, body] of bodies) {
      await alerts.set(key);
      const path = `/api/alerts/unsubscribe/${await issue("unsubscribe", secret, 0)}`;
      const answer = await alerts.send("POST", path, { headers: type ? { "content-type": type } : {}, body });
      expect([type, answer.status, await alerts.list(key)]).toEqual([type, 200, []]);
    }
  });
});

describe("requests by strangers", () => {
  test("C9-33 an address receives three confirmation mails a day, across all accounts and spellings", async () => {
    const forms = ["victim@example.com", "Victim@Example.com", "victim+a@example.com", "victim+b@example.com"];
    for (let n = 0; n < 3; n++) {
      const { key } = await alerts.newOwner();
      for (const email of forms) expect((await alerts.set(key, { email })).status).toBe(201);
    }
    expect(await countMails()).toBe(3);
  });

  test("C9-46 spellings of one mailbox share its limit, and each address is stored as typed", async () => {
    const forms = [
      "ada.lovelace",
      "a.da.lovelace",
      "adalove.lace",
      "AdaLovelace",
      "ada.lovelace+x",
      "a.d.a.lovelace+y",
    ];
    const emails = forms.flatMap((local) => [`${local}@gmail.com`, `${local}@GoogleMail.com`]).slice(0, 10);
    const { key } = await alerts.newOwner();
    for (const email of emails) expect((await alerts.set(key, { email })).status).toBe(201);
    expect(await countMails()).toBe(3);
    const sent = await alerts.query("select address from app.mail where state = 'queued' order by created_at");
    expect(sent.map(({ address }: any) => address)).toEqual(emails.slice(0, 3));
  });

  test.each([
    ["A.d.a+tag@Gmail.com", "ada@gmail.com"],
    ["a.da@googlemail.com", "ada@gmail.com"],
    ["a-d_a.b@pm.me", "adab@proton.me"],
    ["ada-news@yahoo.co.uk", "ada@yahoo.co.uk"],
    ["ada@me.com", "ada@icloud.com"],
    ["a-d.a@ya.ru", "a.d.a@yandex.ru"],
    ["any@ada.fastmail.com", "ada@fastmail.com"],
    ["a.d-a+tag@Example.com", "a.d-a@example.com"],
    ["a.d.a+tag@outlook.com", "a.d.a@outlook.com"],
  ])("C9-46 the mailbox of %s is %s", async (address, mailbox) => {
    expect(await alerts.query("select app.mailbox_key($1) as mailbox", [address])).toEqual([{ mailbox }]);
  });

  test("C9-46 a domain receives a hundred confirmation mails a day, and the response does not show it", async () => {
    const insert = (domain: string) =>
      alerts.query(
        `insert into app.mail (id, dedupe_key, kind, address_hash, domain_hash, content)
         select gen_random_uuid(), $1 || i, 'confirm', app.hash_mailbox(i || '@' || $1), app.hash_domain('x@' || $1), '{}'
         from generate_series(1, 99) i`,
        [domain],
      );
    await insert("company.example");
    await insert("gmail.com");
    const before = await countMails();
    const { key } = await alerts.newOwner();
    for (const local of ["one", "two", "three"]) {
      for (const domain of ["Company.example", "gmail.com"]) {
        const { status, body } = await alerts.set(key, { email: `${local}@${domain}` });
        expect([status, body.status]).toEqual([201, "pending"]);
      }
    }
    // One to the company, three to the large provider.
    expect((await countMails()) - before).toBe(4);
  });

  test("C10-60 a confirmation mail is sent to the address that it confirms, even if requested in another spelling", async () => {
    const { key } = await alerts.newOwner();
    // Two mailboxes for servers that support neither case-insensitive addresses nor subaddresses.
    await alerts.set(key, { email: "Bob+list@example.com" });
    await alerts.set(key, { email: "bob@example.com" });
    expect(await alerts.query("select distinct address from app.mail where kind = 'confirm'")).toEqual([
      { address: "Bob+list@example.com" },
    ]);
    expect((await alerts.list(key)).map(({ email }: any) => email)).toEqual(Array(2).fill("Bob+list@example.com"));
  });

  test("C10-63 a confirmation mail contains no text of its requester", async () => {
    const { key } = await alerts.newOwner();
    expect((await alerts.set(key, { pair: "CALL18005551234_WALLETATRISK" })).status).toBe(201);
    alerts.startSending();
    await alerts.untilReceived(1);
    const raw = alerts.smtp.received[0]!.raw.replaceAll(/=\r?\n/g, "");
    expect(raw).toContain("risk score above 80");
    expect(raw).not.toMatch(/CALL1800|WALLETATRISK/);
  });

  test("C9-33 deleting an alert does not restore the limit of confirmation mails", async () => {
    const { key } = await alerts.newOwner();
    for (let n = 0; n < 10; n++) {
      const { status, body } = await alerts.set(key, { email: "victim@example.com" });
      expect(status).toBe(201);
      await alerts.send("DELETE", `/api/alerts/${body.id}`, { key });
    }
    expect((await alerts.query("select from app.mail where error is distinct from 'limit'")).length).toBe(3);
    const { status, body, headers } = await alerts.set(key, { email: "victim@example.com" });
    expect([status, body.error.code, headers["retry-after"]]).toEqual([429, "rate_limited", "3600"]);
    expect(await alerts.list(key)).toEqual([]);
  });

  test("C9-34 a response does not show whether others use an address, or whether the address is suspended", async () => {
    const [owner, stranger] = [await alerts.newOwner(), await alerts.newOwner()];
    await alerts.set(owner.key, { email: "known@example.com" });
    await alerts.confirmAll();
    await alerts.query("insert into app.mail_suspensions select sha256('refused@example.com')");
    const seen = [];
    for (const email of ["known@example.com", "refused@example.com", "unknown@example.com"]) {
      const answers = [];
      for (let n = 0; n < 3; n++) {
        const { status, body } = await alerts.set(stranger.key, { email });
        answers.push([status, body.status]);
      }
      const listed = (await alerts.list(stranger.key)).filter((alert: any) => alert.email === email);
      seen.push({ answers, listed: listed.map((alert: any) => alert.status) });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    // The account's limit also counts mails that were not sent.
    expect((await alerts.set(stranger.key, { email: "known@example.com" })).status).toBe(201);
    expect((await alerts.set(stranger.key, { email: "unknown@example.com" })).status).toBe(429);
  });

  test("C9-35 an address cannot add a header, a recipient or a command", async () => {
    const { key } = await alerts.newOwner();
    const hostile = [
      "ada@example.com\r\nBcc: eve@example.com",
      "ada@example.com\nRCPT TO:<eve@example.com>",
      "ada@example.com,eve@example.com",
      "Ada <ada@example.com>",
      '"ada eve"@example.com',
      "ada@[127.0.0.1]",
      "ada@example.com>",
      "ada(comment)@example.com",
      "ada@exam\u0000ple.com",
      "adа@example.com",
      "@example.com",
      "ada@localhost",
    ];
    for (const email of hostile) expect([email, (await alerts.set(key, { email })).status]).toEqual([email, 422]);
    expect(await countMails()).toBe(0);
  });

  test("C9-37 deleting another account's alert returns the same error as deleting a missing alert", async () => {
    const [owner, stranger] = [await alerts.newOwner(), await alerts.newOwner()];
    const { body } = await alerts.set(owner.key);
    const foreign = await alerts.send("DELETE", `/api/alerts/${body.id}`, { key: stranger.key });
    const missing = await alerts.send("DELETE", `/api/alerts/${randomUUID()}`, { key: stranger.key });
    expect([foreign.status, foreign.body.error.code, foreign.body.error.message]).toEqual([
      404,
      missing.body.error.code,
      missing.body.error.message,
    ]);
    expect([(await alerts.list(owner.key)).length, (await alerts.list(stranger.key)).length]).toEqual([1, 0]);
  });
});
