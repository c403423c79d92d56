import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import getPort from "get-port";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

test("the receiver of docs/webhooks.md accepts genuine messages only, and handles each once", async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, "receiver.mjs");
  writeFileSync(file, /```js\n(.*?)```/s.exec(page)![1]!);
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const port = await getPort();
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
    await expect.poll(() => send(body).catch(() => 0), { timeout: 20_000 }).toBe(204);
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
