import { errorBody } from "@slipway/protocol/errorBody";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { readAnswers, sendRaw } from "../support/security/rawHttp.ts";

let servers: ApiServers;
let server: ApiServer;
/** All answers over the wire. */
let answered = "";

beforeAll(async () => {
  servers = await openApiServers();
  server = await servers.open({
    LOG_LEVEL: "trace",
    READ_LIMIT_BURST: "1000000",
    READ_LIMIT_PER_SECOND: "1000000",
    STREAMS_PER_ADDRESS: "1000",
  });
});
afterAll(() => servers?.close());

const api = "/api/v1/launchpad";
/** The placeholder of the secret in each URL; no other sent data contains it. */
const canary = "Kq7vXw2mZp9tRb4n";
const hex = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
const address = `0x${"11".repeat(20)}`;

const upgrade =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

async function ask(method: string, target: string, headers = "Connection: close\r\n"): Promise<[number, string]> {
  const text = await sendRaw(server.port, `${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  answered += text;
  const [answer] = readAnswers(text);
  return [answer!.status, answer!.status < 400 ? "" : errorBody.parse(JSON.parse(answer!.body)).error.code];
}

const names = [
  ...["api_key", "apiKey", "API-KEY", "x-api-key", "X-Api-Key", "api_key[]", "api[key]", "api.key", "apikey2"],
  ...["auth_token", "authToken", "oauth_token", "access_token", "refresh_token", "id_token", "session_token"],
  ...["client_secret", "clientSecret", "private_key", "privateKey", "access_key", "AWSAccessKeyId", "secret[]"],
  ...["pwd", "passwd", "password", "user[password]", "passphrase", "mnemonic", "authorization", "bearer", "jwt", "sid"],
];

/** Targets with the name in each notation that a parser may decode, and beside text at which a parser may fail. */
const writeTargets = (name: string) => [
  `${api}/tokens?${name}=${canary}`,
  `${api}/tokens?limit=5&${name.toUpperCase()}=${canary}`,
  `${api}/tokens?${hex(name)}=${canary}`,
  `${api}/tokens?${encodeURIComponent(hex(name))}=${canary}`,
  `${api}/tokens?${hex(`${name}=${canary}`)}`,
  `${api}/tokens?%E0%A4%A=1&%zz&${name}=${canary}&q=%`,
  `${api}/tokens?${name}=%E0%A4%A${canary}`,
  `${api}/tokens?limit=5;${name}=${canary}`,
  `${api}/tokens;${name}=${canary}`,
  `/nothing?${name}=${canary}`,
  `/%zz?${name}=${canary}`,
  `http://host/healthz?${name}=${canary}`,
];

describe("C4-33 a credential in a URL", () => {
  it("is refused by its name in any notation, on every path, method and handshake", async () => {
    for (const name of names) {
      for (const target of writeTargets(name)) {
        expect([target, await ask("GET", target)]).toEqual([target, [400, "credentials_in_url"]]);
      }
      for (const method of ["POST", "OPTIONS", "PROPFIND"]) {
        expect(await ask(method, `/healthz?${name}=${canary}`)).toEqual([400, "credentials_in_url"]);
      }
      for (const path of ["/ws", "/ws/nothing"]) {
        for (const query of [`${name}=${canary}`, `%zz&${hex(name)}=${canary}`]) {
          const target = `${path}?${query}`;
          expect([target, await ask("GET", target, upgrade)]).toEqual([target, [400, "credentials_in_url"]]);
        }
      }
    }
  });

  it("is refused as a key of this service in any name, value and path, however often it is encoded", async () => {
    const key = `slip_${canary}`;
    for (const written of [key, hex(key), encodeURIComponent(hex(key)), key.toUpperCase(), `%ff${hex(key)}`]) {
      for (const target of [`/${written}`, `/%zz/${written}`, `/healthz?${written}`, `/healthz?${written}=1`]) {
        expect([target, await ask("GET", target)]).toEqual([target, [400, "credentials_in_url"]]);
      }
      expect(await ask("GET", `/healthz?q=a&x=${written}`)).toEqual([400, "credentials_in_url"]);
      expect(await ask("GET", `${api}/stream?token=${written}`)).toEqual([400, "credentials_in_url"]);
      expect(await ask("GET", `/ws?x=${written}`, upgrade)).toEqual([400, "credentials_in_url"]);
    }
    expect(await ask("GET", `http://user:${canary}@x/healthz`)).toEqual([400, "credentials_in_url"]);
    expect(await ask("GET", `http://${canary}@x/ws`, upgrade)).toEqual([400, "credentials_in_url"]);
  });

  it("is not a token's address, nor what is only mistyped as one, where the endpoint has a parameter for it", async () => {
    const positions = (token: string) => `${api}/fees/positions?token=${token}&wallet=${address}`;
    const credential = `Connection: close\r\nAuthorization: Bearer ${servers.apiKey}\r\n`;
    // Without an index and a chain, accepted requests are 503.
    expect(await ask("GET", `${api}/stream?token=${address}`)).toEqual([503, "index_unavailable"]);
    for (const token of [address.slice(0, -1), `${address}1`, "0x", "USDC", "not-an-address", "deadbeef"]) {
      expect([token, await ask("GET", `${api}/stream?token=${token}`)]).toEqual([token, [400, "invalid_query"]]);
      expect([token, await ask("GET", positions(token), credential)]).toEqual([token, [400, "invalid_query"]]);
    }
    for (const token of [canary, `0x${"a".repeat(64)}`, "a".repeat(40), "correct+horse+battery"]) {
      expect([token, await ask("GET", `${api}/stream?token=${token}`)]).toEqual([token, [400, "credentials_in_url"]]);
      expect([token, await ask("GET", positions(token), credential)]).toEqual([token, [400, "credentials_in_url"]]);
    }
    expect(await ask("GET", `${api}/stream?token=USDC&secret=${canary}`)).toEqual([400, "credentials_in_url"]);
  });

  it("is any other token, where no endpoint has a parameter for it", async () => {
    expect(await ask("GET", "/healthz?token=USDC")).toEqual([400, "credentials_in_url"]);
    expect(await ask("GET", "/nothing?token=USDC")).toEqual([400, "credentials_in_url"]);
    expect(await ask("GET", "/ws?token=USDC", upgrade)).toEqual([400, "credentials_in_url"]);
    expect(await ask("GET", `/healthz?token=${address}`)).toEqual([200, ""]);
  });

  it("is in no answer, no metric and no line of the log", async () => {
    await ask("GET", "/metrics");
    for (const text of [answered, server.output()]) {
      // The log has many lines, so the search did not run over an empty text.
      expect(text).toMatch(/request refused|"credentials_in_url"/);
      for (const form of [canary, canary.toUpperCase(), hex(canary)]) expect(text).not.toContain(form);
    }
    expect(answered).toContain("slipway_http_request_duration_seconds");
  });
});
