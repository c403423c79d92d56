import { once } from "node:events";
import { connect } from "node:net";
import { createAuthenticate } from "@slipway/server/http/authenticate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signIn } from "../support/conformance/browser.ts";
import { openSignInServer, type SignInServer } from "../support/security/openSignInServer.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

let stack: TestStack;
let server: SignInServer;
let browser: Browser;

beforeAll(async () => {
  stack = await startTestStack();
  server = await openSignInServer(stack);
  browser = await signIn(server.siteUrl);
});
afterAll(async () => {
  await server?.close();
  await stack?.close();
});

/** Sends a raw request that no browser would send; returns its status. */
async function sendRaw(lines: string[], body: string): Promise<number> {
  const { hostname, port, host } = new URL(server.siteUrl);
  const socket = connect(Number(port), hostname);
  const head = [...lines, `Host: ${host}`, `Cookie: ${browser.cookie}`, "Connection: close"];
  socket.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  await once(socket, "close");
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}

const rename = (...headers: string[]) =>
  sendRaw(["PATCH /api/account HTTP/1.1", "Content-Type: application/json", ...headers], '{"name":"renamed"}');

describe("C4-05 a request with a session that changes something", () => {
  it("C4-05 is taken from a page of the site", async () => {
    expect(await rename(`Origin: ${server.siteUrl}`)).toBe(200);
    expect(await rename(`origin:${server.siteUrl}`)).toBe(200);
  });

  it("C4-05 is refused when Origin is missing, whatever else names the site", async () => {
    expect(await rename()).toBe(403);
    expect(await rename(`Referer: ${server.siteUrl}/`)).toBe(403);
    expect(await rename("Sec-Fetch-Site: same-origin")).toBe(403);
    expect(await rename(`X-Forwarded-Host: ${new URL(server.siteUrl).host}`)).toBe(403);
    expect(await rename(`Origin2: ${server.siteUrl}`)).toBe(403);
  });

  it.each(["", "null", "NULL", "http://127.0.0.1", "http://127.0.0.1.:PORT", "HTTP://127.0.0.1:PORT"])(
    "C4-05 is refused from %j",
    async (origin) => {
      expect(await rename(`Origin: ${origin.replace("PORT", new URL(server.siteUrl).port)}`)).toBe(403);
    },
  );

  it.each(["http://a.127.0.0.1:PORT", "http://127.0.0.1:1", "https://127.0.0.1:PORT", "http://localhost:PORT"])(
    "C4-05 is refused from %j",
    async (origin) => {
      expect(await rename(`Origin: ${origin.replace("PORT", new URL(server.siteUrl).port)}`)).toBe(403);
    },
  );

  it("C4-05 is refused when its first Origin is another's, and when two are in one line", async () => {
    expect(await rename("Origin: http://evil.example", `Origin: ${server.siteUrl}`)).toBe(403);
    expect(await rename(`Origin: ${server.siteUrl}, ${server.siteUrl}`)).toBe(403);
    expect(await rename(`Origin: ${server.siteUrl} http://evil.example`)).toBe(403);
  });

  it("C4-05 is refused on another host's name as well: what the client says of the host decides nothing", async () => {
    const { port } = new URL(server.siteUrl);
    const evil = `http://evil.example:${port}`;
    const answer = await server.ask("PATCH", "/api/account", { cookie: browser.cookie, origin: evil }, { name: "x" });
    expect(answer.status).toBe(403);
  });

  it("C4-05 cannot be declared a read by a header", async () => {
    const headers = { cookie: browser.cookie, "x-http-method-override": "GET" };
    expect((await server.ask("DELETE", "/api/account/sessions", headers)).status).toBe(403);
    expect((await server.ask("GET", "/api/account", { cookie: browser.cookie })).status).toBe(200);
  });
});

describe("C4-05 a WebSocket handshake with a session", () => {
  it("C4-05 needs the site's Origin although it is a GET; a key needs none, and decides where both come", async () => {
    const authenticate = createAuthenticate(server.deps);
    const { cookie } = browser;
    const ask = async (headers: Record<string, string>) =>
      await authenticate({ headers, mutating: true }).then(
        ({ accountId }) => accountId,
        (error: { code: string }) => error.code,
      );
    const authorization = `Bearer ${stack.account.key}`;
    expect(await ask({ cookie, origin: server.siteUrl })).toBe(browser.accountId);
    expect(await ask({ cookie })).toBe("invalid_origin");
    expect(await ask({ cookie, origin: "http://evil.example" })).toBe("invalid_origin");
    expect(await ask({ authorization })).toBe(stack.account.id);
    expect(await ask({ authorization, cookie, origin: "http://evil.example" })).toBe(stack.account.id);
    expect(await ask({ authorization: "Bearer wrong-key", cookie, origin: server.siteUrl })).toBe("unauthorized");
    expect(await ask({})).toBe("unauthorized");
  });
});
