import type { Scope } from "@slipway/protocol/accounts";
import type { PlanName } from "@slipway/protocol/administration";
import type { ErrorCode } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Principal } from "./accounts/principal.ts";

/**
 * Which limit a route consumes; declared by the route, else by its method. Public routes are counted by client address,
 * guarded ones by credential.
 */
export type LimitClass = "read" | "write" | "upload" | "none";

declare module "fastify" {
  interface FastifyContextConfig {
    /** See RouteBase. */
    refusedBodyStatus?: 422;
    /** The field of `bodyLimit`. */
    tooLargeField?: string;
    /** See RouteBase; a request without it consumes a read of the client's address. */
    limit?: LimitClass;
    /** See RouteBase. */
    neverShed?: boolean;
    /** Its body is a file. */
    takesFile?: boolean;
    /** It has a query parameter `token`. */
    takesToken?: boolean;
  }
  interface FastifyRequest {
    /** The JSON body as it was sent, before its schema filled in defaults. */
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
  /** The client, as limits and budgets count. */
  clientAddress: string;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The file of a route that takes one; empty on others. */
  file: Buffer;
};

/** A body of multipart/form-data with one part, `file`, instead of JSON. */
export type FileBody = {
  /** The most bytes of the file; more are not read. */
  maxBytes: number;
  /** The code of a larger file. */
  tooLarge: ErrorCode;
  /** Media types of the file, for documentation: what it is, its content decides. */
  contentTypes: readonly string[];
  description: string;
};

type Schemas<Q extends z.ZodType, P extends z.ZodType, H extends z.ZodType, B extends z.ZodType> = {
  query?: Q;
  params?: P;
  headers?: H;
  body?: B;
};

/** A successful response: a schema for JSON, or a content type for anything else, or neither without a body. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  /** The messages of a stream of Server-Sent Events. */
  messages?: z.ZodType;
  /** Headers that it has, besides those of every response. */
  headers?: readonly AnswerHeader[];
};

/** Headers that not every response has. */
export type AnswerHeader =
  | "Accept-Ranges"
  | "Content-Disposition"
  | "Content-Range"
  | "ETag"
  | "Credits-Remaining"
  | "Location"
  | "Set-Cookie";

/** What every route declares; OpenAPI, the guard tables and the status matrix are derived from it. */
type RouteBase = {
  method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** Path below the API root, e.g. `/tokens/:address`; `site: true` puts it below the site root instead. */
  path: string;
  site?: boolean;
  /** The operation's name in OpenAPI and SDK, camelCase. */
  name: string;
  tag: string;
  summary: string;
  description?: string;
  /** Successful responses by status. */
  answers: Record<number, Answer>;
  /** Error codes of this route, beside those of its limit, guard and input. */
  errors: readonly ErrorCode[];
  /** The status of a body that cannot be read, where it is another one than the error table's (no JSON: 400). */
  refusedBodyStatus?: 422;
  /** Another limit of the body than that of every route; above it the answer is 422 `invalid_fields` with this field. */
  bodyLimit?: { bytes: number; field: string };
  /** How the response may be cached; `no-store` when left out. */
  cache?: "public-10s" | "immutable";
  /** Its body is a file. */
  file?: FileBody;
  /** It takes a body of any type and does not read it: programs of others send one. */
  ignoredBody?: true;
  /** Its query has parameters of another party (a provider, a monitor): none is declared, and none refused. */
  foreignQuery?: true;
  /** A public route that sets or uses cookies: a page that calls it must belong to this site. */
  sameOrigin?: boolean;
  /** The scope that the credential needs; `read` for GET, else `write`, when left out. */
  scope?: Scope;
  /**
   * For what could take an account over: refused to every API key, and to a session that signed in more than 10 minutes
   * ago.
   */
  recentSignIn?: true;
  /** The plan that the account must have now. */
  plan?: PlanName;
  /** Credits that one call costs, and a failed one does not: the handler books them with `withCredits`. */
  credits?: number;
  /** The rate limit that it consumes; by the method when left out. */
  limit?: LimitClass;
  /** Served also while load is shed. */
  neverShed?: true;
};

// biome-ignore lint/suspicious/noExplicitAny: a list of routes loses their types; publicRoute and guardedRoute check them
type AnyInput = RouteInput<any, any, any, any>;

export type PublicRoute = RouteBase & {
  auth: "public";
  schemas: Schemas<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;
  handle: (input: AnyInput) => Promise<unknown>;
};

export type GuardedRoute = RouteBase & {
  auth: "bearer";
  schemas: Schemas<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;
  handle: (input: AnyInput & { principal: Principal }) => Promise<unknown>;
};

export type Route = PublicRoute | GuardedRoute;

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Declares a public route; its handler's input has the schemas' types. */
export function publicRoute<
  Q extends z.ZodType = never,
  P extends z.ZodType = never,
  H extends z.ZodType = never,
  B extends z.ZodType = never,
>(
  route: RouteBase & {
    schemas?: Schemas<Q, P, H, B>;
    handle: (input: RouteInput<Output<Q>, Output<P>, Output<H>, Output<B>>) => Promise<unknown>;
  },
): PublicRoute {
  return { ...route, auth: "public", schemas: route.schemas ?? {} };
}

/** Declares a route that needs a credential; its handler also gets the principal. */
export function guardedRoute<
  Q extends z.ZodType = never,
  P extends z.ZodType = never,
  H extends z.ZodType = never,
  B extends z.ZodType = never,
>(
  route: RouteBase & {
    schemas?: Schemas<Q, P, H, B>;
    handle: (
      input: RouteInput<Output<Q>, Output<P>, Output<H>, Output<B>> & { principal: Principal },
    ) => Promise<unknown>;
  },
): GuardedRoute {
  return { ...route, auth: "bearer", schemas: route.schemas ?? {} };
}

/** Base path of the launchpad's API below the site's root. */
export const apiPrefix = "/api/v1/launchpad";
