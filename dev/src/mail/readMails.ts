import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A mail that the stack's mail server received. */
export type CaughtMail = { to: string; subject: string; text: string };

/** Reads the mails of a folder, oldest first; `text` is the whole mail with its soft line breaks removed. */
export function readMails(folder: string): CaughtMail[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^\d.*\.eml$/.test(name));
  return names.sort().map((name) => {
    const text = readFileSync(join(folder, name), "utf8")
      .replace(/=\r?\n/g, "")
      .replace(/=3D/g, "=");
    const getHeader = (header: string) => new RegExp(`^${header}: (.*?)\\r?$`, "m").exec(text)?.[1] ?? "";
    return { to: getHeader("To"), subject: getHeader("Subject"), text };
  });
}

/** Returns the ticket of a link to an alerts page in the newest mail to an address; null if there is none. */
export function findTicket(folder: string, to: string, page: "confirm" | "unsubscribe"): string | null {
  const pattern = new RegExp(`/alerts/${page}#([A-Za-z0-9_-]{72})`);
  const tickets = readMails(folder).flatMap((mail) =>
    mail.to === to ? (pattern.exec(mail.text)?.slice(1) ?? []) : [],
  );
  return tickets.at(-1) ?? null;
}
