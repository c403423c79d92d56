import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

/** Windows of 40 and 100 seconds: at most one may end during a test. */
const limits = {
  READ_LIMIT_PER_SECOND: "1",
  READ_LIMIT_BURST: "100",
  WRITE_LIMIT_PER_SECOND: "1",
  WRITE_LIMIT_BURST: "40",
};

/** A read that is counted, then rejected for its form: it needs neither chain nor index. */
const read = "/tokens/0x12";

type Answer = { status: number; headers: Headers; body: any };

async function ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const response = await fetch(url, { method, headers });
  const bytes = await response.arrayBuffer();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined,
  };
}

/** Sends requests until the limit is reached: a window may end at any time. */
async function untilRefused(one: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await one();
    if (answer.status === 429) return answer;
  }
  throw new Error("nothing was refused");
}

/** Returns how many of this many concurrent requests were not rejected. */
async function allowed(count: number, one: (n: number) => Promise<Answer>, mayBeUnavailable = false): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => one(n)));
  expect(answers.filter(({ status }) => status === 503 && !mayBeUnavailable)).toEqual([]);
  return answers.filter(({ status }) => status !== 429).length;
}

/** The requests allowed beyond the quota because a window began meanwhile. */
const grown = (since: number, perSecond: number) => Math.ceil(((performance.now() - since) / 1000) * perSecond * 1.1);

let servers: ApiServers;
let server: ApiServer;

beforeAll(async () => {
  servers = await openApiServers();
  server = await servers.open({ ...limits, TRUST_PROXY: "true" });
});
afterAll(() => servers?.close());

/** A client whose address the proxy in front reports: each test has a separate address. */
const through = (address: string, forged = "") => ({ "x-forwarded-for": `${forged}${address}` });

describe("C4-10 the limit of an address", () => {
  it("allows the burst and refuses the rest with 429, Retry-After and what the policy is", async () => {
    const since = performance.now();
    const count = await allowed(150, () => ask(server.base + read, through("192.0.2.1")));
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(100 + grown(since, 1));

    const { headers, body } = await untilRefused(() => ask(server.base + read, through("192.0.2.1")));
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(headers.get("ratelimit-policy")).toBe('"read";q=100;w=100');
    expect(headers.get("ratelimit")).toMatch(/^"read";r=0;t=(100|[1-9]\d?)$/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.error).toMatchObject({ code: "rate_limited", retryable: true, details: { policy: "read" } });
    // Other clients are not affected.
    expect((await ask(server.base + read, through("192.0.2.2"))).status).toBe(400);
  });

  it("does not change with a forged X-Forwarded-For", async () => {
    const since = performance.now();
    const count = await allowed(150, (n) => ask(server.base + read, through("192.0.2.3", `198.51.100.${n}, `)));
    expect(count).toBeLessThanOrEqual(100 + grown(since, 1));
  });

  it("counts the addresses of an IPv6 /64 as one, and those of another /64 by themselves", async () => {
    const since = performance.now();
    const inOne = (n: number) => ask(server.base + read, through(`2001:db8:1:2:${n.toString(16)}::1`));
    expect(await allowed(150, inOne)).toBeLessThanOrEqual(100 + grown(since, 1));
    expect((await ask(server.base + read, through("2001:db8:1:3::1"))).status).toBe(400);
  });

  it("counts IPv4 within IPv6 as IPv4", async () => {
    const since = performance.now();
    const either = (n: number) => ask(server.base + read, through(n % 2 ? "192.0.2.4" : "::ffff:192.0.2.4"));
    expect(await allowed(150, either)).toBeLessThanOrEqual(100 + grown(since, 1));
  });

  it("counts the paths of nothing and of the documentation too", async () => {
    const since = performance.now();
    const paths = [`${server.base}/nothing`, `${server.site}/nothing`, `${server.base}/openapi.json`];
    const count = await allowed(150, (n) => ask(paths[n % 3]!, through("192.0.2.5")));
    expect(count).toBeLessThanOrEqual(100 + grown(since, 1));
  });

  it("does not hold for what an operator's machinery asks", async () => {
    expect(await allowed(150, () => ask(`${server.site}/healthz`, through("192.0.2.6")))).toBe(150);
  });

  it("counts failed credentials, before they are looked up, and then also refuses good ones", async () => {
    const since = performance.now();
    const guess = () =>
      ask(`${server.base}/intents`, { ...through("192.0.2.7"), authorization: `Bearer slip_${"x".repeat(43)}` });
    await guess();
    const count = await allowed(80, guess);
    expect(count).toBeLessThanOrEqual(40 * 2 + grown(since, 1));
    const bearer = { authorization: `Bearer ${servers.apiKey}` };
    const good = await untilRefused(async () => {
      await untilRefused(guess);
      return await ask(`${server.base}/intents`, { ...through("192.0.2.7"), ...bearer });
    });
    expect(good.body.error.details.policy).toBe("auth");
    expect((await ask(`${server.base}/intents`, { ...through("192.0.2.8"), ...bearer })).status).toBe(200);
  });
});

