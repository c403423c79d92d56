import type { Hex } from "./provider.ts";

/** Why the last attempt to connect failed. */
export type ConnectFault = "declined" | "busy" | "no_account" | "failed";

/**
 * The connection to one wallet. `attempt` numbers the requests. A response to an earlier request still connects, unless
 * the user cancelled that request or is already connected.
 */
export type ConnectionState = {
  status: "none" | "connecting" | "connected";
  /** The wallet's id, of the attempt or of the connection. */
  walletId: string | null;
  attempt: number;
  /** Attempts that can still connect. */
  open: readonly number[];
  /** The attempt has had no response for a minute. */
  isSilent: boolean;
  fault: ConnectFault | null;
  address: Hex | null;
  /** Null while unknown. */
  chainId: number | null;
};

export type ConnectionEvent =
  | { type: "asked"; walletId: string; attempt: number }
  | { type: "answered"; walletId: string; attempt: number; address: Hex | null; chainId: number | null }
  | { type: "refused"; attempt: number; fault: ConnectFault }
  | { type: "silent"; attempt: number }
  | { type: "cancelled" }
  /** The wallet was already connected when the page opened. */
  | { type: "found"; walletId: string; address: Hex; chainId: number | null }
  | { type: "accounts_changed"; walletId: string; address: Hex | null }
  | { type: "chain_changed"; walletId: string; chainId: number | null }
  | { type: "disconnected"; walletId: string };

export const notConnected: ConnectionState = {
  status: "none",
  walletId: null,
  attempt: 0,
  open: [],
  isSilent: false,
  fault: null,
  address: null,
  chainId: null,
};

/** Returns the state after an event; the same object if nothing changes. */
export function reduceConnection(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  switch (event.type) {
    case "asked":
      if (state.status === "connected") return state;
      return {
        ...notConnected,
        status: "connecting",
        walletId: event.walletId,
        attempt: event.attempt,
        // A repeated request keeps the wallet's earlier requests open; a request to another wallet closes them.
        open: state.walletId === event.walletId ? [...state.open, event.attempt] : [event.attempt],
      };
    case "answered":
      if (!state.open.includes(event.attempt)) return state;
      if (event.address === null) return withFault(state, event.attempt, "no_account");
      return connected({ ...event, address: event.address }, event.attempt);
    case "refused":
      return state.open.includes(event.attempt) ? withFault(state, event.attempt, event.fault) : state;
    case "silent":
      return state.status === "connecting" && state.attempt === event.attempt ? { ...state, isSilent: true } : state;
    case "cancelled":
      return state.status === "connecting" ? { ...notConnected, attempt: state.attempt } : state;
    case "found":
      return state.status === "none" ? connected(event, state.attempt) : state;
    case "accounts_changed":
      if (state.status !== "connected" || state.walletId !== event.walletId || state.address === event.address)
        return state;
      if (event.address === null) return { ...notConnected, attempt: state.attempt };
      return { ...state, address: event.address };
    case "chain_changed":
      if (state.status !== "connected" || state.walletId !== event.walletId || state.chainId === event.chainId)
        return state;
      return { ...state, chainId: event.chainId };
    case "disconnected":
      if (state.status !== "connected" || state.walletId !== event.walletId) return state;
      return { ...notConnected, attempt: state.attempt };
  }
}

function connected(wallet: { walletId: string; address: Hex; chainId: number | null }, attempt: number) {
  const { walletId, address, chainId } = wallet;
  return { ...notConnected, status: "connected", walletId, attempt, address, chainId } as const;
}

function withFault(state: ConnectionState, attempt: number, fault: ConnectFault): ConnectionState {
  const open = state.open.filter((one) => one !== attempt);
  // The refusal of an earlier request does not end the current one.
  if (attempt !== state.attempt && open.length > 0) return { ...state, open };
  return { ...state, status: "none", open, isSilent: false, fault };
}
