import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { signIn, signInSettings, siteUrl } from "../../../../../tests/support/server/signIn.ts";

const tokens = JSON.stringify({ access_token: "t", token_type: "bearer", expires_in: 600 });
const json =
  (text: string): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(text);
const page: RequestListener = (_, response) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Back soon</h1>");
const failure: RequestListener = (_, response) => void response.writeHead(500).end("broken");
const hangUp: RequestListener = (request) => void request.socket.destroy();

/** Bytes of an endless profile that were sent before the client closed the connection. */
let sentBytes = 0;
const endless: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const more = () => {
    while (!response.destroyed && sentBytes < 64 * 2 ** 20) {
      sentBytes += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end('{"id":1,"login":"ada"}');
  };
  more();
};

let provider: Server;
let token: RequestListener;
let profile: RequestListener;
let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  provider = createServer((request, response) => (request.url === "/token" ? token : profile)(request, response));
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  database = await startReadDatabase();
  read = await createReadApp(database.db, {
    ...signInSettings,
    CODE_HOST_CLIENT_ID: "slipway-test",
    CODE_HOST_CLIENT_SECRET: "of the test's client alone",
    CODE_HOST_AUTHORIZATION_URL: `${url}/auth`,
    CODE_HOST_TOKEN_URL: `${url}/token`,
    CODE_HOST_USERINFO_URL: `${url}/me`,
  });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
  provider?.closeAllConnections();
  provider?.close();
});

const answerWith =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** Collects the warnings that the server logs during a test. */
function watchWarnings() {
  const warn = vi.spyOn(read.deps.log, "warn");
  onTestFinished(() => warn.mockRestore());
  return warn;
}

/** Starts a link and returns with a code, as a browser does. */
async function finishLink() {
  const { cookie } = await signIn(read.app, privateKeyToAccount(generatePrivateKey()));
  const begun = await read.app.inject({
    method: "POST",
    url: "/api/auth/link-social",
    headers: { cookie, origin: siteUrl },
    payload: { provider: "code_host", callback_url: "/settings" },
  });
  expect(begun.statusCode, begun.body).toBe(200);
  const state = new URL(begun.json().url).searchParams.get("state");
  const cookies = [cookie, ...[begun.headers["set-cookie"] ?? []].flat().map((one) => one.split(";")[0])].join("; ");
  const back = await read.app.inject({
    method: "GET",
    url: `/api/auth/callback/code_host?code=c&state=${state}`,
    headers: { cookie: cookies },
  });
  const listed = await read.get("/connections", { cookie });
  return { back, linked: listed.json.items.filter(({ provider: from }: { provider: string }) => from !== "wallet") };
}

