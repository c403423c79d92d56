import type { OperationName } from "@slipway/protocol/allEndpoints";
import type { Endpoint } from "@slipway/protocol/endpoint";
import { type Operations, operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Principal } from "./accounts/principal.ts";

/** The rate limit of a route. Public routes are counted by client address, guarded routes by credential. */
export type LimitClass = "read" | "write" | "upload" | "none";

/** Base path of the API below the site's root. */
export const apiPrefix = "/api/v1/launchpad";

declare module "fastify" {
  interface FastifyContextConfig {
    /** See OperationDefinition. */
    refusedBodyStatus?: 422;
    /** The field of `bodyLimit`. */
    tooLargeField?: string;
    /** See ServerSide; a request without it counts as a read of the client's address. */
    limit?: LimitClass;
    /** See ServerSide. */
    neverShed?: boolean;
    /** The body is a file. */
    takesFile?: boolean;
    /** The query has a parameter `token`. */
    takesToken?: boolean;
  }
  interface FastifyRequest {
    /** The JSON body before its schema filled in defaults. */
    sentBody: unknown;
    /** The authenticated caller; null on a public route. */
    principal: Principal | null;
  }
}

/** Parsed input of a route: each part has the type of its schema. */
export type RouteInput<Q, P, H, B> = {
  query: Q;
  params: P;
  headers: H;
  body: B;
  requestId: string;
  /** The client address, by which limits and budgets count. */
  clientAddress: string;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The uploaded file; empty without one. */
  file: Buffer;
};

type Schemas = { query?: z.ZodType; params?: z.ZodType; headers?: z.ZodType; body?: z.ZodType };

/** The part of a route that only the server uses. */
type ServerSide = {
  /** The caching of the response; `no-store` by default. */
  cache?: "public-10s" | "immutable";
  /** The rate limit of the route; by default `read` for GET, otherwise `write`. */
  limit?: LimitClass;
  /** Served even if the process is overloaded. */
  neverShed?: true;
};

/** An operation of the contract as the server serves it; OpenAPI and the status matrix are derived from it. */
type RouteBase = Omit<OperationDefinition, "params" | "query" | "headers" | "body"> &
  Pick<Endpoint, "method" | "site"> &
  ServerSide & {
    /** The operation's name in OpenAPI and the SDK. */
    name: string;
    /** Path below the API's root, or below the site's root with `site`, e.g. `/tokens/:address`. */
    path: string;
    schemas: Schemas;
  };

// biome-ignore lint/suspicious/noExplicitAny: a list of routes loses their types; createRoute checks them
type AnyInput = RouteInput<any, any, any, any>;

export type PublicRoute = RouteBase & {
  auth: "public";
  handle: (input: AnyInput) => Promise<unknown>;
};

export type GuardedRoute = RouteBase & {
  auth: "bearer";
  handle: (input: AnyInput & { principal: Principal }) => Promise<unknown>;
};

export type Route = PublicRoute | GuardedRoute;

/** The type of a parsed part of a request; undefined for a part that the operation does not have. */
type Parsed<Operation, Part extends string> =
  Operation extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** The input of an operation's handler: the types of its schemas, and the caller of a guarded operation. */
type OperationInput<Operation> = RouteInput<
  Parsed<Operation, "query">,
  Parsed<Operation, "params">,
  Parsed<Operation, "headers">,
  Parsed<Operation, "body">
> &
  (Operation extends { auth: "bearer" } ? { principal: Principal } : unknown);

/** Creates the route of an operation: the contract is in `operations` of the protocol, the handler is here. */
export function createRoute<Name extends OperationName>(
  name: Name,
  server: ServerSide & { handle: (input: OperationInput<Operations[Name]>) => Promise<unknown> },
): Route {
  const { params, query, headers, body, ...operation }: OperationDefinition & Endpoint = operations[name];
  const parts = Object.entries({ params, query, headers, body }).filter(([, schema]) => schema !== undefined);
  return {
    ...operation,
    ...server,
    name,
    path: operation.path.replace(/\{(\w+)\}/g, ":$1"),
    schemas: Object.fromEntries(parts),
  } as Route;
}
