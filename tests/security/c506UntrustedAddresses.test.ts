import { once } from "node:events";
import { connect } from "node:net";
import { isPublicTarget } from "@slipway/server/providers/untrustedFetch/addressPolicy";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import type { UntrustedFetchError } from "@slipway/server/providers/untrustedFetch/untrustedFetchError";
import { systemClock } from "@slipway/server/systemClock";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type DnsServer, startDnsServer } from "../support/security/dnsServer.ts";
import {
  startTrap,
  startUntrustedServer,
  type UntrustedServer,
  untrustedHost,
} from "../support/security/untrustedServer.ts";

const request = { maxBytes: 10_000, deadlineMs: 10_000, accept: ["application/json"] };

/** 127.0.0.2 acts as the public internet; 127.0.0.1, with a listener on the same port, as the private network. */
const outside = "127.0.0.2";
let server: UntrustedServer;
let trap: Awaited<ReturnType<typeof startTrap>>;
let dns: DnsServer;
/** The DNS answers of each name, by number of lookups. */
const names: Record<string, (times: number) => string[]> = {
  [untrustedHost]: () => [outside],
  "private.documents.example": () => ["127.0.0.1"],
  "mixed.documents.example": () => [outside, "127.0.0.1"],
  "inner6.documents.example": () => [outside, "::1"],
  "mapped6.documents.example": () => [outside, "::ffff:7f00:1"],
  "rebinding.documents.example": (times) => (times === 1 ? [outside] : ["127.0.0.1"]),
};

beforeAll(async () => {
  server = await startUntrustedServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url!, "https://x");
    if (pathname === "/to") {
      const location = searchParams.get("url")!.replace(/[^\0-\x7f]+/g, encodeURIComponent);
      // Closed, so that the next request needs a new connection.
      response.writeHead(302, { location, connection: "close" }).end();
      return;
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(incoming.headers));
  });
  trap = await startTrap(server.port);
  dns = await startDnsServer((name, times) => names[name]?.(times) ?? []);
});
afterAll(async () => {
  await Promise.all([server?.close(), trap?.close(), dns?.close()]);
});

/** The fetcher with the real address policy, except for the address that acts as the internet. */
const untrustedFetch = (resolve = dns.resolve) =>
  createUntrustedFetch({
    clock: systemClock,
    ca: server.ca,
    resolve,
    addressPolicy: (target) => (target.address === outside && target.port === server.port) || isPublicTarget(target),
  });

async function refusal(url: string, resolve?: (name: string) => Promise<string[]>): Promise<string> {
  const before = trap.connections();
  const outcome = await untrustedFetch(resolve)(url, request).then(
    (answer) => `fetched ${answer.finalUrl}`,
    (error: UntrustedFetchError) => error.code,
  );
  expect(trap.connections(), "connections that the private listener saw").toBe(before);
  return outcome;
}

test("C5-06 the trap and the server work: a public name is fetched, and a connection to the trap is counted", async () => {
  const answer = await untrustedFetch()(server.url("/"), request);
  expect(answer.status).toBe(200);
  expect(JSON.parse(Buffer.from(answer.bytes).toString()).host).toBe(`${untrustedHost}:${server.port}`);
  const before = trap.connections();
  const socket = connect(trap.port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  await expect.poll(() => trap.connections()).toBe(before + 1);
});

/** Hosts that mean this machine or a private network, in every notation of a URL. */
const spellings = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "0x7f000001",
  "0x7f.0x0.0x0.0x1",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "0177.0x0.0.1",
  "127.0.0.1.",
  "１２７.0.0.1",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "192.0.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[fe80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[ff02::1]",
  "[100::1]",
  "[2001:db8::1]",
];
const refusedUrls = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "router",
  "metadata.google.internal",
  "printer.local",
  "nas.home.arpa",
  "a.localhost",
];

