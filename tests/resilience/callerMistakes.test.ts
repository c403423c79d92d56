import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { startPlan } from "@slipway/server/accounts/plans";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type WebSocket from "ws";
import { newWallet, signIn, signMessage, withCookie } from "../support/conformance/browser.ts";
import { launchToken, randomSalt, sendRaw as sendTransaction, wallets } from "../support/security/actors.ts";
import { bearer, openLive, refusedLive } from "../support/security/liveClient.ts";
import { openSocket, sendRaw, untilClosed } from "../support/security/rawHttp.ts";
import { type ServerProcess, startServerProcess } from "../support/security/serverProcess.ts";
import { type MainProcess, startMain } from "../support/security/startMain.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack({}, { heartbeatMs: 1_000 });
const api = "/api/v1/launchpad";
let server: ServerProcess;
/** A provider that rejects every code, as for a fabricated one. */
let provider: Server;
let port: number;
let key: string;
let launched: Awaited<ReturnType<typeof launchToken>>;

beforeAll(async () => {
  const { deps } = gas.server;
  const { key: shown, ...kept } = createApiKeySecret(deps.ids);
  const account = { accountId: deps.ids.uuid(), name: "caller", keyId: deps.ids.uuid(), keyName: "test" };
  await createAccount(deps.db.api, { ...account, ...kept, scopes: [] });
  await startPlan(deps.db.api, account.accountId, "subscriber");
  key = shown;
  launched = await launchToken(gas.stack, wallets[0]!);

  provider = createServer((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}');
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  server = await startServerProcess(gas, (siteUrl) => ({
    LOG_LEVEL: "trace",
    SITE_URL: siteUrl,
    AUTH_SECRET: "a secret of this test alone, 40 characters",
    CODE_HOST_CLIENT_ID: "slipway",
    CODE_HOST_CLIENT_SECRET: "slipway",
    CODE_HOST_AUTHORIZATION_URL: `${providerUrl}/authorize`,
    CODE_HOST_TOKEN_URL: `${providerUrl}/token`,
    CODE_HOST_USERINFO_URL: `${providerUrl}/user`,
    HEADERS_TIMEOUT_MS: "1000",
    REQUEST_TIMEOUT_MS: "2000",
    WS_HEARTBEAT_MS: "200",
  }));
  port = Number(new URL(server.siteUrl).port);
});
afterAll(async () => {
  provider?.close();
});

/** Bounds a hang: a busy machine needs seconds at most. */
const hangTimeout = { timeout: 60_000, interval: 100 };

/** Returns the lines of a log at level warn or above, and lines that are not log lines. */
const alarms = (output: string): string[] =>
  output
    .split("\n")
    .slice(0, -1)
    .filter((line) => !/^\{"level":[1-3]0,.*\}$/.test(line));

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
  const response = await fetch(`${server.siteUrl}${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : null };
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(path, { method: "POST", headers: { ...bearer(key), "content-type": "application/json", ...headers }, body });

/** A caller that sends a request and disconnects; `cut` ends its connection. */
async function leave(bytes: string, cut: (socket: Socket) => void): Promise<void> {
  const socket = await openSocket(port);
  const closed = untilClosed(socket);
  socket.write(bytes);
  // When the server asks for the body, it has read the head; another answer takes as long as the wait for the body.
  if (/^Expect/m.test(bytes)) await new Promise((resolve) => socket.once("data", resolve));
  await ask("/healthz");
  cut(socket);
  await closed;
}

const ways: [name: string, cut: (socket: Socket) => void][] = [
  ["a reset", (socket) => socket.resetAndDestroy()],
  ["an end", (socket) => socket.destroy()],
];

const upload = () =>
  `POST ${api}/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  "Idempotency-Key: an-aborted-upload\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n";

describe("C4-41 mistakes of callers", () => {
  // The complete output of the process until its end: a pipe can lag behind an answer.
  afterAll(async () => {
    await server.stop();
    expect(server.output()).toContain("request refused");
    expect(alarms(server.output())).toEqual([]);
  });

  it("C4-41 of requests write no line for an operator", async () => {
    const draft = JSON.stringify({ name: "A", symbol: "A", image_uri: "ipfs://bafy", chain_id: 46630 });
    const idempotent = { "idempotency-key": "one-and-the-same" };
    const [creator] = wallets;
    const order = { token: launched.token, wallet: creator!.address, side: "sell", amount_in: "1", slippage_bps: 100 };
    const answers = [
      await post(`${api}/intents`, "{", idempotent),
      await post(`${api}/intents`, draft),
      await post(`${api}/intents`, draft, { ...idempotent, "content-type": "text/plain" }),
      await post(`${api}/intents`, draft, { ...idempotent, authorization: "Bearer slip_unknown_key" }),
      await post(`${api}/intents`, `{"name":"${"x".repeat(70_000)}"}`, idempotent),
      await post(`${api}/intents`, draft.replace("46630", '"no chain"'), idempotent),
      await post(`${api}/trade/quote`, JSON.stringify({ ...order, token: creator!.address })),
      await post(`${api}/trade/transactions`, JSON.stringify({ ...order, amount_in: `${10n ** 40n}` })),
      await post(`${api}/fees/claim-transactions`, JSON.stringify({ ...order, stage: "release" })),
      await post(`${api}/splits/transactions`, JSON.stringify({ intent_id: randomId, wallet: creator!.address })),
      await post(`${api}/gas/quote`, JSON.stringify({ wallet: creator!.address, token: "NONE", gas_limit: 21_000 })),
      await post(`${api}/gas/topup`, JSON.stringify({ quote_id: "x", wallet: creator!.address, signature: "0x" })),
      await launchIntoTakenPool(),
      await ask(`${api}/tokens/0x12`),
      await ask(`${api}/tokens/0x${"12".repeat(20)}`),
      await ask(`${api}/tokens?limit=none`),
      await ask(`${api}/tokens?api_key=${key}`),
      await ask(`${api}/nothing`),
      await ask("/%ff%00"),
      await ask(`${api}/config`, { method: "DELETE" }),
      await ask(`${api}/stream`, { headers: { "last-event-id": "999999999" } }),
      await ask(`${api}/stream?interval=none`),
      await ask("/api/account"),
      await ask("/api/admin/accounts", { headers: bearer(key) }),
      await ask("/api/account/keys", { method: "POST", headers: { cookie: "slipway.session_token=forged.x" } }),
    ];
    for (const { status } of answers) expect([400, 401, 403, 404, 405, 413, 422]).toContain(status);
    expect(alarms(server.output())).toEqual([]);
  });

  it("C4-41 of sign-in and linking write no line for an operator", async () => {
    const signed = await signMessage(server.siteUrl, newWallet());
    const other = await signMessage(server.siteUrl, newWallet());
    const verify = (body: object, cookie = signed.cookie) =>
      post("/api/auth/siwe/verify", JSON.stringify(body), { authorization: "", cookie });
    expect((await verify({ ...signed.body, signature: other.body.signature })).status).toBe(401);
    expect((await verify(signed.body)).status).toBe(401);
    expect((await verify({ ...other.body, message: "sign me in" }, other.cookie)).status).toBe(401);
    expect((await verify(other.body, "")).status).toBe(401);

    const browser = await signIn(server.siteUrl);
    const begin = { method: "POST", headers: { ...browser.headers, "content-type": "application/json" } };
    const started = await fetch(`${server.siteUrl}/api/auth/link-social`, {
      ...begin,
      body: JSON.stringify({ provider: "code_host", callback_url: "/settings" }),
    });
    const { url } = (await started.json()) as { url: string };
    const cookie = started.headers.getSetCookie().map((one) => one.split(";")[0]!);
    const headers = withCookie(browser.headers, cookie.join("; "));
    const state = new URL(url).searchParams.get("state");
    for (const query of ["", "?code=x", "?code=x&state=x", "?error=access_denied", `?error=x&state=${state}`]) {
      expect((await ask(`/api/auth/callback/code_host${query}`, { headers })).status).toBeLessThan(500);
    }
    const again = await fetch(`${server.siteUrl}/api/auth/link-social`, {
      ...begin,
      body: JSON.stringify({ provider: "code_host" }),
    });
    const second = new URL(((await again.json()) as { url: string }).url).searchParams.get("state");
    const own = again.headers.getSetCookie().map((one) => one.split(";")[0]!);
    const made = { headers: withCookie(browser.headers, own.join("; ")) };
    expect((await ask(`/api/auth/callback/code_host?code=made-up&state=${second}`, made)).status).toBe(302);
    expect(alarms(server.output())).toEqual([]);
  });

  it("C4-41 that are no HTTP write no line for an operator", async () => {
    for (const bytes of [
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
      `POST ${api}/intents HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      "GET /healthz HTTP/1.1\r\nHost: x\r\n",
      upload().replace("Expect: 100-continue\r\n", ""),
    ]) {
      expect(await sendRaw(port, bytes)).toMatch(/^HTTP\/1\.1 4/);
    }
    expect(alarms(server.output())).toEqual([]);
  });

  it.each(ways)("C4-41 who leave with %s write no line for an operator", async (_, cut) => {
    const aborted = () => countRefused('via="request",code="invalid_request"');
    const before = await aborted();
    // A caller may disconnect before the server waits for its body, which is no error then.
    await vi.waitFor(async () => {
      await leave(upload(), cut);
      await leave(upload().replace("Content-Length: 5000", "Transfer-Encoding: chunked"), cut);
      expect(await aborted()).toBeGreaterThan(before + 3);
    }, hangTimeout);
    for (let n = 0; n < 5; n++) {
      await leave(`GET ${api}/stream HTTP/1.1\r\nHost: x\r\n\r\n`, cut);
      await leave(`GET ${api}/tokens?q=${n} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20), cut);
      await leave(`GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, cut);
    }
    expect(alarms(server.output())).toEqual([]);
  });

  it("C4-41 of WebSocket clients write no line for an operator", async () => {
    const headers = bearer(key);
    expect((await refusedLive(server.siteUrl, {})).status).toBe(401);
    expect((await refusedLive(server.siteUrl, { headers: bearer("slip_unknown_key") })).status).toBe(401);
    expect((await refusedLive(server.siteUrl, { headers, path: "/nothing" })).status).toBe(404);
    expect((await refusedLive(server.siteUrl, { headers, path: `/ws?token=${key}` })).status).toBe(400);

    const hostile: ((ws: WebSocket) => void)[] = [
      sendMany("{", 5),
      sendMany('{"type":"none"}', 5),
      sendMany('{"type":"ping"}', 1_000),
      (ws) => ws.send(Buffer.from("binary")),
      (ws) => ws.send("x".repeat(1_000_000)),
      (ws) => rawSocket(ws).write(Buffer.from([0x81, 0x01, 0x41])),
      (ws) => rawSocket(ws).write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])),
      (ws) => rawSocket(ws).resetAndDestroy(),
      (ws) => rawSocket(ws).destroy(),
      (ws) => {
        ws.send(JSON.stringify({ type: "subscribe_live", channels: ["trades"], cursor: "1" }));
        rawSocket(ws).destroy();
      },
    ];
    for (const spoil of hostile) {
      const client = await openLive(server.siteUrl, headers);
      spoil(client.ws);
      await client.untilClosed();
    }
    const client = await openLive(server.siteUrl, headers);
    client.send({ type: "subscribe_live", channels: ["trades"], cursor: "999999999999999" });
    await client.until((messages) => messages.some(({ type }) => type === "error"));
    client.ws.terminate();
    expect(alarms(server.output())).toEqual([]);
  });

  it("C4-41 are counted by code and by where they were made", async () => {
    for (const counted of [
      'via="request",code="invalid_json"',
      'via="request",code="pool_taken"',
      'via="request",code="unauthorized"',
      'via="request",code="not_found"',
      'via="connection",code="invalid_request"',
      'via="connection",code="request_timeout"',
      'via="handshake",code="unauthorized"',
      'via="message",code="invalid_json"',
    ]) {
      expect(await countRefused(counted), counted).toBeGreaterThan(0);
    }
  });

  it("C4-41 that use what the operator left out write no line for an operator after the start", async () => {
    const { config } = gas.server.deps;
    const bare: MainProcess = await startMain(() => ({
      LOG_LEVEL: "trace",
      ROLES: "api",
      RPC_URL: config.RPC_URL.join(","),
      DATABASE_URL: config.DATABASE_URL,
    }));
    try {
      const atStart = alarms(bare.output()).length;
      const headers = { ...bearer(key), "content-type": "application/json" };
      const body = JSON.stringify({ wallet: wallets[0]!.address, token: "USDG", gas_limit: 21_000 });
      const statuses = [
        await fetch(`${bare.siteUrl}${api}/gas/quote`, { method: "POST", headers, body }),
        await fetch(`${bare.siteUrl}${api}/config`),
        await fetch(`${bare.siteUrl}/api/auth/siwe/nonce`, { method: "POST" }),
        await fetch(`${bare.siteUrl}/api/auth/callback/code_host?code=1`),
      ].map(({ status }) => status);
      expect(statuses).toEqual([503, 503, 503, 503]);
      expect(alarms(bare.output()).slice(atStart)).toEqual([]);
    } finally {
      await bare.stop();
    }
  });
});

/** Opens the pool of a prepared launch from another account, at another price. */
async function launchIntoTakenPool(): Promise<{ status: number; body: any }> {
  const [creator, attacker] = wallets;
  const { intentId, splitter } = launched;
  const body = { intent_id: intentId, wallet: creator!.address, splitter, salt: randomSalt() };
  const prepared = await gas.stack.call("POST", "/launch/transactions", body);
  const { uniswap, wrapped_native } = gas.stack.manifest;
  const pair = [prepared.body.expected.token, wrapped_native.address as Hex, 10_000] as const;
  const create = encodeFunctionData({ abi: uniswapAbi, functionName: "createPool", args: pair });
  const { logs } = await sendTransaction(gas.stack, attacker!, { to: uniswap.factory.address as Hex, data: create });
  const data = encodeFunctionData({ abi: uniswapAbi, functionName: "initialize", args: [2n ** 96n] });
  await sendTransaction(gas.stack, attacker!, { to: `0x${logs[0]!.data.slice(-40)}`, data });
  return await server.call("POST", "/launch/transactions", body);
}

const uniswapAbi = parseAbi([
  "function createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)",
  "function initialize(uint160 sqrtPriceX96)",
]);

const randomId = "00000000-0000-4000-8000-000000000000";

const sendMany = (text: string, count: number) => (ws: WebSocket) => {
  for (let n = 0; n < count; n++) ws.send(text);
};

const rawSocket = (ws: WebSocket) => (ws as unknown as { _socket: Socket })._socket;

/** Returns the server's counter value for these labels. */
async function countRefused(labels: string): Promise<number> {
  const text = await (await fetch(`${server.siteUrl}/metrics`)).text();
  return Number(new RegExp(`slipway_refused_total\\{${labels}\\} (\\d+)`).exec(text)?.[1] ?? 0);
}
