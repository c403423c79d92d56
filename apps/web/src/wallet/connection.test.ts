import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  account,
  createFakeProvider,
  createFakeStorage,
  never,
  walletFailure,
} from "../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming, settle } from "../../../../tests/support/web/virtualTiming.ts";
import { createConnection } from "./connection.ts";
import { type ConnectionEvent, notConnected, reduceConnection } from "./connectionState.ts";
import type { Provider } from "./provider.ts";
import { createWalletList } from "./walletList.ts";

type Announced = { info: { uuid: string; rdns: string; name: string; icon: string }; provider: unknown };

function createAnnouncements() {
  let announced: Announced[] = [];
  const listeners = new Set<() => void>();
  return {
    getProviders: () => announced,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (rdns: string, provider: Provider, info: Partial<Announced["info"]> = {}) => {
      const icon = "data:image/svg+xml,x";
      announced = [
        ...announced,
        { info: { uuid: `${rdns}-${announced.length}`, rdns, name: rdns, icon, ...info }, provider },
      ];
      for (const listener of listeners) listener();
    },
  };
}

function open(options: { storage?: Storage; injected?: Provider } = {}) {
  const announcements = createAnnouncements();
  const timing = createVirtualTiming();
  const storage = options.storage ?? createFakeStorage();
  const wallets = createWalletList(announcements, () => options.injected);
  return { announcements, timing, storage, wallets, connection: createConnection({ wallets, timing, storage }) };
}

describe("the list of wallets", () => {
  test("contains the injected wallet only until another wallet announces itself", () => {
    const injected = createFakeProvider();
    const { wallets, announcements } = open({ injected });
    expect(wallets.get()).toMatchObject([{ id: "injected", name: "Browser wallet", provider: injected }]);
    announcements.announce("org.first", createFakeProvider());
    expect(wallets.get().map(({ id }) => id)).toEqual(["org.first"]);
    expect(wallets.get()).toBe(wallets.get());
  });

  test("C10-20 lists one wallet per reverse domain name, no external icon, and no object without `request`", () => {
    const { wallets, announcements } = open();
    const first = createFakeProvider();
    announcements.announce("org.first", first, { icon: "https://tracker.example/icon.png", name: "x".repeat(500) });
    announcements.announce("org.first", createFakeProvider(), { name: "an impostor" });
    announcements.announce("org.broken", {} as Provider);
    expect(wallets.get()).toEqual([{ id: "org.first", name: "x".repeat(40), icon: null, provider: first }]);
  });
});