describe("C5-06 no packet goes to a private address:", () => {
  test.each(spellings)("%s is refused, as a URL, behind a redirect and behind a name", async (host) => {
    expect(await refusal(`https://${host}:${trap.port}/`)).toBe("address_refused");
    expect(await refusal(`https://${host}/`)).toBe("address_refused");
    const redirect = server.url(`/to?url=${encodeURIComponent(`https://${host}:${trap.port}/`)}`);
    expect(await refusal(redirect)).toBe("address_refused");
    const address = new URL(`https://${host}`).hostname.replace(/[[\].]*$|^\[/g, "");
    expect(await refusal(`https://a.example:${trap.port}/`, async () => [address])).toBe("address_refused");
  });

  test.each(refusedUrls)("the inner name %s is refused before anybody resolves it", async (host) => {
    expect(await refusal(`https://${host}:${trap.port}/`)).toBe("url_refused");
    expect(await refusal(server.url(`/to?url=${encodeURIComponent(`https://${host}/`)}`))).toBe("url_refused");
    expect(dns.asked(host.toLowerCase().replace(/\.$/, ""))).toBe(0);
  });

  test.each([
    ["http", (port: number) => `http://127.0.0.1:${port}/`],
    ["file", () => "file:///etc/passwd"],
    ["gopher", (port: number) => `gopher://127.0.0.1:${port}/`],
    ["data", () => "data:application/json,{}"],
    ["no URL", () => "https://"],
    ["too long", () => `https://a.example/${"a".repeat(3_000)}`],
    ["a name with credentials", (port: number) => `https://user:secret@${untrustedHost}:${port}/`],
  ])("%s is refused, as a URL and behind a redirect", async (_name, url) => {
    expect(await refusal(url(trap.port))).toBe("url_refused");
    if (url(1).length < 1_000) {
      expect(await refusal(server.url(`/to?url=${encodeURIComponent(url(trap.port))}`))).toBe("url_refused");
    }
  });

  test("another port of a public address is refused, as a URL and behind a redirect", async () => {
    expect(await refusal(`https://${outside}:${server.port + 1}/`)).toBe("address_refused");
    expect(await refusal(server.url(`/to?url=https://${outside}:22/`))).toBe("address_refused");
    expect(isPublicTarget({ address: "93.184.216.34", port: 22 })).toBe(false);
  });

  test("a name with a private address among its addresses is refused", async () => {
    for (const name of ["private", "mixed", "inner6", "mapped6"]) {
      expect(await refusal(`https://${name}.documents.example:${server.port}/`)).toBe("address_refused");
    }
  });

  test("DNS rebinding: the name is resolved once for a connection, and judged again for the next", async () => {
    const url = `https://rebinding.documents.example:${server.port}/`;
    expect(await refusal(url)).toBe(`fetched ${url}`);
    expect(dns.asked("rebinding.documents.example")).toBe(1);
    expect(await refusal(url)).toBe("address_refused");
    expect(dns.asked("rebinding.documents.example")).toBe(2);
  });

  test("DNS rebinding between a redirect and its target is refused", async () => {
    names["turning.documents.example"] = names["rebinding.documents.example"]!;
    const host = `turning.documents.example:${server.port}`;
    expect(await refusal(`https://${host}/to?url=https://${host}/`)).toBe("address_refused");
    expect(dns.asked("turning.documents.example")).toBe(2);
  });
});

test("C5-06 a public name is held to its certificate", async () => {
  const other = await startUntrustedServer((_incoming, response) => response.end());
  onTestFinished(() => other.close());
  const fetchOther = createUntrustedFetch({
    clock: systemClock,
    resolve: dns.resolve,
    ca: server.ca,
    addressPolicy: ({ address }) => address === outside,
  });
  await expect(fetchOther(other.url("/"), request)).rejects.toMatchObject({ code: "unreachable" });
  const wrongName = `https://else.example:${server.port}/`;
  const fetchWrong = createUntrustedFetch({
    clock: systemClock,
    resolve: async () => [outside],
    ca: server.ca,
    addressPolicy: ({ address }) => address === outside,
  });
  await expect(fetchWrong(wrongName, request)).rejects.toMatchObject({ code: "unreachable" });
});

test("C5-06 no proxy of the environment is used, and no header of the caller goes to another origin", async () => {
  const second = await startUntrustedServer((incoming, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(incoming.headers));
  });
  onTestFinished(() => second.close());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY"]) {
    vi.stubEnv(name, `http://127.0.0.1:${trap.port}`);
  }
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  const before = trap.connections();
  const fetchBoth = createUntrustedFetch({
    clock: systemClock,
    resolve: dns.resolve,
    ca: `${server.ca}${second.ca}`,
    addressPolicy: ({ address }) => address === outside,
  });
  const headers = { "x-key": "value" };
  const read = async (url: string) =>
    JSON.parse(Buffer.from((await fetchBoth(url, { ...request, headers })).bytes).toString());
  expect((await read(server.url("/")))["x-key"]).toBe("value");
  const crossed = await read(server.url(`/to?url=${second.url("/")}`));
  expect(crossed["x-key"]).toBeUndefined();
  expect(crossed.cookie).toBeUndefined();
  expect(trap.connections()).toBe(before);
});

test("C5-06 redirects end: three are followed, a fourth is refused", async () => {
  let target = server.url("/");
  for (let i = 0; i < 3; i++) target = server.url(`/to?url=${encodeURIComponent(target)}`);
  expect(await refusal(target)).toBe(`fetched ${server.url("/")}`);
  expect(await refusal(server.url(`/to?url=${encodeURIComponent(target)}`))).toBe("too_many_redirects");
});
