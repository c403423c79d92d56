import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Chain, startChain } from "@slipway/dev/chain/startChain";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openTestDatabase } from "../support/database/openTestDatabase.ts";
import { startMain } from "../support/security/startMain.ts";
import { startTestStack, type TestStack, withoutLimits } from "../support/security/startTestStack.ts";

const folder = temporaryFolder();
let stack: TestStack;
let otherChain: Chain;
beforeAll(async () => {
  stack = await startTestStack();
  otherChain = await startChain({ dir: folder.path, durable: false, chainId: 31_337 });
});
afterAll(async () => {
  await otherChain?.stop();
  folder.remove();
  await stack?.close();
});

/** An endpoint that a test switches from one chain to another, like a provider's load balancer. */
async function startSwitch(rpcUrl: string): Promise<{ url: string; serve: (rpcUrl: string) => void }> {
  let target = rpcUrl;
  const forward = async (body: string) => {
    const headers = { "content-type": "application/json" };
    return await (await fetch(target, { method: "POST", headers, body })).text();
  };
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      forward(body).then(
        (text) => response.setHeader("content-type", "application/json").end(text),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next) => {
      target = next;
    },
  };
}

/** A whole server with a separate database. */
async function startWholeServer(RPC_URL: string) {
  const database = await openTestDatabase();
  onTestFinished(database.drop);
  const { MANIFEST_PATH, MANIFEST_SHA256 } = stack.deps.config;
  const server = await startMain(() => ({
    DATABASE_URL: database.url,
    RPC_URL,
    MANIFEST_PATH: MANIFEST_PATH!,
    MANIFEST_SHA256: MANIFEST_SHA256!,
    ...withoutLimits,
  }));
  onTestFinished(() => server.stop());
  const ready = async (): Promise<{
    status: number;
    checks: Record<string, { ok: boolean; reason: string | null }>;
  }> => {
    const response = await fetch(`${server.siteUrl}/readyz`);
    const { checks } = (await response.json()) as { checks: never };
    return { status: response.status, checks };
  };
  const untilReady = () =>
    vi.waitFor(async () => expect(await ready()).toMatchObject({ status: 200 }), { timeout: 90_000, interval: 100 });
  return { ready, untilReady };
}

const wrong = { ok: false, reason: "The chain's endpoint serves chain 31337, not 46630." };

test("/readyz answers 503 while the endpoint serves another chain, and 200 when it is right again", async () => {
  const endpoint = await startSwitch(stack.chain.rpcUrl);
  const { ready, untilReady } = await startWholeServer(endpoint.url);
  await untilReady();
  endpoint.serve(otherChain.rpcUrl);
  await vi.waitFor(async () => expect(await ready()).toMatchObject({ status: 503, checks: { chain: wrong } }), {
    timeout: 30_000,
    interval: 50,
  });
  endpoint.serve(stack.chain.rpcUrl);
  await untilReady();
});

test("/readyz answers 503 from a start with an endpoint of another chain on, and 200 when it is right", async () => {
  const endpoint = await startSwitch(otherChain.rpcUrl);
  const { ready, untilReady } = await startWholeServer(endpoint.url);
  const { status, checks } = await ready();
  expect([status, checks.chain, checks.manifest!.ok, checks.index!.ok]).toEqual([503, wrong, false, false]);
  endpoint.serve(stack.chain.rpcUrl);
  await untilReady();
});
