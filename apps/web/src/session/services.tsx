import type { Settings } from "@slipway/protocol/settings";
import type { Client } from "@slipway/sdk/createLazyClient";
import { createContext, useContext, useSyncExternalStore } from "react";
import { importFile } from "../ui/importFile.ts";
import { type Connection, createConnection, walletKey } from "../wallet/connection.ts";
import { createJournal, type Journal } from "../wallet/journal.ts";
import type { Chain } from "../wallet/network.ts";
import { createRefusals, refusedBatchesKey, refusedPermitsKey } from "../wallet/refusals.ts";
import type { Sender } from "../wallet/send.ts";
import { systemTiming, type Timing } from "../wallet/timing.ts";
import type { WalletList } from "../wallet/walletList.ts";
import { type AccountStorage, createAccountStorage, forgetFiles } from "./accountStorage.ts";
import { toChain } from "./deployment.ts";
import { createSession, type Session, sessionKey } from "./session.ts";

/** Services that the page's flows share, one instance per tab. */
export type Services = {
  api: Client;
  wallets: WalletList;
  connection: Connection;
  session: Session;
  journal: Journal;
  timing: Timing;
  /** Whether the connected wallet refused a batch; `refuse` records a refusal. */
  batches: { areRefused(): boolean; refuse(): void };
  /** Whether the connected account refused to sign a sell permit in this tab; `refuse` records a refusal. */
  permits: { areRefused(): boolean; refuse(): void };
  /** The account's storage in this browser. */
  storage: AccountStorage;
  /**
   * Null until the settings load, and if no deployment is pinned. The first deployment stays until the page is reloaded.
   */
  getChain(): Chain | null;
  setSettings(settings: Settings): void;
  /** The connected account on this deployment's chain; null without one. */
  getSender(): Sender | null;
  subscribe(listener: () => void): () => void;
};

export type ServiceParts = {
  api: Client;
  wallets: WalletList;
  /** The storage that all tabs share. */
  shared: Storage;
  /** The storage of this tab. */
  own: Storage;
};

/** Creates the services. Call it once. */
export function createServices({ api, wallets, shared, own }: ServiceParts): Services {
  const timing = systemTiming;
  const connection = createConnection({ wallets, timing, storage: shared });
  const journal = createJournal(shared);
  const session = createSession({
    api,
    storage: shared,
    prove: async (from, purpose) => {
      const { proveAddress } = await importFile(() => import("./proveAddress.ts"));
      return await proveAddress({ api, location: window.location, getDate: () => new Date() }, from, purpose);
    },
    forgetTab: () => refusedPermits.clear(),
    forget: (left) => {
      storage.clear();
      forgetFiles();
      refusedPermits.clear();
      journal.forget([...left, connection.getState().address ?? ""]);
    },
  });
  const storage = createAccountStorage(shared, () => session.getState().accountId);
  const refusedBatches = createRefusals(shared, refusedBatchesKey);
  const getWalletId = () => connection.getState().walletId ?? "";
  const batches = {
    areRefused: () => refusedBatches.has(getWalletId()),
    refuse: () => refusedBatches.add(getWalletId()),
  };
  const refusedPermits = createRefusals(own, refusedPermitsKey);
  const getAccountName = () => `${getWalletId()}:${connection.getState().address}`;
  const permits = {
    areRefused: () => refusedPermits.has(getAccountName()),
    refuse: () => refusedPermits.add(getAccountName()),
  };
  const listeners = new Set<() => void>();
  let chain: Chain | null = null;
  let sender: Sender | null = null;

  const getSender = () => {
    const { status, address } = connection.getState();
    const provider = connection.getWallet()?.provider;
    const next = status === "connected" && address !== null && provider && chain ? { provider, address, chain } : null;
    const isSame =
      sender?.address === next?.address && sender?.provider === next?.provider && sender?.chain === next?.chain;
    if (!isSame) sender = next;
    return sender;
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    const stop = [connection.subscribe(listener), session.subscribe(listener)];
    return () => {
      listeners.delete(listener);
      for (const each of stop) each();
    };
  };
  return {
    ...{ api, wallets, connection, session, journal, timing, batches, permits, storage, getSender, subscribe },
    getChain: () => chain,
    setSettings: (settings) => {
      const next = toChain(settings, chain);
      if (next === chain) return;
      chain = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Signs out or disconnects when another tab did, which writes to the shared storage. */
export function followOtherTabs({ session, connection }: Services): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === sessionKey) session.changedElsewhere(newValue);
    if (key === walletKey && !newValue) connection.disconnect();
  });
}

export const ServicesContext = createContext<Services | null>(null);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error("ServicesContext is missing: main.tsx provides it.");
  return services;
}

/** Returns the connection's state, its wallet and the wallet list. */
export function useConnection() {
  const { connection, wallets } = useServices();
  const state = useSyncExternalStore(connection.subscribe, connection.getState, connection.getState);
  const list = useSyncExternalStore(connection.subscribe, wallets.get, wallets.get);
  return { ...state, wallet: connection.getWallet(), wallets: list, connection };
}

export function useSession() {
  const { session } = useServices();
  return { ...useSyncExternalStore(session.subscribe, session.getState, session.getState), session };
}

/** Returns the deployment's chain; null until it is known. */
export function useChain(): Chain | null {
  const { subscribe, getChain } = useServices();
  return useSyncExternalStore(subscribe, getChain, getChain);
}

/** Returns the connected account; null without one. */
export function useSender(): Sender | null {
  const { subscribe, getSender } = useServices();
  return useSyncExternalStore(subscribe, getSender, getSender);
}
