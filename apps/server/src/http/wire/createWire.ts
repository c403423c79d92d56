import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import type { ConnectionError } from "fastify";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { createMethodNotAllowed } from "../answerOtherMethods.ts";
import { createPeerAddress } from "../overload/clientAddress.ts";
import { Connections } from "./connections.ts";
import { createConnectionLimit } from "./createConnectionLimit.ts";
import { endSocketInTurn } from "./endSocket.ts";
import type { HotPath } from "./hotPath.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The options of Fastify that concern connections. */
export type Wire = {
  /** Creates the HTTP server: cached responses are sent at once, `handler` handles all other requests. */
  serverFactory: (handler: Handler) => Server;
  /** Answers bytes that are not an HTTP request. */
  clientErrorHandler: (error: ConnectionError, socket: Socket) => void;
};

/** A stream sends data every 15 seconds; a client that reads nothing for two minutes has disconnected. */
const connectionTimeoutMs = 120_000;
const keepAliveTimeoutMs = 72_000;

/** The codes for errors of Node's HTTP parser and timers. */
const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Creates the part of the HTTP server below the framework: connections, cached responses, refusals without a request. */
export function createWire(
  { clock, config, ids, metrics }: Pick<Deps, "clock" | "config" | "ids" | "metrics">,
  hotPath: HotPath,
): Wire {
  const limit = createConnectionLimit({
    clock,
    maxOfAddress: config.STREAMS_PER_ADDRESS + config.CONNECTIONS_PER_ADDRESS,
    maxOfProcess: config.MAX_CONNECTIONS,
    getAddress: createPeerAddress(config.TRUST_PROXY),
    onClosed: (reason) => metrics.connectionsClosed.inc({ reason }),
  });
  const connections = new Connections(limit);
  const endInTurn = (socket: Socket, error: SlipwayError) => endSocketInTurn(connections, socket, error, ids.uuid());

  return {
    serverFactory: (handler) => {
      const server = createHttpServer(config, connections, hotPath, handler);
      server.on("connection", limit.add);
      server.on("drop", limit.makeRoomInProcess);
      // CONNECT requests a proxy; this server is not one.
      server.on("connect", (_request: IncomingMessage, socket: Socket) => {
        socket.on("error", () => undefined);
        endInTurn(socket, createMethodNotAllowed([]));
      });
      return server;
    },

    /** Closes the connection after the error: the beginning of its next request is unknown. */
    clientErrorHandler: (error, socket) => {
      if (error.code === "ECONNRESET") socket.destroy();
      // The caller has disconnected or has already received its answer.
      if (!socket.writable) return;
      const code = parserCodes[error.code] ?? "invalid_request";
      endInTurn(socket, new SlipwayError(code));
      metrics.refused.inc({ via: "connection", code });
    },
  };
}

/** Creates an HTTP server whose cached responses bypass `handler`. */
export function createHttpServer(
  config: Pick<Config, "HEADERS_TIMEOUT_MS" | "REQUEST_TIMEOUT_MS" | "MAX_CONNECTIONS">,
  connections: Connections,
  hotPath: Pick<HotPath, "serve">,
  handler: Handler,
): Server {
  const createListener = (serve: Handler) => (request: IncomingMessage, response: ServerResponse) => {
    const ends = connections.add(request, response);
    if (ends === "now") {
      // The client may not have sent these bytes as a request.
      request.socket.destroy();
    } else if (ends === "after_response") {
      response.setHeader("connection", "close");
      handler(request, response);
    } else {
      serve(request, response);
    }
  };
  const server = createServer(
    {
      shouldUpgradeCallback: (request) => connections.shouldUpgrade(request),
      // `findHeadFault` refuses a request without a host, with the body of an error.
      requireHostHeader: false,
      // A lenient parser could disagree with another reader about the end of a request.
      insecureHTTPParser: false,
      maxHeaderSize: 16 * 1024,
      connectionsCheckingInterval: Math.min(1_000, config.HEADERS_TIMEOUT_MS),
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    createListener((request, response) => {
      if (!hotPath.serve(request, response)) handler(request, response);
    }),
  );
  // Without a listener Node.js answers an unknown expectation itself, without the body of an error.
  server.on("checkExpectation", createListener(handler));
  server.headersTimeout = config.HEADERS_TIMEOUT_MS;
  server.requestTimeout = config.REQUEST_TIMEOUT_MS;
  server.maxConnections = config.MAX_CONNECTIONS;
  server.setTimeout(connectionTimeoutMs);
  return server;
}
