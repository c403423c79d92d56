import { errorBody } from "@slipway/protocol/errorBody";
import { type ErrorCode, errorTable } from "@slipway/protocol/errors";
import type { CheckAnswer } from "../conformance/checkAnswer.ts";
import { findErrorTextFault } from "../conformance/errorText.ts";
import type { Operation } from "../conformance/openApi.ts";
import type { FuzzRequest } from "./requests.ts";
import type { FuzzAnswer } from "./sendRequest.ts";

const securityHeaders: Record<string, RegExp> = {
  "content-security-policy": /default-src 'none'/,
  "x-content-type-options": /^nosniff$/,
  "x-frame-options": /^DENY$/i,
  "referrer-policy": /^no-referrer$/,
  "x-request-id": /^[0-9a-f-]{36,}$/,
};

type Judged = { operation: Operation; request: FuzzRequest; answer: FuzzAnswer; apiKey: string };

/** Returns the first required header that is missing or wrong in an answer; null if there is none. */
export function securityFault({ status, headers }: Pick<FuzzAnswer, "status" | "headers">): string | null {
  const wrong = Object.entries(securityHeaders).find(([name, wanted]) => !wanted.test(headers[name] ?? ""));
  return wrong ? `${status} has the header ${wrong[0]}: ${headers[wrong[0]]}` : null;
}

/** Returns the fault of an answer to any request; null if there is none. */
export function judgeAnswer(checkAnswer: CheckAnswer, judged: Judged): string | null {
  const { operation, request, answer, apiKey } = judged;
  const { status, headers, text } = answer;
  const bare = securityFault(answer);
  if (bare !== null) return bare;
  if (text.includes(apiKey)) return `${status} repeats the credential`;
  if (headers["cache-control"]?.includes("public") && headers["set-cookie"]) return `${status} is public with a cookie`;
  if (status === 304) {
    return judgeNotModified(request, answer) ?? checkAnswer(operation, status, undefined, toHeaders(headers));
  }
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  let body: unknown;
  try {
    body = isJson ? JSON.parse(text) : undefined;
  } catch {
    return `${status} says that it is JSON and is none`;
  }
  const broken = checkAnswer(operation, status, body, toHeaders(headers));
  if (broken !== null) return broken;
  // A feed has no block that is not final yet.
  const isNotFinal = operation.path.startsWith("/feeds/") && text.includes("index_unavailable");
  if (status === 503 && isNotFinal) return null;
  if (status >= 500) return `${status} of a stack where nothing is broken`;
  if (status >= 400) return judgeError(operation, answer, body);
  if (operation.guarded && !opens(request)) return `${status} with the credential ${request.credential}`;
  return null;
}

const toHeaders = (headers: FuzzAnswer["headers"]) =>
  new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));

/**
 * A session cookie from another origin may authorize only requests that change nothing: that page cannot read the
 * answer.
 */
const opens = ({ credential, method }: FuzzRequest) =>
  credential === "own" || credential === "session" || (credential === "foreign session" && method === "GET");

function judgeNotModified({ headers }: FuzzRequest, answer: FuzzAnswer): string | null {
  if (!headers.some(([name]) => name === "if-none-match")) return "304 without If-None-Match";
  return answer.text === "" && answer.headers.etag ? null : "304 with a body or without an ETag";
}

/** An error must be a row of the table, with a code that the document declares for this operation. */
function judgeError(operation: Operation, { status, headers }: FuzzAnswer, body: unknown): string | null {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return `${status} is not the error body`;
  const { code, request_id, retryable } = parsed.data.error;
  const described = operation.about.responses[status]?.description ?? "";
  if (!described.includes(`\`${code}\``)) return `${status} ${code} is not among the codes that the document names`;
  const unreadable = findErrorTextFault(parsed.data.error);
  if (unreadable !== null) return `${status} ${code}: ${unreadable}`;
  if (retryable !== errorTable[code as ErrorCode].retryable) return `${code} says retryable ${retryable}`;
  if (request_id !== headers["x-request-id"]) return `${status} has another request_id than its header`;
  if (headers["cache-control"] !== "no-store") return `${status} may be cached: ${headers["cache-control"]}`;
  if (status === 401 && !headers["www-authenticate"]) return "401 without WWW-Authenticate";
  if ((status === 429 || status === 503) && !headers["retry-after"]) return `${status} without Retry-After`;
  return null;
}

/** Codes for a malformed request: the request did not get past the validation. */
const refusals: ReadonlySet<string> = new Set<ErrorCode>([
  "invalid_request",
  "invalid_json",
  "invalid_query",
  "invalid_address",
  "invalid_fields",
  "idempotency_key_missing",
  "credentials_in_url",
  "unsupported_encoding",
  "unauthorized",
  "rate_limited",
]);

/** Whether a request got past the validation of its form. */
export function reachedTheService({ status, text }: FuzzAnswer): boolean {
  if (status < 400) return true;
  return !refusals.has((JSON.parse(text) as { error: { code: string } }).error.code);
}
