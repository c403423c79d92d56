import { z } from "zod";
import { Secret } from "./secret.ts";
import { integer, secretText } from "./settingTypes.ts";

/** The server that sends the mails. */
export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte (smtps); otherwise STARTTLS, except on this machine. */
  implicitTls: boolean;
  credentials: { user: string; password: Secret } | null;
};

/** A mailbox in a From header. */
export type Mailbox = { name: string; address: string };

const defaultPorts: Record<string, number> = { "smtp:": 587, "smtps:": 465 };

const refuseSmtpUrl =
  "must be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host if the server requires them, and nothing after the port";

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** Parses an SMTP URL without options: the library has options that disable the check of certificates. */
const smtpUrl = z.string().transform((text, context): SmtpServer => {
  const parsed = URL.parse(text);
  const port = parsed && (parsed.port === "" ? defaultPorts[parsed.protocol] : Number(parsed.port));
  const [user, password] = parsed ? [decode(parsed.username), decode(parsed.password)] : [null, null];
  const isBare = parsed !== null && ["", "/"].includes(parsed.pathname) && parsed.search === "" && parsed.hash === "";
  if (
    !isBare ||
    !port ||
    parsed.hostname === "" ||
    user === null ||
    password === null ||
    (user === "") !== (password === "")
  ) {
    context.addIssue(refuseSmtpUrl);
    return z.NEVER;
  }
  const credentials = user === "" ? null : { user, password: Secret.fromText(password) };
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port, implicitTls: parsed.protocol === "smtps:", credentials };
});

const mailbox = z.string().transform((text, context): Mailbox => {
  const [, name = "", address = ""] =
    /^(?:([^\p{Cc}<>",;:@]{0,64}?) ?<)?([^\s<>"(),;:@]{1,64}@[A-Za-z0-9.-]{1,253})>?$/u.exec(text) ?? [];
  const isWhole = address !== "" && text.endsWith(">") === text.includes("<");
  if (!isWhole) context.addIssue("must be an address, or a name and an address: Slipway <alerts@example.com>");
  return isWhole ? { name: name.trim(), address } : z.NEVER;
});

/** Settings of mails and of the alerts that mails deliver. `docs/operations.md` explains them. */
export const mailSettings = {
  /** The server that sends mails; without it the service sends none. */
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  /** Signs the links in mails; a new value invalidates the links that were sent. */
  ALERT_SECRET: secretText(32).optional(),
  MAIL_CONNECTIONS: integer(1, 50).default(5),
  MAIL_POLL_MS: integer(10, 3_600_000).default(1_000),
  ALERT_POLL_MS: integer(10, 3_600_000).default(5_000),
};

/** Finds incomplete mail settings, which would silently disable mails. */
export function findMailProblems(isSet: (name: string) => boolean): string[] {
  const needed = ["MAIL_FROM", "ALERT_SECRET", "SITE_URL"].filter((name) => isSet("SMTP_URL") && !isSet(name));
  const problems = needed.map((name) => `${name}: is not set, but SMTP_URL is; set it, or remove SMTP_URL`);
  if (isSet("MAIL_FROM") && !isSet("SMTP_URL")) {
    problems.push("SMTP_URL: is not set, but MAIL_FROM is; set both, or neither");
  }
  return problems;
}
