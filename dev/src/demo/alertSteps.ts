import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findTicket } from "../mail/readMails.ts";
import { type DemoContext, DemoFailure } from "./demoContext.ts";

const timeoutMs = 120_000;

/** Creates an alert by e-mail, confirms it with the link of its mail, and deletes it. */
export async function alertStep({ reporter, client, mailFolder }: DemoContext): Promise<void> {
  reporter.step(
    "An alert by e-mail",
    "The recipient confirms it with the link of a mail, which the stack's own mail server receives.",
  );
  const email = `demo-${randomUUID().slice(0, 8)}@example.com`;
  const rule = { metric: "risk_score", op: "above", value: 80 } as const;
  const { id, status } = await client.createAlert(
    { email, pair: "BTC_USDT", rule },
    { idempotencyKey: `demo-${randomUUID()}` },
  );
  reporter.value("alert", `${id} to ${email}`);
  reporter.expectEqual("it waits for the confirmation", status, "pending");
  const deadline = Date.now() + timeoutMs;
  let ticket = findTicket(mailFolder, email, "confirm");
  while (ticket === null) {
    if (Date.now() > deadline) throw new DemoFailure(`no mail to ${email} came within ${timeoutMs / 1000} s`);
    await sleep(50);
    ticket = findTicket(mailFolder, email, "confirm");
  }
  const { confirmed } = await client.confirmAlertAddress({ ticket });
  reporter.expectTrue("the ticket of the mail's link confirms the address", confirmed);
  const { items } = await client.listAlerts();
  const listed = items.find((alert) => alert.id === id);
  reporter.expectEqual("the list has its rule", [listed?.email, listed?.rule], [email, rule]);
  await client.deleteAlert({ id });
  reporter.expectTrue("it is deleted", !(await client.listAlerts()).items.some((alert) => alert.id === id));
}
