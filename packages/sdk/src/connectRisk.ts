import type { RiskUpdate } from "@slipway/protocol/risk";
import type { WebSocketLike } from "./connectLive.ts";

export type RiskOptions = {
  /** E.g. `wss://launch.example/ws/risk`. A page authenticates by the session's cookie. */
  url: string;
  /** The pair; each pair needs its own connection. Default: the cards of all markets. */
  pair?: string | undefined;
  /** Called with each message: on connection, then every `refresh_seconds`. */
  onMessage(update: RiskUpdate): void;
  /** Called when the connection is refused, lost or closed by the service, which a page cannot distinguish; not after `close`. */
  onEnd(): void;
  /** Opens the connection, e.g. `(url) => new WebSocket(url, { headers })` of the package `ws`. */
  webSocket?: ((url: string) => WebSocketLike) | undefined;
};

/**
 * Opens one connection to the risk of a pair or of all markets. The caller reconnects after its end.
 *
 * @example
 * const { close } = connectRisk({ url, pair: "BTC_USDT", onMessage: draw, onEnd: readByRest });
 */
export function connectRisk({ url, pair, onMessage, onEnd, webSocket }: RiskOptions): { close(): void } {
  const target = pair === undefined ? url : `${url}?${new URLSearchParams({ pair })}`;
  const socket: WebSocketLike = webSocket === undefined ? new WebSocket(target) : webSocket(target);
  let isEnded = false;
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    onEnd();
  };
  socket.addEventListener("message", ({ data }) => {
    const update = parse(data);
    if (!isEnded && update !== null) onMessage(update);
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  return {
    close: () => {
      isEnded = true;
      socket.close(1000);
    },
  };
}

/** Parses a message of the service; returns null for an unknown message, e.g. of a later version. */
function parse(data: unknown): RiskUpdate | null {
  try {
    const update = JSON.parse(String(data)) as RiskUpdate | null;
    return update?.event === "risk_update" ? update : null;
  } catch {
    return null;
  }
}
