import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { createApiKeySecret } from "../../accounts/apiKeys.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { startPlan } from "../../accounts/plans.ts";
import type { Deps } from "../../deps.ts";
import type { Limits } from "../limits/limits.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const world = useReadApp();
const patiently = { timeout: 60_000, interval: 5 };

/** Where a handshake waits on its way in, first to last: all three are asked once for each handshake. */
const waits = {
  "its limit is charged": (_: Deps, limits: Limits) => holdNext(limits, "consumeHandshake"),
  "the index is looked at": (deps: Deps) => holdNext(deps.readModel, "getFreshIndex"),
  "it joins the live feed": (deps: Deps) => holdNext(deps.liveFeed, "join"),
};

/** Lets the next call of a function begin only when it is told to. */
function holdNext<Name extends string>(of: Record<Name, (...all: any[]) => Promise<any>>, name: Name) {
  const [reached, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const does = of[name].bind(of);
  const spy = vi.spyOn(of as Record<string, (...all: any[]) => Promise<any>>, name);
  spy.mockImplementationOnce(async (...all) => {
    reached.resolve();
    await free.promise;
    return await does(...all);
  });
  return { reached: reached.promise, letGo: () => free.resolve() };
}

/** A server with room for one stream alone, of one subscriber. */
async function serve() {
  const { db } = world.database;
  await insertIndex(db);
  const { app, deps, limits } = await createReadApp(db, { STREAMS_PER_ADDRESS: "1", STREAMS_PER_ACCOUNT: "1" });
  const { key, ...kept } = createApiKeySecret(deps.ids);
  const owner = { accountId: deps.ids.uuid(), name: "subscriber", keyId: deps.ids.uuid(), keyName: "test" };
  await createAccount(db.indexer, { ...owner, ...kept, scopes: [] });
  await startPlan(db.indexer, owner.accountId, "subscriber");
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    deps.liveFeed.end();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, deps, limits, port, authorization: `Bearer ${key}` };
}

/** Counts how often the feed was joined and left. */
function watchFeed(deps: Deps) {
  const feed = deps.liveFeed;
  const { join } = feed;
  const left = vi.spyOn(feed, "leave");
  const seen = { joined: 0 };
  feed.join = async () => {
    const newest = await join();
    seen.joined++;
    return newest;
  };
  return () => ({ joined: seen.joined, left: left.mock.calls.length });
}

test.each(Object.entries(waits))(
  "a connection that is cut off while %s leaves the live feed and gives back its places",
  async (_, hold) => {
    const { app, deps, limits, port, authorization } = await serve();
    const feed = watchFeed(deps);
    const held = hold(deps, limits);

    const upgraded = once(app.server, "upgrade");
    const client = connect({ port, host: "127.0.0.1" });
    const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Host: localhost"];
    const lines = [...headers, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: ${authorization}`];
    client.write(`GET /ws HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    const socket = ((await upgraded) as unknown[])[1] as Duplex;
    await held.reached;
    client.resetAndDestroy();
    // The server has been told, once and for all, while it still looks.
    await vi.waitFor(() => expect(socket.closed).toBe(true), patiently);
    expect(feed()).toEqual({ joined: 0, left: 0 });

    held.letGo();
    await vi.waitFor(() => expect(feed()).toEqual({ joined: 1, left: 1 }), patiently);

    // The one place is free again, and who takes it is the only reader.
    const next = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization } });
    await once(next, "open");
    expect(feed()).toEqual({ joined: 2, left: 1 });
    next.close();
    await vi.waitFor(() => expect(feed()).toEqual({ joined: 2, left: 2 }), patiently);
  },
);
