import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import WebSocket from "ws";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { type SeverableProxy, startSeverableProxy } from "../support/conformance/startSeverableProxy.ts";
import { openSocket, sendRaw, untilClosed } from "../support/security/rawHttp.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type ServerProcess, startServerProcess } from "../support/security/serverProcess.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const random = () => randomBytes(24).toString("hex");

/** Secrets that the server receives in settings or requests, and that must never appear in an answer or a log. */
const canaries: Record<string, string> = {
  "the RPC endpoint's key": `canary${random()}`,
  "the RPC endpoint's password": `canary${random()}`,
  "the auth secret": `canary${random()}`,
  "the code host's client secret": `canary${random()}`,
  "the social network's client secret": `canary${random()}`,
  "a session cookie": `canary${random()}`,
  "an unknown API key": `slip_${random()}`,
  "a password in a URL": `canary${random()}`,
  "the relayer's private key": getWallet("relayer").privateKey.slice(2),
};
/** Secrets of one account: the account may read them, but logs must not contain them. */
const privateText = `canary${random()}`;

const gas = useGasStack();
let rpc: RpcProxy;
let proxy: SeverableProxy;
let server: ServerProcess;
let site: URL;
let key: string;
/** All answers over the wire. */
let answered = "";

beforeAll(async () => {
  const { config } = gas.server.deps;
  rpc = await startRpcProxy(config.RPC_URL[0]!);
  proxy = await startSeverableProxy(config.DATABASE_URL);
  key = await slipwayKey();
  canaries["an API key"] = key;
  canaries["the database's password"] = new URL(config.DATABASE_URL).password;
  const endpoint = new URL(rpc.url);
  endpoint.username = "operator";
  endpoint.password = canaries["the RPC endpoint's password"]!;
  endpoint.pathname = `/v2/${canaries["the RPC endpoint's key"]}`;
  server = await startServerProcess(gas, {
    LOG_LEVEL: "trace",
    ROLES: "api,indexer,worker",
    RPC_URL: endpoint.href,
    DATABASE_URL: proxy.url,
    SITE_URL: "http://127.0.0.1:1",
    AUTH_SECRET: canaries["the auth secret"]!,
    CODE_HOST_CLIENT_ID: "slipway",
    CODE_HOST_CLIENT_SECRET: canaries["the code host's client secret"]!,
    SOCIAL_CLIENT_ID: "slipway",
    SOCIAL_CLIENT_SECRET: canaries["the social network's client secret"]!,
  });
  site = new URL(server.siteUrl);
});
afterAll(async () => {
  await server?.stop();
  await proxy?.cut();
  await rpc?.close();
});

/** A key in the service's format, of the stack's account. */
async function slipwayKey(): Promise<string> {
  const { deps } = gas.server;
  const { key: shown, ...kept } = createApiKeySecret(deps.ids);
  const accountId = deps.ids.uuid();
  const owner = { accountId, name: "canary", keyId: deps.ids.uuid(), keyName: "canary" };
  await createAccount(deps.db.api, { ...owner, ...kept, scopes: ["read", "write"] });
  return shown;
}

type Asked = { status: number; body: any; text: string };

async function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Asked> {
  const response = await fetch(`${site.origin}${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  answered += `${JSON.stringify([...response.headers])}\n${text}\n`;
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

const api = "/api/v1/launchpad";
const bearer = () => ({ authorization: `Bearer ${key}` });
const json = (more: Record<string, string> = {}) => ({ ...bearer(), "content-type": "application/json", ...more });
const idempotent = () => json({ "idempotency-key": randomBytes(8).toString("hex") });
const draft = (more: object = {}) =>
  JSON.stringify({
    name: "Kite",
    symbol: "KITE",
    description: privateText,
    image_uri: "https://example.com/kite.png",
    chain_id: 46630,
    recipients: [{ provider: "wallet", wallet: getWallet("treasury").address, share_bps: 10_000 }],
    ...more,
  });

async function raw(bytes: string): Promise<string> {
  const text = await sendRaw(Number(site.port), bytes);
  answered += text;
  return text;
}

/** Returns the HTTP status of a handshake; 101 if it succeeds. */
async function handshake(path: string, protocols: string[] = [], headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws://${site.host}${path}`, protocols, { headers });
  socket.on("error", () => undefined);
  const status = await Promise.race([
    once(socket, "open").then(() => 101),
    once(socket, "unexpected-response").then(([, response]) => response.statusCode as number),
  ]);
  socket.terminate();
  return status;
}