describe("the connection", () => {
  test("connects the chosen wallet, and reconnects at the next visit without opening its window", async () => {
    const first = open();
    first.announcements.announce("org.first", createFakeProvider());
    await first.connection.connect("org.first");
    expect(first.connection.getState()).toMatchObject({ status: "connected", address: account, chainId: 46630 });

    const late = createFakeProvider();
    const second = open({ storage: first.storage });
    second.announcements.announce("org.other", createFakeProvider());
    await settle();
    expect(second.connection.getState().status).toBe("none");
    second.announcements.announce("org.first", late);
    await settle();
    expect(second.connection.getState()).toMatchObject({
      status: "connected",
      walletId: "org.first",
      address: account,
    });
    expect(late.of("eth_requestAccounts")).toEqual([]);
  });

  test.each([
    [4001, "declined"],
    [-32002, "busy"],
    [-32603, "failed"],
  ])("reports why a wallet refused: %s", async (code, fault) => {
    const { connection, announcements } = open();
    const refuse = () => Promise.reject(walletFailure(code, "no"));
    announcements.announce("org.first", createFakeProvider({ eth_requestAccounts: refuse }));
    await connection.connect("org.first");
    expect(connection.getState()).toMatchObject({ status: "none", fault, address: null });
  });

  test("reads a wrapped refusal", async () => {
    const { connection, announcements } = open();
    const wrapped = walletFailure(-32603, "internal", { data: { originalError: { code: 4001 } } });
    announcements.announce("org.first", createFakeProvider({ eth_requestAccounts: () => Promise.reject(wrapped) }));
    await connection.connect("org.first");
    expect(connection.getState().fault).toBe("declined");
  });

  test("reports a silent wallet after a minute; after a repeated request, the first response connects", async () => {
    const { connection, announcements, timing } = open();
    const answers: ((accounts: string[]) => void)[] = [];
    const provider = createFakeProvider({ eth_requestAccounts: () => new Promise((resolve) => answers.push(resolve)) });
    announcements.announce("org.first", provider);
    void connection.connect("org.first");
    await timing.advance(59_000);
    expect(connection.getState().isSilent).toBe(false);
    await timing.advance(1_000);
    expect(connection.getState()).toMatchObject({ status: "connecting", isSilent: true });
    void connection.connect("org.first");
    await settle();
    expect(connection.getState()).toMatchObject({ status: "connecting", isSilent: false });
    answers[0]!([account]);
    await settle();
    expect(connection.getState().status).toBe("connected");
  });

  test("ignores a response after the user cancelled", async () => {
    const { connection, announcements } = open();
    let answer = (_: string[]) => {};
    announcements.announce(
      "org.first",
      createFakeProvider({ eth_requestAccounts: () => new Promise((resolve) => (answer = resolve)) }),
    );
    void connection.connect("org.first");
    await settle();
    connection.cancel();
    answer([account]);
    await settle();
    expect(connection.getState()).toMatchObject({ status: "none", address: null });
  });

  test("follows the wallet's account and chain; a locked wallet or a disconnection ends the connection", async () => {
    const { connection, announcements, storage } = open();
    const provider = createFakeProvider();
    announcements.announce("org.first", provider);
    await connection.connect("org.first");
    const other = `0x${"B2".repeat(20)}`;
    provider.emit("accountsChanged", [other]);
    provider.emit("chainChanged", "0x1");
    expect(connection.getState()).toMatchObject({ address: other.toLowerCase(), chainId: 1 });
    provider.emit("disconnect");
    expect(connection.getState()).toMatchObject({ status: "connected", chainId: null });
    provider.emit("accountsChanged", []);
    expect(connection.getState().status).toBe("none");
    await connection.connect("org.first");
    connection.disconnect();
    expect([connection.getState().status, storage.length]).toEqual(["none", 0]);
    provider.emit("accountsChanged", [account]);
    expect(connection.getState().status).toBe("none");
  });

  test("works without storage", async () => {
    const refuse = () => {
      throw new Error("forbidden");
    };
    const { connection, announcements } = open({
      storage: { getItem: refuse, setItem: refuse, removeItem: refuse } as never,
    });
    announcements.announce("org.first", createFakeProvider());
    await connection.connect("org.first");
    expect(connection.getState().status).toBe("connected");
  });

  test("waits only for the latest chosen wallet", async () => {
    const { connection, announcements } = open();
    announcements.announce("org.silent", createFakeProvider({ eth_requestAccounts: never }));
    announcements.announce("org.first", createFakeProvider());
    void connection.connect("org.silent");
    await connection.connect("org.first");
    expect(connection.getState()).toMatchObject({ status: "connected", walletId: "org.first" });
    expect(connection.getWallet()?.id).toBe("org.first");
  });
});

const address = fc.constantFrom(account, `0x${"b2".repeat(20)}` as const);
const walletId = fc.constantFrom("a", "b");
const attempt = fc.integer({ min: 1, max: 4 });
const chainId = fc.constantFrom(1, 46630, null);
const anyEvent: fc.Arbitrary<ConnectionEvent> = fc.oneof(
  fc.record({ type: fc.constant("asked" as const), walletId, attempt }),
  fc.record({ type: fc.constant("answered" as const), walletId, attempt, address: fc.option(address), chainId }),
  fc.record({
    type: fc.constant("refused" as const),
    attempt,
    fault: fc.constantFrom("declined" as const, "busy" as const),
  }),
  fc.record({ type: fc.constant("silent" as const), attempt }),
  fc.constant({ type: "cancelled" as const }),
  fc.record({ type: fc.constant("found" as const), walletId, address, chainId }),
  fc.record({ type: fc.constant("accounts_changed" as const), walletId, address: fc.option(address) }),
  fc.record({ type: fc.constant("chain_changed" as const), walletId, chainId }),
  fc.record({ type: fc.constant("disconnected" as const), walletId }),
);

describe("every sequence of events", () => {
  test("has an address exactly while it is connected, and only the address of a requested or restored wallet", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let state = notConnected;
        for (const event of events) {
          const before = state;
          state = reduceConnection(state, event);
          expect(state.address !== null).toBe(state.status === "connected");
          expect(state.walletId !== null || state.status === "none").toBe(true);
          if (state.status !== "connecting") expect(state.isSilent).toBe(false);
          if (before.status === "connected" && state.status === "connected")
            expect(state.walletId).toBe(before.walletId);
          if (before.status !== "connected" && state.status === "connected") {
            expect(["answered", "found"]).toContain(event.type);
            if (event.type === "answered") expect(before.open).toContain(event.attempt);
          }
        }
      }),
    );
  });
});
