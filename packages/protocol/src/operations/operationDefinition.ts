import { z } from "zod";
import type { Scope } from "../accounts.ts";
import type { PlanName } from "../administration.ts";
import type { ErrorCode } from "../errors.ts";
import { idempotencyKey } from "../intent.ts";

/** The contract of an operation, besides its endpoint. Validation, OpenAPI and the SDK's types are derived from it. */
export type OperationDefinition = {
  /** The group in the API reference. */
  tag: string;
  summary: string;
  description?: string;
  /** The parameters of the path. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodType;
  /** The body is a file, as multipart/form-data. */
  file?: FileBody;
  /** A body limit other than the limit of all routes; a larger body is 422 `invalid_fields` with this field. */
  bodyLimit?: { bytes: number; field: string };
  /** The status of a body that cannot be read, if it differs from the status in the error table. */
  refusedBodyStatus?: 422;
  /** Accepts a body of any type and does not read it. */
  ignoredBody?: true;
  /** Accepts any query: another party (an OAuth provider, a monitor) chooses its parameters. */
  foreignQuery?: true;
  /** A public operation that sets or uses cookies; a page that calls it must belong to this site. */
  sameOrigin?: true;
  /** The scope that the credential needs; the default is `read` for GET, otherwise `write`. */
  scope?: Scope;
  /** Rejects every API key, and every session that signed in more than 10 minutes ago. */
  recentSignIn?: true;
  /** The plan that the account needs. */
  plan?: PlanName;
  /** The credits that a successful call costs. */
  credits?: number;
  /** The part of the body for which `credits` is the cost, if it is not the call. */
  creditsFor?: "series";
  /** Successful answers by status. */
  answers: Record<number, Answer>;
  /** Error codes besides the codes of every operation with the same guard and the same input. */
  errors: readonly ErrorCode[];
};

/** A body of multipart/form-data with one part, `file`. */
export type FileBody = {
  maxBytes: number;
  /** The error code of a larger file. */
  tooLarge: ErrorCode;
  /** Accepted media types, for the documentation; the content of the file decides. */
  contentTypes: readonly string[];
  description: string;
};

/** A successful answer: a schema for JSON, a content type for other bytes, or neither if there is no body. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  /** The answer is text/csv if the query has `format=csv`. */
  csv?: true;
  /** The messages of a stream of Server-Sent Events. */
  messages?: z.ZodType;
  /** Headers of this answer besides the headers of every answer. */
  headers?: readonly AnswerHeader[];
};

/** Headers that only some answers have. */
export type AnswerHeader =
  | "Accept-Ranges"
  | "Content-Disposition"
  | "Content-Range"
  | "ETag"
  | "Credits-Remaining"
  | "Location"
  | "Payment-Response"
  | "Set-Cookie"
  | "Slipway-Warning";

/** The headers of an operation that needs an Idempotency-Key. */
export const idempotencyHeaders = z.object({ "idempotency-key": idempotencyKey });

/** Errors of every operation that reads the chain. */
export const chainErrors = [
  "manifest_missing",
  "manifest_unverified",
  "chain_unavailable",
  "storage_unavailable",
] as const satisfies readonly ErrorCode[];