describe("C5-08 a code host that responds wrongly", () => {
  it.each<[string, RequestListener, RequestListener]>([
    ["a page instead of a token", page, failure],
    ["a failure instead of a token", failure, failure],
    ["a token of another type", json('{"access_token":7}'), failure],
    ["a request for a token that never ends", () => undefined, failure],
    ["a request for a profile that never ends", json(tokens), () => undefined],
    ["a closed connection instead of a token", hangUp, failure],
    ["a page instead of a profile", json(tokens), page],
    ["a failure instead of a profile", json(tokens), failure],
    ["a closed connection instead of a profile", json(tokens), hangUp],
    ["no id", json(tokens), json('{"login":"ada"}')],
    ["null", json(tokens), json("null")],
    ["an id of another type", json(tokens), json('{"id":1.5,"login":"ada"}')],
    ["a handle that is too long", json(tokens), json(JSON.stringify({ id: 1, login: "a".repeat(40) }))],
    ["a handle with NUL", json(tokens), json('{"id":1,"login":"a\\u0000b"}')],
  ])("with %s links nothing and sends the browser back with an error", async (_, ofToken, ofProfile) => {
    [token, profile] = [ofToken, ofProfile];
    const { back, linked } = await finishLink();
    expect(back.statusCode, back.body).toBe(302);
    const landed = new URL(String(back.headers.location), siteUrl);
    expect([landed.origin, landed.pathname, landed.searchParams.has("error")]).toEqual([siteUrl, "/settings", true]);
    expect(linked).toEqual([]);
  });

  it.each<[string, RequestListener, RequestListener]>([
    ["token", endless, failure],
    ["profile", json(tokens), endless],
  ])("with an endless %s is read up to 256 KiB", async (_, ofToken, ofProfile) => {
    [token, profile, sentBytes] = [ofToken, ofProfile, 0];
    const { back, linked } = await finishLink();
    expect([back.statusCode, linked]).toEqual([302, []]);
    expect(sentBytes).toBeLessThan(16 * 2 ** 20);
  });

  it.each<[string, RequestListener, RequestListener, object]>([
    ["fails", failure, failure, { status: 500 }],
    ["closes the connection", hangUp, failure, { reason: "UND_ERR_SOCKET" }],
    ["responds with a page", page, failure, { reason: "no JSON" }],
    ["does not know the client", answerWith(401, {}), failure, { status: 401 }],
    [
      "refuses the client, with 400",
      answerWith(400, { error: "invalid_client" }),
      failure,
      { error: "invalid_client" },
    ],
    [
      "refuses the client, with 200",
      answerWith(200, { error: "incorrect_client_credentials" }),
      failure,
      { error: "incorrect_client_credentials" },
    ],
    ["fails to show the profile", json(tokens), failure, { status: 500 }],
  ])("that %s is logged for the operator", async (_, ofToken, ofProfile, fields) => {
    [token, profile] = [ofToken, ofProfile];
    const warn = watchWarnings();
    await finishLink();
    expect(warn.mock.calls).toEqual([
      [expect.objectContaining({ provider: "code_host", ...fields }), "oauth provider failed"],
    ]);
  });

  it.each<[string, RequestListener, RequestListener]>([
    ["a code that was never issued", answerWith(400, { error: "invalid_grant" }), failure],
    ["a code that was never issued, with 200", answerWith(200, { error: "bad_verification_code" }), failure],
    ["a code that is too long for it", answerWith(414, {}), failure],
    ["a user whose handle is too long", json(tokens), json(JSON.stringify({ id: 1, login: "a".repeat(40) }))],
  ])("that refuses %s is not logged for the operator", async (_, ofToken, ofProfile) => {
    [token, profile] = [ofToken, ofProfile];
    const warn = watchWarnings();
    await finishLink();
    expect(warn.mock.calls).toEqual([]);
  });

  it("that responds correctly is linked", async () => {
    [token, profile] = [json(tokens), json('{"id":7,"login":"Ada"}')];
    const { back, linked } = await finishLink();
    expect(back.headers.location).toMatch(/\/settings$/);
    expect(linked).toEqual([{ provider: "code_host", id: "7", handle: "Ada", linked_at: expect.any(String) }]);
  });
});

describe("the e-mail address that a provider reports", () => {
  const seen = async (id: number, more: object) => {
    token = json(tokens);
    profile = answerWith(200, { id, login: `ada${id}`, ...more });
    expect((await finishLink()).linked).toHaveLength(1);
    const { rows } = await database.db.api.query("select address from app.provider_addresses where account_id = $1", [
      String(id),
    ]);
    return rows.map(({ address }) => address);
  };

  it("is stored if the provider has verified it and mail is configured, and is deleted with the link", async () => {
    const verified = { email: "ada@example.com", email_verified: true };
    expect(await seen(901, verified)).toEqual([]);
    const { config } = read.deps;
    Object.assign(config, { SMTP_URL: { host: "127.0.0.1", port: 25, implicitTls: false, credentials: null } });
    onTestFinished(() => void Object.assign(config, { SMTP_URL: undefined }));
    expect(await seen(902, verified)).toEqual(["ada@example.com"]);
    await database.db.api.query("delete from app.identities where account_id = '902'");
    expect((await database.db.api.query("select from app.provider_addresses")).rows).toEqual([]);
  });

  it.each<[string, object]>([
    ["not verified", { email: "ada@example.com", email_verified: false }],
    ["verified with a text instead of a boolean", { email: "ada@example.com", email_verified: "true" }],
    ["without a statement about verification", { email: "ada@example.com" }],
    ["no address", { email: "ada@example.com\r\nBcc: eve@example.com", email_verified: true }],
  ])("C9-42 is not stored: %s", async (_what, more) => {
    Object.assign(read.deps.config, {
      SMTP_URL: { host: "127.0.0.1", port: 25, implicitTls: false, credentials: null },
    });
    onTestFinished(() => void Object.assign(read.deps.config, { SMTP_URL: undefined }));
    expect(await seen(Math.floor(1_000 + Math.random() * 1e9), more)).toEqual([]);
  });
});
