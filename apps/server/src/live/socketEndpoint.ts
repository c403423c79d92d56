import type { GuardedSocket } from "./guardedSocket.ts";

/** One side of a conversation with one client. */
type Conversation = {
  /** A text message; the next one comes after it. */
  hear(text: string): Promise<void>;
  /** Called every `WS_HEARTBEAT_MS` while the client reads. */
  beat(): void;
  end(): void;
};

/** What stands behind a path. */
export type SocketEndpoint = {
  /** Before the handshake is answered, once for each; throws a SlipwayError to refuse it. */
  enter(): Promise<(socket: GuardedSocket) => Conversation>;
  /** After its end, also when no connection came of it. */
  leave(): void;
};
