import {
  type ConnectFault,
  type ConnectionEvent,
  type ConnectionState,
  notConnected,
  reduceConnection,
} from "./connectionState.ts";
import { ask, type Hex, toAddresses, toQuantity, WalletError } from "./provider.ts";
import type { Timing } from "./timing.ts";
import type { FoundWallet, WalletList } from "./walletList.ts";

/** The wallet connection of this page. `subscribe` and `getState` are for `useSyncExternalStore`. */
export type Connection = {
  getState(): ConnectionState;
  subscribe(listener: () => void): () => void;
  /** Returns the connected wallet, or the wallet of the current attempt. */
  getWallet(): FoundWallet | null;
  /** Requests the wallet's account, which opens the wallet's window. Never rejects: the state has the result. */
  connect(walletId: string): Promise<void>;
  /** Stops waiting for the wallet. */
  cancel(): void;
  /** Forgets the wallet. The wallet itself stays connected, because only the user can end that in the wallet. */
  disconnect(): void;
  /** Reads account and chain again, because some wallets do not report changes. */
  refresh(): Promise<void>;
};

export type ConnectionParts = {
  wallets: WalletList;
  timing: Timing;
  /** Stores the last wallet's id. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
};

/** The storage key of the connected wallet's id. */
export const walletKey = "slipway.wallet";
/** Milliseconds without a response after which the user can repeat the request. */
const silenceMs = 60_000;

/** Creates a connection. Restores the last wallet when it announces itself, without opening a window. */
export function createConnection({ wallets, timing, storage }: ConnectionParts): Connection {
  const listeners = new Set<() => void>();
  let state = notConnected;
  let attempts = 0;
  let wallet: FoundWallet | null = null;
  let stopListening = () => {};

  const dispatch = (event: ConnectionEvent) => {
    const next = reduceConnection(state, event);
    if (next === state) return;
    state = next;
    if (state.status === "none") stopListening();
    for (const listener of listeners) listener();
  };
  const findWallet = (id: string) => wallets.get().find((one) => one.id === id) ?? null;

  const adopt = (found: FoundWallet) => {
    stopListening();
    wallet = found;
    stopListening = listen(found, dispatch);
  };

  const restore = async () => {
    const id = readItem(storage, walletKey);
    const found = id === null || state.status !== "none" ? null : findWallet(id);
    if (found === null) return;
    try {
      const [address] = toAddresses(await ask(found.provider, "eth_accounts"));
      if (address === undefined || state.status !== "none") return;
      const chainId = await readChainId(found);
      if (state.status !== "none") return;
      adopt(found);
      dispatch({ type: "found", walletId: found.id, address, chainId });
    } catch {
      // The wallet is locked or gone: the user must connect again.
    }
  };
  let tried: FoundWallet | null = null;
  const restoreOnce = () => {
    const id = readItem(storage, walletKey);
    const found = id === null ? null : findWallet(id);
    if (found === null || found === tried) return;
    tried = found;
    void restore();
  };
  wallets.subscribe(() => {
    restoreOnce();
    for (const listener of listeners) listener();
  });
  restoreOnce();

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getWallet: () => (state.status === "none" ? null : wallet),
    connect: async (walletId) => {
      const found = findWallet(walletId);
      if (found === null) return;
      wallet = found;
      attempts += 1;
      const attempt = attempts;
      dispatch({ type: "asked", walletId, attempt });
      const silence = new AbortController();
      void timing.wait(silenceMs, silence.signal).then(() => {
        if (!silence.signal.aborted) dispatch({ type: "silent", attempt });
      });
      try {
        const [address] = toAddresses(await ask(found.provider, "eth_requestAccounts"));
        const chainId = address === undefined ? null : await readChainId(found);
        dispatch({ type: "answered", walletId, attempt, address: address ?? null, chainId });
        if (state.status === "connected" && state.walletId === walletId && wallet === found) {
          adopt(found);
          writeItem(storage, walletKey, walletId);
        }
      } catch (error) {
        dispatch({ type: "refused", attempt, fault: toConnectFault(error) });
      } finally {
        silence.abort();
      }
    },
    cancel: () => dispatch({ type: "cancelled" }),
    disconnect: () => {
      writeItem(storage, walletKey, null);
      if (state.walletId !== null) dispatch({ type: "disconnected", walletId: state.walletId });
      dispatch({ type: "cancelled" });
    },
    refresh: async () => {
      if (state.status !== "connected" || wallet === null) return;
      const { id: walletId } = wallet;
      const [accounts, chainId] = await Promise.all([ask(wallet.provider, "eth_accounts"), readChainId(wallet)]);
      dispatch({ type: "accounts_changed", walletId, address: toAddresses(accounts)[0] ?? null });
      dispatch({ type: "chain_changed", walletId, chainId });
    },
  };
}

const toConnectFault = (error: unknown): ConnectFault => {
  const fault = error instanceof WalletError ? error.fault : "failed";
  return fault === "declined" || fault === "busy" ? fault : "failed";
};

const readChainId = async (wallet: FoundWallet) =>
  toQuantity(await ask(wallet.provider, "eth_chainId").catch(() => null));

/** Dispatches the wallet's events. @returns a function that removes the listeners */
function listen({ id: walletId, provider }: FoundWallet, dispatch: (event: ConnectionEvent) => void): () => void {
  const accounts = (value: unknown) => {
    const [address = null] = toAddresses(value) as (Hex | undefined)[];
    dispatch({ type: "accounts_changed", walletId, address });
  };
  const chain = (value: unknown) => dispatch({ type: "chain_changed", walletId, chainId: toQuantity(value) });
  const listeners = [
    ["accountsChanged", accounts],
    ["chainChanged", chain],
    // The wallet lost its connection to the chain. It keeps the account, but its chain is unknown.
    ["disconnect", () => dispatch({ type: "chain_changed", walletId, chainId: null })],
  ] as const;
  for (const [event, listener] of listeners) provider.on?.(event, listener);
  return () => {
    for (const [event, listener] of listeners) provider.removeListener?.(event, listener);
  };
}

// Storage can be blocked or full: then the page does not remember the wallet.
function readItem(storage: ConnectionParts["storage"], key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}

function writeItem(storage: ConnectionParts["storage"], key: string, value: string | null): void {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch {
    // See readItem.
  }
}
