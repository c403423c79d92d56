import type { IncomingMessage } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { liveCloseCodes } from "@slipway/protocol/liveMessages";
import { marketPair } from "@slipway/protocol/markets";
import type { Clock } from "../../clock.ts";
import type { Database } from "../../db/database.ts";
import type { GuardedSocket, SocketEndpoint, SocketSession } from "../../live/guardSocket.ts";
import { findMarket } from "../../markets/readMarkets.ts";
import type { RiskBoard } from "./createRiskBoard.ts";
import { createRotation } from "./createRotation.ts";

/** Number of client messages that closes the connection: clients need not send any. */
const maxClientMessages = 5;

/**
 * Reads the pair from the target of a handshake; null for the grid.
 *
 * @throws SlipwayError `invalid_query` for another parameter, a repeated one, or an invalid pair.
 */
export function readPair(target: string): string | null {
  const [, query = ""] = target.split(/\?(.*)/s);
  const parameters = [...new URLSearchParams(query)];
  if (parameters.length === 0) return null;
  const [[name, value]] = parameters as [[string, string]];
  if (parameters.length > 1 || name !== "pair") {
    throw new SlipwayError("invalid_query", "The only parameter is pair, once.");
  }
  const pair = marketPair.safeParse(value);
  if (!pair.success) {
    throw new SlipwayError("invalid_query", "pair must be BASE_QUOTE in upper case, such as BTC_USDT.", {
      field: "pair",
    });
  }
  return pair.data;
}

/**
 * Creates WS /ws/risk, which sends the newest risk of a pair, or the cards of all pairs, immediately and then every 30
 * seconds, changed or not. A client that does not read gets no further message until it has read, and then the newest
 * one.
 */
export function createRiskEndpoint(options: {
  board: RiskBoard;
  clock: Clock;
  db: Pick<Database, "read">;
  bufferBytes: number;
  /** Counts sent messages. */
  onSent: () => void;
}): SocketEndpoint {
  const { board, clock, db, bufferBytes, onSent } = options;
  const rotation = createRotation(clock);

  const createSession = (socket: GuardedSocket, frame: () => Buffer): SocketSession => {
    const send = () => {
      if (!socket.open() || socket.buffered() > bufferBytes) return;
      socket.write(frame());
      onSent();
    };
    let received = 0;
    send();
    const end = rotation.add(send);
    return {
      onMessage: async () => {
        if (++received >= maxClientMessages) socket.close(liveCloseCodes.policy, "this stream takes no messages");
      },
      heartbeat: () => undefined,
      end,
    };
  };

  return {
    enter: async (request: IncomingMessage) => {
      const pair = readPair(request.url!);
      if (pair !== null && (await findMarket(db.read, pair, Math.floor(clock.now() / 1000))) === null) {
        throw new SlipwayError("pair_not_found");
      }
      const { frame, leave } = await board.join(pair);
      return { startSession: (socket) => createSession(socket, frame), leave };
    },
  };
}