describe("C4-10 without a trusted proxy", () => {
  it("X-Forwarded-For changes nothing", async () => {
    const direct = await servers.open({ ...limits, READ_LIMIT_BURST: "50" });
    const since = performance.now();
    const count = await allowed(80, (n) => ask(direct.base + read, through(`198.51.100.${n}`)));
    expect(count).toBeLessThanOrEqual(50 + grown(since, 1));
  });
});

describe("the limit of a key", () => {
  /** Requests rejected by a busy database are not counted and are repeated. */
  const write = async (key: string, address: string): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(
        `${server.base}/intents`,
        { ...through(address), authorization: `Bearer ${key}` },
        "POST",
      );
      if (answer.status !== 503 || attempt === 50) return answer;
    }
  };

  it("holds whatever address it comes from, says what is left, and leaves other keys alone", async () => {
    const one = await servers.newKey();
    const other = await servers.newKey();
    const since = performance.now();
    const first = await write(one.apiKey, "192.0.2.20");
    expect(first.headers.get("ratelimit-policy")).toBe('"write";q=40;w=40');
    expect(first.headers.get("ratelimit")).toMatch(/^"write";r=39;t=[1-4]?\d$/);
    const count = await allowed(60, (n) => write(one.apiKey, `192.0.2.${30 + n}`));
    expect(count).toBeGreaterThanOrEqual(39);
    expect(count).toBeLessThanOrEqual(39 + grown(since, 1));
    expect((await write(other.apiKey, "192.0.2.20")).status).not.toBe(429);
  });

  it("is not multiplied without end by more keys of an account", async () => {
    const { accountId, apiKey } = await servers.newKey();
    const keys = [apiKey];
    for (let n = 1; n < 8; n++) {
      const { accountId: spare, apiKey: more } = await servers.newKey();
      await servers.pool.query("update app.api_keys set account_id = $1 where account_id = $2", [accountId, spare]);
      keys.push(more);
    }
    const since = performance.now();
    let count = 0;
    // One of each at a time, because keys are looked up and must not all wait for the database at once.
    for (let round = 0; round < 40; round++) count += await allowed(keys.length, (n) => write(keys[n]!, "192.0.2.21"));
    expect(count).toBeGreaterThanOrEqual(200);
    expect(count).toBeLessThanOrEqual(200 + grown(since, 5));
  });
});

describe("streams", () => {
  it("count as reads when they are opened", async () => {
    const open = () => ask(`${server.base}/stream`, through("192.0.2.40"));
    const since = performance.now();
    // There is no index here: requests within the limit return 503.
    const count = await allowed(130, open, true);
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(100 + grown(since, 1));
    expect((await untilRefused(open)).body.error.details.policy).toBe("read");
  });
});
