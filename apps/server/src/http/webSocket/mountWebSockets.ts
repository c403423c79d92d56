import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { errorRow, SlipwayError } from "@slipway/protocol/errors";
import { liveCloseCodes, maxClientMessageBytes } from "@slipway/protocol/liveMessages";
import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { listenToChannel } from "../../db/listenToChannel.ts";
import type { Deps } from "../../deps.ts";
import { createRiskBoard } from "../../features/risk/createRiskBoard.ts";
import { createRiskEndpoint } from "../../features/risk/riskEndpoint.ts";
import { createLiveEndpoint } from "../../features/stream/liveEndpoint.ts";
import { type GuardedSocket, guardSocket, type SocketEndpoint, type SocketSession } from "../../live/guardSocket.ts";
import type { Authenticate } from "../authenticate.ts";
import type { Limits } from "../overload/limits.ts";
import { refuseCredentialsInUrl } from "../refuseCredentialsInUrl.ts";
import { ErrorWithHeaders, logErrorAnswer, toSlipwayError } from "../sendError.ts";
import { endSocketWithError } from "../wire/endSocket.ts";
import { findHeadFault } from "../wire/findHeadFault.ts";
import {
  createAuthorizeSubscriber,
  createVerifySubscriber,
  type Subscriber,
  type VerifySubscriber,
} from "./authorizeSubscriber.ts";
import { createHeartbeats } from "./createHeartbeats.ts";
import { credentialsChannel, type Revocation, revalidateCredentials } from "./revalidateCredentials.ts";

const revocationCloses: Record<Revocation, readonly [code: number, reason: string]> = {
  unauthorized: [liveCloseCodes.unauthorized, "the credential is no longer valid"],
  plan_required: [liveCloseCodes.planRequired, "the plan has ended"],
};
const stopping = [liveCloseCodes.goingAway, "the server is stopping"] as const;

/** How long the server waits for a client's answer to a close. */
const closeTimeoutMs = 2_000;
/** Maximum fragments of one message, because empty fragments have no other limit. */
const maxFragments = 64;

/** An authorized handshake. */
type Handshake = {
  request: IncomingMessage;
  socket: Duplex;
  subscriber: Pick<Subscriber, "accountId" | "expiresAt">;
  startSession: (socket: GuardedSocket) => SocketSession;
};

/** The only published version (RFC 6455). */
const webSocketVersion = "13";

function createUpgradeRequired(): ErrorWithHeaders {
  return new ErrorWithHeaders("upgrade_required", undefined, {
    upgrade: "websocket",
    connection: "Upgrade, close",
    "sec-websocket-version": webSocketVersion,
  });
}

/** Serves the WebSocket paths, all for subscribers only. */
export function mountWebSockets(app: FastifyInstance, deps: Deps, limits: Limits, authenticate: Authenticate): void {
  const endpoints = new Map<string, SocketEndpoint>([
    ["/ws", createLiveEndpoint(deps)],
    ["/ws/risk", createOwnRiskEndpoint(deps)],
  ]);
  const verify = createVerifySubscriber(deps, authenticate);
  const authorize = createAuthorizeSubscriber(deps, limits, verify);
  const connections = createConnections(deps, verify);
  const options = {
    noServer: true,
    clientTracking: false,
    // A compressed message costs memory for each connection, and can be a decompression bomb.
    perMessageDeflate: false,
    maxPayload: maxClientMessageBytes,
    maxFragments,
    closeTimeout: closeTimeoutMs,
  };
  const server = new WebSocketServer(options);

  /** Authorizes a handshake; its slots are released when the connection ends. */
  const prepare = async (request: IncomingMessage, socket: Duplex): Promise<Handshake> => {
    if (connections.closing()) throw new SlipwayError("overloaded", "The server is stopping.");
    const fault = findHeadFault(request);
    if (fault !== null) throw fault;
    const target = request.url!;
    refuseCredentialsInUrl(target);
    const endpoint = endpoints.get(target.split("?", 1)[0]!);
    if (endpoint === undefined) throw new SlipwayError("not_found");
    if (request.headers["sec-websocket-version"] !== webSocketVersion) throw createUpgradeRequired();
    const subscriber = await authorize(request);
    onceClosed(socket, subscriber.release);
    const { startSession, leave } = await endpoint.enter(request);
    onceClosed(socket, leave);
    return { request, socket, subscriber, startSession };
  };

  const refuse = (socket: Duplex, error: unknown) => {
    const known = toSlipwayError(error);
    logErrorAnswer(deps.log, known, "websocket handshake");
    if (errorRow(known.code).status < 500) deps.metrics.refused.inc({ via: "handshake", code: known.code });
    endSocketWithError(socket, known, deps.ids.uuid());
  };

  server.on("wsClientError", (error, socket) => refuse(socket, new SlipwayError("invalid_request", error.message)));
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    prepare(request, socket).then(
      (handshake) => {
        if (!socket.destroyed) server.handleUpgrade(request, socket, head, (ws) => connections.open(ws, handshake));
      },
      (error: unknown) => refuse(socket, error),
    );
  });
  app.addHook("preClose", () => connections.close());
  for (const path of endpoints.keys()) {
    app.get(path, { schema: { hide: true } as object }, async () => {
      throw createUpgradeRequired();
    });
  }
}