/** Returns a secret in every form in which a text could contain it. */
function getForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const digest = createHash("sha256").update(secret).digest();
  const isHex = /^[0-9a-f]+$/.test(secret) && secret.length % 2 === 0;
  const binary = isHex ? [Buffer.from(secret, "hex")] : [];
  const forms = [
    ...[secret, secret.toUpperCase(), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
    ...[bytes, digest, ...binary].flatMap((b) => [b.toString("hex"), b.toString("base64url"), b.toString("base64")]),
    // Its base64 within a longer text depends on its offset; without the ends it is the same.
    ...[0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString("base64")
        .slice(4, -4),
    ),
    // Bytes in the JSON form of a Buffer.
    ...[bytes, digest].map((b) => [...b].join(",")),
  ];
  return [...new Set(forms.map((form) => form.replace(/=+$/, "")))];
}

function expectNoSecret(text: string, where: string, more: Record<string, string> = {}): void {
  for (const [what, secret] of Object.entries({ ...canaries, ...more })) {
    for (const form of getForms(secret)) {
      const at = text.indexOf(form);
      expect(at === -1 ? "" : text.slice(Math.max(0, at - 300), at + form.length + 60), `${what} in ${where}`).toBe("");
    }
  }
}

describe("C4-06 a credential in a URL", () => {
  it.each([
    ["as a parameter", () => `${api}/tokens?api_key=${key}`],
    ["as a parameter called token", () => `${api}/tokens?token=${key}`],
    ["as a search", () => `${api}/tokens?q=${key}`],
    [
      "as a parameter, and encoded",
      () => `${api}/tokens?q=${[...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("")}`,
    ],
    ["in the path", () => `${api}/tokens/${key}`],
    ["in a path of nothing", () => `/${key}/nothing`],
    ["as a fragment of the documentation's path", () => `/docs/${key}`],
    ["as a password", () => `${api}/tokens?password=${canaries["a password in a URL"]}`],
    ["as a parameter of a session", () => `${api}/intents?session_token=${canaries["a session cookie"]}`],
  ])("is refused and not repeated: %s", async (_, path) => {
    const { status, body } = await ask(path());
    expect([status, body.error.code]).toEqual([400, "credentials_in_url"]);
  });

  it("is refused as userinfo, which only a raw request can carry", async () => {
    const answer = await raw(
      `GET http://user:${canaries["a password in a URL"]}@${site.host}${api}/tokens HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("credentials_in_url");
  });

  it("is refused on a WebSocket, and so is a subprotocol, whatever it carries", async () => {
    expect(await handshake(`/ws?token=${key}`)).toBe(400);
    expect(await handshake(`/ws?access_token=${canaries["a session cookie"]}`)).toBe(400);
    expect(await handshake("/ws", [key])).toBe(400);
    expect(await handshake("/ws", ["bearer", canaries["a session cookie"]!], bearer())).toBe(400);
  });
});

describe("C4-06 the secrets of server and callers", () => {
  it("go through good and bad requests", async () => {
    expect((await ask(`${api}/intents`, { headers: bearer() })).status).toBe(200);
    const stored = await ask(`${api}/intents`, { method: "POST", headers: idempotent(), body: draft() });
    expect(stored.status).toBe(201);
    const unknown = canaries["an unknown API key"];
    const cookie = `slipway.session_token=${canaries["a session cookie"]}`;
    const strangers: Record<string, string>[] = [
      { authorization: `Bearer ${unknown}` },
      { authorization: unknown! },
      { cookie },
    ];
    for (const headers of strangers) {
      expect((await ask(`${api}/intents`, { headers })).status).toBe(401);
    }
    const written: [RequestInit["body"], number, Record<string, string>?][] = [
      [draft({ [key]: 1 }), 422],
      [draft({ name: key.repeat(3) }), 422],
      [`{"key":"${key}"`, 400],
      [`"${key}"`, 400],
      [draft(), 400, { "idempotency-key": key.slice(0, 3) }],
      [draft(), 400, { "content-type": `text/${key}` }],
      [key.repeat(3_000), 413],
    ];
    for (const [body, status, headers] of written) {
      const answer = await ask(`${api}/intents`, { method: "POST", headers: { ...idempotent(), ...headers }, body });
      expect(answer.status).toBe(status);
      // An answer may quote the caller's own invalid input.
      answered = answered.replaceAll(answer.text, "");
      expect(answer.text.includes(key) && status !== 422).toBe(false);
    }
    for (const name of [
      "referer",
      "user-agent",
      "origin",
      "x-request-id",
      "x-forwarded-for",
      "if-none-match",
      "accept",
    ]) {
      await ask(`${api}/config`, { headers: { [name]: key, cookie } });
      await ask(`${api}/tokens/0x12`, { headers: { [name]: key, cookie } });
    }
    await raw(`GET /healthz HTTP/1.1\r\nHost: ${key}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
    await raw(`GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX: a\0b\r\n\r\n`);
    await raw(`GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX: ${key.repeat(800)}\r\n\r\n`);
    await raw(`${key} / HTTP/1.1\r\nHost: x\r\n\r\n`);
    const half = await openSocket(Number(site.port));
    half.write(
      `POST ${api}/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 90\r\n\r\n{"a`,
    );
    half.resetAndDestroy();
    await untilClosed(half);
    await ask(`${api}/gas/quote`, {
      method: "POST",
      headers: json(),
      body: JSON.stringify({ wallet: getWallet("treasury").address, token: gas.stack.stablecoin, gas_limit: 21_000 }),
    });
  });

  it("go through failures of the chain's endpoint, which quotes its own URL and key", async () => {
    const quoted = `key ${canaries["the RPC endpoint's key"]} of ${rpc.url}/v2/${canaries["the RPC endpoint's key"]} is over quota`;
    const trade = {
      method: "POST",
      headers: json(),
      body: JSON.stringify({
        token: gas.stack.stablecoin,
        wallet: getWallet("treasury").address,
        side: "buy",
        amount_in: "1000",
        slippage_bps: 100,
      }),
    };
    const positions = `${api}/fees/positions?token=${gas.stack.stablecoin}&wallet=${getWallet("treasury").address}`;
    for (const code of [-32_005, -32_603, -32_000, 3, 429]) {
      rpc.answerWith(() => ({ error: { code, message: quoted, data: { url: quoted } } }));
      await ask(`${api}/trade/quote`, trade);
      await ask(positions, { headers: bearer() });
      await ask(`${api}/gas/quote`, {
        method: "POST",
        headers: json(),
        body: JSON.stringify({ wallet: getWallet("treasury").address, token: gas.stack.stablecoin, gas_limit: 21_000 }),
      });
      expect((await ask("/readyz")).status).toBe(503);
    }
    rpc.setDown(true);
    await ask(`${api}/trade/quote`, trade);
    await ask(positions, { headers: bearer() });
    expect((await ask("/readyz")).status).toBe(503);
    rpc.setDown(false);
    rpc.answerWith(() => undefined);
  });

  it("go through an injected failure of the database, which quotes the row", async () => {
    const { deps } = gas.server;
    await deps.db.indexer.query("alter table app.intents add constraint injected check (false) not valid");
    expect((await ask(`${api}/intents`, { method: "POST", headers: idempotent(), body: draft() })).status).toBe(500);
    await deps.db.indexer.query("alter table app.intents drop constraint injected");
    await deps.db.indexer.query("alter table app.api_keys rename column hash to hash_away");
    await ask(`${api}/intents`, { headers: { authorization: `Bearer ${canaries["an unknown API key"]}1` } });
    await deps.db.indexer.query("alter table app.api_keys rename column hash_away to hash");
  });

  it("are in nothing that an operator's machinery reads", async () => {
    for (const path of [`${api}/config`, "/readyz", "/metrics", "/healthz", `${api}/openapi.json`]) await ask(path);
    expectNoSecret(answered, "an answer");
  });

  it("go through the loss of the database, and the end", async () => {
    await proxy.cut();
    // Cached answers may still be sent for a moment, and credentials are cached briefly, too.
    for (const path of [`${api}/intents`, "/readyz", `${api}/tokens`, `${api}/config`]) {
      expect([200, 503]).toContain((await ask(path, { headers: bearer() })).status);
    }
    await vi.waitFor(async () => expect((await ask(`${api}/tokens`)).status).toBe(503), {
      timeout: 30_000,
      interval: 100,
    });
    expect(server.child.exitCode).toBeNull();
    await server.stop();
  });

  it("are in no answer and in no line of the log, in no form", () => {
    const log = server.output();
    // The log has many lines and contains failures, so the search did not run over an empty text.
    for (const said of ["request refused", "request not served", "request failed", '"level":20', "request completed"]) {
      expect(log).toContain(said);
    }
    expectNoSecret(answered, "an answer");
    expectNoSecret(log, "the log", { "a draft's text": privateText });
  });
});
