import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { getProgram } from "../support/getProgram.ts";
import { until } from "../support/indexer/testDeps.ts";
import { pauseClient } from "../support/pauseClient.ts";
import { programEnvironment } from "../support/programEnvironment.ts";
import { sendRaw, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack, withoutLimits } from "../support/security/startTestStack.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

/** The API as a separate process, over the stack's chain and database. */
async function startProcess(): Promise<{ child: ChildProcess; port: number; exited: Promise<number | null> }> {
  const { config } = stack.deps;
  const port = await getFreePort();
  const child = spawn(process.execPath, [await getProgram("server")], {
    env: {
      ...programEnvironment,
      NODE_ENV: "test",
      LOG_LEVEL: "warn",
      HOST: "127.0.0.1",
      PORT: String(port),
      ROLES: "api",
      DATABASE_URL: config.DATABASE_URL,
      RPC_URL: config.RPC_URL.join(","),
      SHUTDOWN_TIMEOUT_MS: "60000",
      MANIFEST_PATH: config.MANIFEST_PATH!,
      MANIFEST_SHA256: config.MANIFEST_SHA256!,
      ...withoutLimits,
    },
    stdio: "ignore",
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200);
  return { child, port, exited };
}

/**
 * A request of which the server has the head and a part of the body; `finish` sends the rest and returns the answer.
 */
function beginDraft(port: number, index: number) {
  const body = JSON.stringify({ name: `D${index}`, symbol: "A", image_uri: "ipfs://bafy", chain_id: 46630 });
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString())).on("error", () => undefined);
  const closed = once(socket, "close");
  socket.write(
    [
      "POST /api/v1/launchpad/intents HTTP/1.1",
      "host: x",
      "expect: 100-continue",
      `authorization: Bearer ${stack.account.key}`,
      "content-type: application/json",
      `idempotency-key: shutdown-${index}`,
      `content-length: ${body.length}\r\n\r\n`,
    ].join("\r\n"),
  );
  return {
    /** The server has read the head and waits for the body. */
    isUnderWay: () => until(() => answer.includes("100 Continue")),
    finish: async () => {
      socket.write(body);
      await closed;
      return answer.slice(answer.indexOf("HTTP/1.1", 1));
    },
  };
}

/** A reader of the live stream; `ended` shows whether the server ended the stream properly. */
async function readStream(port: number) {
  const request = get({ port, host: "127.0.0.1", path: "/api/v1/launchpad/stream" });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = once(answer, "close").then(() => answer.complete);
  answer.on("error", () => undefined);
  await until(() => text.includes("event: ready"));
  return { ended };
}

test("C3-07 SIGTERM under load: what is under way is answered, streams end, and it exits before its timeout", async () => {
  const { child, port, exited } = await startProcess();
  const drafts = Array.from({ length: 20 }, (_, index) => beginDraft(port, index));
  const streams = await Promise.all(Array.from({ length: 20 }, () => readStream(port)));
  await Promise.all(drafts.map((draft) => draft.isUnderWay()));

  let answered = 0;
  const failures: string[] = [];
  let isOver = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/launchpad/tokens`, {
        headers: { connection: "close" },
      }).catch(() => null);
      if (response === null) return;
      answered++;
      if (response.status !== 200) failures.push(`${response.status} ${await response.text()}`);
      else await response.arrayBuffer().catch((error: Error) => failures.push(`an answer was cut: ${error.message}`));
      await pauseClient();
    }
  });
  await until(() => answered > 100);
  await sendRaw(stack, wallets[0]!, { to: wallets[1]!.address, value: 1n });

  child.kill("SIGTERM");
  // New connections are rejected, while pending requests are still read to their end.
  await until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null)) === null);
  const answers = await Promise.all(drafts.map((draft) => draft.finish()));
  // A drain that takes longer than SHUTDOWN_TIMEOUT_MS exits with another code.
  expect(await exited).toBe(0);
  isOver = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(answers.filter((answer) => !answer.startsWith("HTTP/1.1 201"))).toEqual([]);
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(streams.map(() => true));
});