function createOwnRiskEndpoint({ config, clock, db, log, metrics }: Deps): SocketEndpoint {
  const board = createRiskBoard({ db, clock, log, onFramed: () => metrics.riskFramed.inc() });
  const onSent = () => metrics.riskMessages.inc();
  return createRiskEndpoint({ board, clock, db, bufferBytes: config.WS_BUFFER_BYTES, onSent });
}

/** The open connections of a process, with their heartbeats and the revalidation of their credentials. */
function createConnections({ config, clock, db, log, metrics }: Deps, verify: VerifySubscriber) {
  const listen = (wake: (accountId: string | null) => void) =>
    listenToChannel({ pool: db.listening, clock, log, channel: credentialsChannel, wake });
  const credentials = revalidateCredentials({ verify, listen, clock, log, intervalMs: config.WS_RECHECK_MS });
  const heartbeats = createHeartbeats(clock, config.WS_HEARTBEAT_MS);
  const connections = new Set<GuardedSocket>();
  metrics.unread.bytes = () => [...connections].reduce((sum, connection) => sum + connection.buffered(), 0);
  let closing = false;

  return {
    closing: () => closing,

    open(ws: WebSocket, { request, socket, subscriber, startSession }: Handshake): void {
      const guarded = guardSocket({
        ws,
        socket,
        clock,
        messagesPerSecond: config.WS_MESSAGES_PER_SECOND,
        bufferBytes: config.WS_BUFFER_BYTES,
        onText: (text) => session.onMessage(text),
        onClose: (code) => {
          metrics.webSocketsClosed.inc({ code: String(code) });
          for (const end of ends) end();
        },
      });
      const session = startSession(guarded);
      connections.add(guarded);
      metrics.webSockets.inc();
      const ends = [
        () => connections.delete(guarded),
        () => metrics.webSockets.dec(),
        session.end,
        credentials.watch(request.headers, subscriber, (revocation) => guarded.close(...revocationCloses[revocation])),
        heartbeats.add(() => {
          guarded.ping();
          if (guarded.buffered() <= config.WS_BUFFER_BYTES) session.heartbeat();
        }),
      ];
      if (closing) guarded.close(...stopping);
    },

    /** Closes all connections. Resolves when they have ended; `ws` terminates those that do not answer the close. */
    async close(): Promise<void> {
      closing = true;
      for (const connection of connections) connection.close(...stopping);
      for (let waited = 0; connections.size > 0 && waited < closeTimeoutMs * 2; waited += 20) await clock.sleep(20);
    },
  };
}

/** Runs the callback when the socket closes; immediately if the socket is closed, because it emits no further event. */
function onceClosed(socket: Duplex, callback: () => void): void {
  if (socket.closed) callback();
  else socket.once("close", callback);
}
