import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SlipwayError } from "@slipway/protocol/errors";
import { largestClientMessage, liveCloseCodes } from "@slipway/protocol/liveMessages";
import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import type { Deps } from "../../deps.ts";
import { endWithError, toSlipwayError } from "../answerError.ts";
import type { Limits } from "../limits/limits.ts";
import type { Authenticate } from "../authenticate.ts";
import { refuseCredentialsInUrl } from "../refuseCredentialsInUrl.ts";
import { createAdmitSubscriber, createCheckSubscriber } from "./authorizeSubscriber.ts";
import type { SocketEndpoint } from "../../live/guardSocket.ts";
import { type GuardedSocket, guardSocket } from "../../live/guardSocket.ts";
import { createHeartbeats } from "./createHeartbeats.ts";
import { liveEndpoint } from "../../features/stream/liveEndpoint.ts";
import { createStandingWatch, type Lost } from "./revalidateCredentials.ts";

const closeOf: Record<Lost, readonly [code: number, reason: string]> = {
  unauthorized: [liveCloseCodes.unauthorized, "the credential is not good any more"],
  plan_required: [liveCloseCodes.planRequired, "the plan has ended"],
};

/** How long a client has to answer a close. */
const closeTimeoutMs = 2_000;
/** Parts of one message; an endless row of empty ones is none. */
const mostFragments = 64;

/** Does it when the connection ends, or now when it has ended meanwhile and will not say so again. */
function onceClosed(socket: Duplex, work: () => void): void {
  if (socket.closed) work();
  else socket.once("close", work);
}

/** Answers WebSocket handshakes: the paths below, each for subscribers only. */
export function mountWebSockets(app: FastifyInstance, deps: Deps, limits: Limits, authenticate: Authenticate): void {
  const { config, clock, log, metrics } = deps;
  const endpoints = new Map<string, SocketEndpoint>([["/ws", liveEndpoint(deps)]]);
  const check = createCheckSubscriber(deps, authenticate);
  const admit = createAdmitSubscriber(deps, limits, check);
  const standing = createStandingWatch({ check, clock, log, everyMs: config.WS_RECHECK_MS });
  const heartbeats = createHeartbeats(clock, config.WS_HEARTBEAT_MS);
  const connections = new Set<GuardedSocket>();
  metrics.unread.bytes = () => [...connections].reduce((sum, connection) => sum + connection.buffered(), 0);
  let closing = false;
  const options = {
    noServer: true,
    clientTracking: false,
    // A compressed message costs memory for each connection, and may be a bomb.
    perMessageDeflate: false,
    maxPayload: largestClientMessage,
    maxFragments: mostFragments,
    closeTimeout: closeTimeoutMs,
  };
  const server = new WebSocketServer(options);
  server.on("wsClientError", (error, socket) => {
    endWithError(socket, new SlipwayError("invalid_request", error.message), deps.ids.uuid());
  });

  /** Looks at a handshake; what it takes is given back when the connection ends. */
  const prepare = async (request: IncomingMessage, socket: Duplex) => {
    if (closing) throw new SlipwayError("overloaded", "The server is stopping.");
    const target = request.url ?? "";
    refuseCredentialsInUrl(target);
    const endpoint = endpoints.get(target.split("?", 1)[0]!);
    if (endpoint === undefined) throw new SlipwayError("not_found");
    const subscriber = await admit(request);
    onceClosed(socket, subscriber.release);
    const converse = await endpoint.enter();
    onceClosed(socket, endpoint.leave);
    return { converse, accountId: subscriber.accountId };
  };

  const open = (
    ws: WebSocket,
    socket: Duplex,
    request: IncomingMessage,
    { converse, accountId }: Awaited<ReturnType<typeof prepare>>,
  ) => {
    const guarded = guardSocket({
      ws,
      socket,
      clock,
      messagesPerSecond: config.WS_MESSAGES_PER_SECOND,
      bufferBytes: config.WS_BUFFER_BYTES,
      onText: (text) => conversation.hear(text),
      onClose: (code) => {
        metrics.webSocketsClosed.inc({ code: String(code) });
        for (const end of ends) end();
      },
    });
    const conversation = converse(guarded);
    connections.add(guarded);
    metrics.webSockets.inc();
    const ends = [
      () => connections.delete(guarded),
      () => metrics.webSockets.dec(),
      conversation.end,
      standing.watch(request.headers, accountId, (lost) => guarded.close(...closeOf[lost])),
      heartbeats.add(() => {
        guarded.probe();
        if (guarded.buffered() <= config.WS_BUFFER_BYTES) conversation.beat();
      }),
    ];
    if (closing) guarded.close(liveCloseCodes.goingAway, "the server is stopping");
  };

  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    prepare(request, socket).then(
      (prepared) => {
        if (!socket.destroyed) server.handleUpgrade(request, socket, head, (ws) => open(ws, socket, request, prepared));
      },
      (error: unknown) => {
        const known = toSlipwayError(error);
        if (known.code === "internal_error") log.error({ err: known.cause ?? known }, "a handshake failed");
        endWithError(socket, known, deps.ids.uuid());
      },
    );
  });

  app.addHook("preClose", async () => {
    closing = true;
    for (const connection of connections) connection.close(liveCloseCodes.goingAway, "the server is stopping");
    // Who does not answer is cut off by `ws` after `closeTimeoutMs`.
    for (let waited = 0; connections.size > 0 && waited < closeTimeoutMs * 2; waited += 20) await clock.sleep(20);
  });
}
