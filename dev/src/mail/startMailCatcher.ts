import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

/** The stack's mail server: it accepts every mail and delivers none. */
export type MailCatcher = {
  /** The URL for SMTP_URL. */
  url: string;
  stop: () => Promise<void>;
};

const maxBytes = 1024 * 1024;
/** The number of mails that are kept: the newest ones. */
const maxMails = 1_000;

/** Starts an SMTP server on this machine that stores each mail as a file `TIME-NUMBER.eml` of the folder. */
export async function startMailCatcher({ folder }: { folder: string }): Promise<MailCatcher> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    size: maxBytes,
    closeTimeout: 100,
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (stream.sizeExceeded) return done(new Error("the mail is too large"));
        const name = `${Date.now()}-${String(count++).padStart(6, "0")}.eml`;
        // The rename is atomic, so a reader of the folder never finds a partial file.
        writeFileSync(join(folder, `.${name}`), Buffer.concat(chunks), { mode: 0o600 });
        renameSync(join(folder, `.${name}`), join(folder, name));
        const names = readdirSync(folder).filter((other) => /^\d.*\.eml$/.test(other));
        for (const old of names.sort().slice(0, -maxMails)) rmSync(join(folder, old), { force: true });
        return done();
      });
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
