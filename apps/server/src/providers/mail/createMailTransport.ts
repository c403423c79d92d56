import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { SmtpServer } from "../../mailSettings.ts";

/** A mail to send. The same id gives the same Message-ID, also in a later attempt. */
export type Mail = {
  id: string;
  to: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
};

/**
 * The meaning of a failed attempt: `recipient`, the server permanently rejected the address; `message`, it rejected the
 * mail; `later`, the mail can be tried again.
 */
export type MailFailure = "recipient" | "message" | "later";

/** A mail that was not accepted, or whose acceptance was not received. The code never contains the server's text. */
export class MailError extends Error {
  override name = "MailError";
  readonly failure: MailFailure;
  readonly code: string;

  constructor(failure: MailFailure, code: string) {
    super(`The mail was not accepted: ${code}.`);
    this.failure = failure;
    this.code = code;
  }
}

export type MailTransport = {
  /**
   * Sends a mail. Resolves when the server has accepted responsibility for it.
   *
   * @param signal - Aborts the attempt and closes its connection.
   * @throws MailError
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  close(): void;
};

const connectionTimeoutMs = 10_000;
/** Maximum silence of a server. RFC 5321, 4.5.3.2, allows minutes, but the service repeats the attempt later. */
const silenceMs = 20_000;

/** Only this machine can read a connection to itself. */
const isThisMachine = (host: string) => host === "localhost" || host === "::1" || /^127\./.test(host);

/**
 * Creates the transport of a process: a pool of connections. Verifies certificates, and sends nothing without TLS
 * except to this machine.
 *
 * @param trust.ca - Further certificates to trust, for tests.
 * @returns null if no server is configured.
 */
export function createMailTransport(
  {
    SMTP_URL: server,
    MAIL_FROM: from,
    MAIL_CONNECTIONS: connections,
  }: Pick<Config, "SMTP_URL" | "MAIL_FROM" | "MAIL_CONNECTIONS">,
  trust: { ca?: string } = {},
): MailTransport | null {
  if (server === undefined || from === undefined) return null;
  const transport = createTransport({
    pool: true,
    host: server.host,
    port: server.port,
    ...getTls(server, trust),
    ...(server.credentials && {
      auth: { user: server.credentials.user, pass: server.credentials.password.revealText() },
    }),
    maxConnections: connections,
    // The service repeats attempts with its own delays.
    maxRequeues: 0,
    idleTimeout: 10_000,
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: connectionTimeoutMs,
    dnsTimeout: connectionTimeoutMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  // An idle connection broke; the pool opens another one.
  transport.on("error", () => undefined);
  const domain = from.address.split("@")[1]!;
  return {
    send: async ({ id, to, date, subject, text, html, headers }, signal) => {
      try {
        await transport.sendMail({
          signal,
          messageId: `<${id}@${domain}>`,
          date,
          from,
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          subject,
          text,
          html,
          headers: { "Auto-Submitted": "auto-generated", ...headers },
        });
      } catch (error) {
        throw toMailError(error);
      }
    },
    close: () => transport.close(),
  };
}

function getTls({ host, implicitTls }: SmtpServer, { ca }: { ca?: string }) {
  const tls = { minVersion: "TLSv1.2" as const, ...(ca !== undefined && { ca }) };
  if (implicitTls) return { secure: true, tls };
  return isThisMachine(host) ? { secure: false, ignoreTLS: true } : { secure: false, requireTLS: true, tls };
}

/** Converts an error of the library. Its message can contain the address and the server's text; neither is kept. */
function toMailError(error: unknown): MailError {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  if (responseCode === undefined) return new MailError("later", code ?? (error as Error).name);
  const isPermanent = responseCode >= 500 && responseCode < 600 && responseCode !== 503;
  if (!isPermanent) return new MailError("later", `smtp_${responseCode}`);
  if (command === "RCPT TO") return new MailError("recipient", `smtp_${responseCode}`);
  // The operator must correct faults of sender, sign-in and the like; the mail is sent afterwards.
  return new MailError(command === "DATA" ? "message" : "later", `smtp_${responseCode}`);
}
