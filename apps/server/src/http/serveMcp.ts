import { createMcpHandler, type McpRequestContext } from "@modelcontextprotocol/server";
import { createMcpServer } from "@slipway/mcp/createMcpServer";
import { readAllDocuments } from "@slipway/mcp/errorDocuments";
import { SlipwayError } from "@slipway/protocol/errors";
import { type ClientOptions, createClient } from "@slipway/sdk/createClient";
import type { Trust } from "@slipway/sdk/verifyPrepared";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { apiPrefix } from "../route.ts";
import type { Authenticate } from "./authenticate.ts";
import { limitByPrincipal } from "./overload/limitRequest.ts";
import type { Limits } from "./overload/limits.ts";

/** Scopes that a model must not have: a stranger's text in an answer can mislead it. */
const refusedScopes = ["account", "admin"] as const;

/** Headers of the protocol that its handler reads; the credential is not among them. */
const passedHeaders = /^(accept|content-type|mcp-[\w-]+)$/;

/**
 * Serves the MCP server over streamable HTTP at `POST /mcp`, where the operator has set MCP. It keeps no session: each
 * request has the key, and the tools are those of the program `slipway-mcp`. A tool calls the API's own routes with the
 * caller's key and address, so that guard, validation and limits are those of every other request.
 */
export function serveMcp(app: FastifyInstance, deps: Deps, limits: Limits, authenticate: Authenticate): void {
  const documents = readAllDocuments();
  // The handler below always passes the request.
  const createServer = ({ authInfo }: McpRequestContext) => {
    const { request } = authInfo!.extra as { request: FastifyRequest };
    return createMcpServer({ client: createInnerClient(app, request), trust: getTrust(deps) }, documents);
  };
  // The tools and resources do not change while the process runs: nothing to subscribe to.
  const handler = createMcpHandler(createServer, { maxSubscriptions: 0 });
  app.post("/mcp", {
    // A list of the tools takes 20 ms of CPU time, as long as many reads.
    config: { limit: "write" },
    onRequest: async (request, reply) => {
      if (request.headers.authorization === undefined) {
        throw new SlipwayError("unauthorized", "Send an API key as the header Authorization: Bearer KEY.");
      }
      const { headers } = request;
      const check = () => authenticate({ headers, mutating: true });
      const { scopes } = await limitByPrincipal(limits, "write", request, reply, check);
      const refused = refusedScopes.find((scope) => scopes.includes(scope));
      if (refused === undefined) return;
      const message = `This key has the scope ${refused}. Use a key with the scopes read, write and transactions only.`;
      throw new SlipwayError("unauthorized", message);
    },
    handler: async (request, reply) => {
      const { body } = request;
      // A batch would be many requests that count as one.
      if (typeof body !== "object" || body === null || Array.isArray(body)) {
        throw new SlipwayError("invalid_json", "The body must be one JSON-RPC message.");
      }
      const authInfo = { token: "", clientId: "", scopes: [], extra: { request } };
      const response = await handler.fetch(toWebRequest(request), { authInfo, parsedBody: body });
      const bytes = Buffer.from(await response.arrayBuffer());
      const contentType = response.headers.get("content-type");
      if (contentType !== null) reply.type(contentType);
      return reply.code(response.status).header("cache-control", "no-store").send(bytes);
    },
  });
}

/** The manifest that the service pins; null without one. A caller who distrusts the service runs the program instead. */
function getTrust({ chain }: Pick<Deps, "chain">): Trust | null {
  const { manifest, sha256 } = chain.manifestState();
  return manifest === null || sha256 === null ? null : { manifest, sha256 };
}

/** Creates a client whose requests go to this process's own routes, as requests of the caller. */
function createInnerClient(app: FastifyInstance, { headers, raw }: FastifyRequest) {
  const { host = "localhost", authorization = "", "x-forwarded-for": forwarded } = headers;
  const send = async (url: URL | RequestInfo, { method, headers: sent, body }: RequestInit = {}) => {
    const { pathname, search } = new URL(String(url));
    const {
      statusCode,
      headers: answered,
      rawPayload,
    } = await app.inject({
      method: method as "GET",
      url: `${pathname}${search}`,
      headers: {
        host,
        ...Object.fromEntries(new Headers(sent)),
        ...(forwarded !== undefined && { "x-forwarded-for": forwarded }),
      },
      ...(typeof body === "string" && { payload: body }),
      ...(raw.socket.remoteAddress !== undefined && { remoteAddress: raw.socket.remoteAddress }),
    });
    const named = Object.entries(answered).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(new Uint8Array(rawPayload), { status: statusCode, headers: named });
  };
  const apiKey = authorization.replace(/^Bearer /i, "");
  return createClient({
    baseUrl: `http://localhost${apiPrefix}`,
    apiKey,
    fetch: send as ClientOptions["fetch"] & object,
  });
}

function toWebRequest({ headers }: FastifyRequest): Request {
  const passed = Object.entries(headers).filter(([name]) => passedHeaders.test(name));
  return new Request("http://localhost/mcp", { method: "POST", headers: passed as [string, string][] });
}
