import { parseConfig } from "@slipway/server/config";
import { createMailTransport } from "@slipway/server/providers/mail/createMailTransport";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../stack/temporaryFolder.ts";
import { findTicket, readMails } from "./readMails.ts";
import { type MailCatcher, startMailCatcher } from "./startMailCatcher.ts";

const folder = temporaryFolder();
let catcher: MailCatcher;
beforeAll(async () => {
  catcher = await startMailCatcher({ folder: folder.path });
});
afterAll(async () => {
  await catcher?.stop();
  folder.remove();
});

it("stores each mail as a file, and findTicket returns the newest link", async () => {
  const config = parseConfig({
    DATABASE_URL: "postgres://unused",
    RPC_URL: "http://127.0.0.1:1",
    SITE_URL: "http://127.0.0.1",
    SMTP_URL: catcher.url,
    MAIL_FROM: "s@example.com",
    ALERT_SECRET: "x".repeat(32),
  });
  const transport = createMailTransport(config)!;
  for (const letter of ["a", "b"]) {
    const text = `Confirm:\nhttp://127.0.0.1/alerts/confirm#${letter.repeat(72)}`;
    const mail = {
      id: letter,
      to: "ada@example.com",
      date: new Date(),
      subject: `Mail ${letter}`,
      text,
      html: "",
      headers: {},
    };
    await transport.send(mail, AbortSignal.timeout(60_000));
  }
  transport.close();
  expect(readMails(folder.path).map(({ to, subject }) => [to, subject])).toEqual([
    ["ada@example.com", "Mail a"],
    ["ada@example.com", "Mail b"],
  ]);
  expect(findTicket(folder.path, "ada@example.com", "confirm")).toBe("b".repeat(72));
  expect(findTicket(folder.path, "eve@example.com", "confirm")).toBeNull();
});
