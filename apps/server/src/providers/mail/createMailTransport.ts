import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { SmtpServer } from "../../mailSettings.ts";

/** A mail as it is sent. The same id gives the same Message-ID, also in a later attempt. */
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
 * What a failed attempt means: `recipient`, the address was refused for good; `message`, the mail was; `later`, it can be
 * tried again.
 */
export type MailFailure = "recipient" | "message" | "later";

/** A mail that was not accepted, or whose acceptance was not received. The code is never the server's own text. */
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
   * Sends a mail. When it resolves, the server has taken responsibility for it.
   *
   * @param signal - Ends the attempt with its connection.
   * @throws MailError
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  close(): void;
};

const connectionTimeoutMs = 10_000;
/** How long a server may be silent. RFC 5321, 4.5.3.2, allows minutes; the outbox tries again. */
const silenceMs = 20_000;

/** A connection on this machine stays readable to it alone. */
const isThisMachine = (host: string) => host === "localhost" || host === "::1" || /^127\./.test(host);

/**
 * Creates the transport of a process: a pool of connections. Certificates are verified, and outside of this machine
 * nothing is sent without TLS.
 *
 * @param trust.ca - Further certificates to trust, for tests.
 * @returns null where no server is configured.
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
    // The outbox repeats with its own delays.
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
  // An idle connection that breaks; the pool opens another one.
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

/** Converts an error of the library. Its message can hold the address and the server's text: neither is kept. */
function toMailError(error: unknown): MailError {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  if (responseCode === undefined) return new MailError("later", code ?? (error as Error).name);
  const isPermanent = responseCode >= 500 && responseCode < 600 && responseCode !== 503;
  if (!isPermanent) return new MailError("later", `smtp_${responseCode}`);
  if (command === "RCPT TO") return new MailError("recipient", `smtp_${responseCode}`);
  // Sender, sign-in and the like are the operator's to correct, and the mail is sent then.
  return new MailError(command === "DATA" ? "message" : "later", `smtp_${responseCode}`);
}
