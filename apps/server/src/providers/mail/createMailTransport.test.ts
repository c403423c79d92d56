import { afterEach, describe, expect, test } from "vitest";
import { reply, type SmtpTestServer, startSmtp } from "../../../../../tests/support/mail/startSmtp.ts";
import { selfSigned } from "../../../../../tests/support/security/selfSigned.ts";
import { parseConfig } from "../../config.ts";
import { createMailTransport, MailError, type MailTransport } from "./createMailTransport.ts";

const tls = selfSigned(["localhost", "LOCALHOST", "127.0.0.1"]);
let smtp: SmtpTestServer;
let transport: MailTransport;
afterEach(async () => {
  transport?.close();
  await smtp?.close();
});

const others = {
  DATABASE_URL: "postgres://unused",
  RPC_URL: "http://127.0.0.1:1",
  SITE_URL: "https://slipway.example",
  MAIL_FROM: "Slipway <alerts@slipway.example>",
  ALERT_SECRET: "an alert secret of 32 characters",
};
const parse = (url: string, more: object = {}) => parseConfig({ ...others, SMTP_URL: url, ...more });

/** Sends a mail. @returns `sent`, or the failure. */
async function send(url: string, ca?: string): Promise<string> {
  transport = createMailTransport(parse(url), ca === undefined ? {} : { ca })!;
  const mail = {
    id: "1",
    to: "ada@example.com",
    date: new Date(),
    subject: "s",
    text: "t",
    html: "<p>t</p>",
    headers: {},
  };
  return await transport.send(mail, AbortSignal.timeout(60_000)).then(
    () => "sent",
    (error: MailError) => `${error.failure} ${error.code}`,
  );
}
// Only lower-case names of this machine count as local.
const elsewhere = (scheme: string) => `${scheme}://LOCALHOST:${smtp.port}`;

describe("the transport of mails", () => {
  test("C9-44 sends nothing without TLS to another machine, and nothing with a certificate that is not trusted", async () => {
    smtp = await startSmtp();
    expect(await send(elsewhere("smtp"))).toMatch(/^later /);
    await smtp.close();
    smtp = await startSmtp({ tls });
    expect(await send(elsewhere("smtp"))).toMatch(/^later /);
    expect(smtp.received).toEqual([]);
    expect(await send(elsewhere("smtp"), tls.cert)).toBe("sent");
    await smtp.close();
    smtp = await startSmtp({ tls, secure: true });
    expect(await send(elsewhere("smtps"))).toMatch(/^later /);
    expect(await send(elsewhere("smtps"), tls.cert)).toBe("sent");
  });

  test("sends to this machine without TLS", async () => {
    smtp = await startSmtp();
    expect(await send(`smtp://127.0.0.1:${smtp.port}`)).toBe("sent");
  });

  test("signs in, and treats a refused sign-in as temporary", async () => {
    smtp = await startSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === "us er" && password === "p@ss" ? done(null, { user: "1" }) : done(reply(535, "no")),
    });
    expect(await send(`smtp://us%20er:p%40ss@127.0.0.1:${smtp.port}`)).toBe("sent");
    expect(await send(`smtp://us%20er:wrong@127.0.0.1:${smtp.port}`)).toBe("later smtp_535");
  });

  test("C9-44 an error contains neither the password, the address nor the server's text", async () => {
    smtp = await startSmtp();
    smtp.behaviour.recipient = (address) => reply(550, `no mailbox ${address}`);
    transport = createMailTransport(parse(`smtp://127.0.0.1:${smtp.port}`))!;
    const mail = { id: "1", to: "ada@example.com", date: new Date(), subject: "s", text: "t", html: "t", headers: {} };
    const error = await transport.send(mail, AbortSignal.timeout(60_000)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MailError);
    expect(error).toMatchObject({ failure: "recipient", code: "smtp_550" });
    expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toMatch(/ada|mailbox/);
  });
});

describe("the settings of mails", () => {
  const problems = (env: object) => {
    try {
      parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1", ...env });
      return [];
    } catch (error) {
      return (error as { problems: string[] }).problems;
    }
  };

  test("are all required if SMTP_URL is set, and the problem names the missing one", () => {
    expect(problems({ SMTP_URL: "smtp://mail.example" })).toEqual([
      "MAIL_FROM: is not set, but SMTP_URL is; set it, or remove SMTP_URL",
      "ALERT_SECRET: is not set, but SMTP_URL is; set it, or remove SMTP_URL",
      "SITE_URL: is not set, but SMTP_URL is; set it, or remove SMTP_URL",
    ]);
    expect(problems({ MAIL_FROM: "a@example.com" })).toEqual([
      "SMTP_URL: is not set, but MAIL_FROM is; set both, or neither",
    ]);
    // The secret may stay alone: it is needed to end alerts of mails that were sent earlier.
    expect(problems({ ALERT_SECRET: others.ALERT_SECRET })).toEqual([]);
  });

  test("default to the usual ports, and accept no options that would weaken TLS", () => {
    expect(parse("smtp://mail.example").SMTP_URL).toMatchObject({
      host: "mail.example",
      port: 587,
      implicitTls: false,
    });
    expect(parse("smtps://u:p@mail.example/").SMTP_URL).toMatchObject({ port: 465, implicitTls: true });
    expect(JSON.stringify(parse("smtps://u:hunter-2@mail.example").SMTP_URL)).not.toContain("hunter-2");
    for (const url of [
      "smtp://mail.example?tls.rejectUnauthorized=false",
      "http://mail.example",
      "smtp://u@mail.example",
      "smtp://u:%@h",
      "mail.example",
      "smtp://",
      "smtp://h/x#y",
    ]) {
      const found = problems({ ...others, SMTP_URL: url });
      expect([url, found.length, found[0]?.startsWith("SMTP_URL: must be smtp://")]).toEqual([url, 1, true]);
    }
  });

  test("accept a sender as an address or with a name", () => {
    const from = (text: string) => parse("smtp://mail.example", { MAIL_FROM: text }).MAIL_FROM;
    expect(from("a@example.com")).toEqual({ name: "", address: "a@example.com" });
    expect(from("Slipway Alerts <a@example.com>")).toEqual({ name: "Slipway Alerts", address: "a@example.com" });
    for (const text of ["a", "<a@example.com", "a@example.com>", "A\r\nBcc: x <a@example.com>", "A <a@b.c> <d@e.f>"]) {
      expect([text, problems({ ...others, SMTP_URL: "smtp://mail.example", MAIL_FROM: text }).length]).toEqual([
        text,
        1,
      ]);
    }
  });
});
