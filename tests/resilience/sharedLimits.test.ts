import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SeverableProxy, startSeverableProxy } from "../support/conformance/startSeverableProxy.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

/** Windows of 200 seconds: none ends during a test. */
const quota = 200;
const perSecond = 1;
/** The number of requests that a process reserves from the shared window at a time: docs/limits.md. */
const batch = quota / 20;

type Call = { method: "GET" | "POST"; path: (process: ApiServer) => string; allowedStatus: number };
/** Counted, then rejected for its form: it needs neither chain nor index. */
const read: Call = { method: "GET", path: ({ base }) => `${base}/tokens/0x12`, allowedStatus: 400 };
/** Counted by address, then rejected because sign-in is not configured: it needs no database. */
const write: Call = { method: "POST", path: ({ site }) => `${site}/api/auth/siwe/nonce`, allowedStatus: 503 };

/** Sends this many requests at once, over real sockets; returns the number of allowed ones. */
async function countAdmitted(call: Call, process: ApiServer, address: string, count: number): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const { method, path } = call;
      const response = await fetch(path(process), { method, headers: { "x-forwarded-for": address } });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status !== call.allowedStatus && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === call.allowedStatus).length;
}

describe("two API processes on one database", () => {
  let servers: ApiServers;
  let proxy: SeverableProxy;
  let one: ApiServer;
  let other: ApiServer;

  beforeAll(async () => {
    servers = await openApiServers();
    proxy = await startSeverableProxy(servers.databaseUrl);
    const settings = {
      DATABASE_URL: proxy.url,
      READ_LIMIT_PER_SECOND: String(perSecond),
      READ_LIMIT_BURST: String(quota),
      WRITE_LIMIT_PER_SECOND: String(perSecond),
      WRITE_LIMIT_BURST: String(quota),
      TRUST_PROXY: "loopback",
    };
    [one, other] = await Promise.all([servers.open(settings), servers.open(settings)]);
  });
  afterAll(async () => {
    await servers?.close();
    await proxy?.cut();
  });

  it("allow one quota of writes together, exactly", async () => {
    const counts = await Promise.all([
      countAdmitted(write, one, "192.0.2.1", 250),
      countAdmitted(write, other, "192.0.2.1", 250),
    ]);
    expect(counts[0]! + counts[1]!).toBe(quota);
  });

  it("allow one quota of writes together also when one is asked after the other", async () => {
    expect(await countAdmitted(write, one, "192.0.2.2", 300)).toBe(quota);
    expect(await countAdmitted(write, other, "192.0.2.2", 300)).toBe(0);
  });

  it("refuse at most a batch less one for each other process before the quota is used up", async () => {
    expect(await countAdmitted(write, one, "192.0.2.3", 1)).toBe(1);
    expect(await countAdmitted(write, other, "192.0.2.3", 300)).toBe(quota - batch);
    expect(await countAdmitted(write, one, "192.0.2.3", 300)).toBe(batch - 1);
  });

  it("allow a quota of reads each", async () => {
    for (const process of [one, other]) expect(await countAdmitted(read, process, "192.0.2.4", 300)).toBe(quota);
  });

  it("go on without the database, each with the quota for itself", async () => {
    await proxy.cut();
    for (const process of [one, other]) {
      expect(await countAdmitted(write, process, "192.0.2.5", 300)).toBe(quota);
      expect(await countAdmitted(read, process, "192.0.2.5", 300)).toBe(quota);
    }
  });
});
