import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import { insert, toAddress } from "../support/server/rows.ts";
import { wrappedNative } from "../support/server/testManifest.ts";
import { paidSplitter, writeFees, writeRetraction } from "../support/webhooks/outboxRows.ts";
import { useWebhooks } from "../support/webhooks/useWebhooks.ts";

const hooks = useWebhooks();
const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

test("the receiver of docs/webhooks.md accepts genuine messages only, and handles each once", async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, "receiver.mjs");
  writeFileSync(file, /```js\n(.*?)```/s.exec(page)![1]!);
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const port = await getFreePort();
  const receiver = spawn(process.execPath, [file], { env: { WEBHOOK_SECRET: secret, PORT: String(port) } });
  let printed = "";
  receiver.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  try {
    const send = async (body: string, { signs = [secret], at = Date.now(), sent = body } = {}) => {
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at / 1_000)),
        "webhook-signature": signs.map((one) => new Webhook(one).sign("msg_1", new Date(at), body)).join(" "),
      };
      const url = `http://127.0.0.1:${port}/`;
      return (await fetch(url, { method: "POST", headers, body: sent })).status;
    };
    const body = JSON.stringify({ type: "test" });
    await expect.poll(() => send(body).catch(() => 0)).toBe(204);
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
    expect(await send(body, { signs: [other, secret] })).toBe(204);
    expect(await send(body, { signs: [other] })).toBe(401);
    expect(await send(body, { sent: JSON.stringify({ type: "trade" }) })).toBe(401);
    expect(await send(body, { at: Date.now() - 600_000 })).toBe(401);
    await expect.poll(() => printed).toBe("{ type: 'test' }\n");
  } finally {
    receiver.kill("SIGKILL");
    await once(receiver, "exit");
    folder.remove();
  }
});

test("examples/webhookReceiver.ts keeps the total of the fees that the service sends, without those of a chain reorg", async () => {
  const { db } = hooks.database;
  const wallet = toAddress(21);
  await insert(db, "chain.splitters", { address: paidSplitter, proven: true, block_number: 1 });
  const payee = { splitter: paidSplitter, position: 0, payee: wallet, share_bps: 10_000, block_number: 1 };
  await insert(db, "chain.splitter_payees", payee);
  const { key } = await hooks.newOwner();
  const { secret } = await hooks.subscribe(key, { kind: "fees", wallet });
  const { url, readLines } = await startExample(secret);
  let attempts = 0;
  hooks.answer = async ({ headers, body }, response) => {
    const forwarded = await fetch(url, { method: "POST", headers: pickSigned(headers), body });
    // The service sends a message again whose answer is lost.
    response.writeHead(attempts++ === 0 ? 500 : forwarded.status).end();
  };
  hooks.start();
  await writeFees(db, 1, { amount: "5" });
  await expect.poll(() => attempts).toBe(1);
  hooks.pass(10_000);
  await expect.poll(() => attempts).toBe(2);
  await writeFees(db, 2, { amount: "30" });
  await hooks.untilReceived(3);
  await writeRetraction(db, { fees: [1] });
  await hooks.untilReceived(4);
  const asset = hooks.received[0]!.message.data.asset;
  expect(asset.toLowerCase()).toBe(wrappedNative);
  await expect.poll(readLines).toEqual(["5", "5", "35", "30"].map((total) => `fees in ${asset}: ${total}`));
  // A message that a stranger signed.
  const { headers, body } = hooks.received[0]!;
  const forged = await fetch(url, { method: "POST", headers: pickSigned(headers), body: body.replace("5", "6") });
  expect(forged.status).toBe(401);
});

const pickSigned = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));

const examples: ChildProcess[] = [];
afterEach(async () => {
  for (const child of examples.splice(0)) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

/** Starts the example; `readLines` returns the totals that it has printed. */
async function startExample(secret: string): Promise<{ url: string; readLines: () => string[] }> {
  const path = fileURLToPath(new URL("../../examples/webhookReceiver.ts", import.meta.url));
  expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(80);
  const port = await getFreePort();
  const child = spawn(process.execPath, [path], { env: { WEBHOOK_SECRET: secret, PORT: String(port) } });
  examples.push(child);
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  await expect.poll(() => printed).toContain("listening");
  return { url: `http://127.0.0.1:${port}/`, readLines: () => printed.trim().split("\n").slice(1) };
}
