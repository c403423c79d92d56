import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { createApiKeySecret } from "../../accounts/apiKeys.ts";
import { startPlan } from "../../accounts/plans.ts";
import type { Deps } from "../../deps.ts";
import type { Limits } from "../overload/limits.ts";

const fixture = useReadApp();
const waitOptions = { timeout: 60_000, interval: 5 };

/** The asynchronous steps of a handshake in order, each once. */
const steps = {
  "its limit is consumed": (_: Deps, limits: Limits) => holdNext(limits, "consumeHandshake"),
  "the index status is read": (deps: Deps) => holdNext(deps.readModel, "getFreshIndex"),
  "it joins the live feed": (deps: Deps) => holdNext(deps.liveFeed, "join"),
};

/** Delays the next call of a function until it is released. */
function holdNext<Name extends string>(of: Record<Name, (...all: any[]) => Promise<any>>, name: Name) {
  const [reached, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const does = of[name].bind(of);
  const spy = vi.spyOn(of as Record<string, (...all: any[]) => Promise<any>>, name);
  spy.mockImplementationOnce(async (...all) => {
    reached.resolve();
    await free.promise;
    return await does(...all);
  });
  return { reached: reached.promise, release: () => free.resolve() };
}

/** A server with one stream slot, and one subscriber. */
async function serve() {
  const { db } = fixture.database;
  await insertIndex(db);
  const { app, deps, limits } = await createReadApp(db, { STREAMS_PER_ADDRESS: "1", STREAMS_PER_ACCOUNT: "1" });
  const { key, ...stored } = createApiKeySecret(deps.ids);
  const owner = { accountId: deps.ids.uuid(), name: "subscriber", keyId: deps.ids.uuid(), keyName: "test" };
  await createAccount(db.indexer, { ...owner, ...stored, scopes: [] });
  await startPlan(db.indexer, owner.accountId, "subscriber");
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    deps.liveFeed.end();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, deps, limits, port, authorization: `Bearer ${key}` };
}

/** Counts joins and leaves of the feed. */
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

test.each(Object.entries(steps))(
  "a connection that is reset while %s leaves the live feed and frees its slots",
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
    // The socket emits `close` while the handshake is still delayed.
    await vi.waitFor(() => expect(socket.closed).toBe(true), waitOptions);
    expect(feed()).toEqual({ joined: 0, left: 0 });

    held.release();
    await vi.waitFor(() => expect(feed()).toEqual({ joined: 1, left: 1 }), waitOptions);

    // The slot is free again, and the next connection is the only reader.
    const next = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization } });
    await once(next, "open");
    expect(feed()).toEqual({ joined: 2, left: 1 });
    next.close();
    await vi.waitFor(() => expect(feed()).toEqual({ joined: 2, left: 2 }), waitOptions);
  },
);
