import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { SelfSigned } from "../security/selfSigned.ts";

/** A mail that a server has accepted. */
export type ReceivedMail = {
  to: string;
  messageId: string;
  subject: string;
  /** Header lines with their continuations, and the body, decoded from quoted-printable. */
  raw: string;
};

/** The replies of a server; omitted steps are accepted. */
export type SmtpBehaviour = {
  /** The reply to a recipient. */
  recipient?: (address: string) => Error | null;
  /** The reply after a complete mail: `cut` accepts the mail and closes the connection without a reply. */
  afterData?: (mail: ReceivedMail) => Error | "cut" | null | Promise<Error | "cut" | null>;
};

export type SmtpTestServer = {
  port: number;
  received: ReceivedMail[];
  /** The number of connections so far, open and closed. */
  connections: number;
  behaviour: SmtpBehaviour;
  /** Closes the port and every connection; `open` listens on the port again. */
  away(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
};

/** An error with the code of a reply. */
export const reply = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/** A real SMTP server. */
export async function startSmtp(options: SMTPServerOptions & { tls?: SelfSigned } = {}): Promise<SmtpTestServer> {
  const { tls, ...others } = options;
  const sockets = new Set<Socket>();
  const state = { server: null as SMTPServer | null };
  const smtp: SmtpTestServer = {
    port: 0,
    received: [],
    connections: 0,
    behaviour: {},
    open: async () => {
      const server = new SMTPServer({
        authOptional: true,
        disableReverseLookup: true,
        logger: false,
        closeTimeout: 50,
        ...(tls ? { key: tls.key, cert: tls.cert } : { disabledCommands: ["STARTTLS"] }),
        ...others,
        onConnect: (_session, done) => {
          smtp.connections++;
          done();
        },
        onRcptTo: ({ address }, _session, done) => done(smtp.behaviour.recipient?.(address) ?? null),
        onData: (stream, session, done) => {
          const chunks: Buffer[] = [];
          stream.on("data", (chunk: Buffer) => chunks.push(chunk));
          const answer = async () => {
            const mail = toMail(Buffer.concat(chunks).toString("utf8"), session.envelope.rcptTo[0]!.address);
            const outcome = (await smtp.behaviour.afterData?.(mail)) ?? null;
            if (outcome === null || outcome === "cut") smtp.received.push(mail);
            if (outcome === "cut") for (const socket of sockets) socket.destroy();
            else done(outcome);
          };
          stream.on("end", () => void answer());
        },
      });
      server.on("error", () => undefined);
      server.server.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
      });
      server.listen(smtp.port, "127.0.0.1");
      await once(server.server, "listening");
      state.server = server;
      smtp.port = (server.server.address() as AddressInfo).port;
    },
    away: async () => {
      const server = state.server;
      state.server = null;
      if (server === null) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    close: () => smtp.away(),
  };
  await smtp.open();
  return smtp;
}

function toMail(raw: string, to: string): ReceivedMail {
  const decoded = raw
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const getHeader = (name: string) => new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, "im").exec(raw)?.[1] ?? "";
  return { to, messageId: getHeader("Message-ID"), subject: getHeader("Subject"), raw: decoded };
}
