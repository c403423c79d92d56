import type { CallToolResult } from "@modelcontextprotocol/server";
import { type ErrorCode, errorTable } from "@slipway/protocol/errors";
import { toPublishedText } from "@slipway/protocol/publishedText";
import { ApiError } from "@slipway/sdk/apiError";
import { NotAsAsked } from "@slipway/sdk/verifyPrepared";

/** An answer that is no error of the service: the tool refuses by itself. */
export class ToolRefusal extends Error {
  override name = "ToolRefusal";
  readonly code: string;

  /** @param help - What the caller can do. */
  constructor(code: string, help: string) {
    super(help);
    this.code = code;
  }
}

/** The structured content of a refusal. */
export type Refusal = {
  code: string;
  help: string;
  /** Whether the same call can succeed later. */
  retryable: boolean;
  retry_after_seconds: number | null;
  field?: string;
  request_id: string | null;
  /** Texts of the service that can repeat a stranger's text, cleaned. */
  untrusted: Record<string, string>;
};

const maxMessageLength = 2_000;

/**
 * Creates the result of a successful call. The text has the facts alone, for clients that read no structured content.
 *
 * @param content - Its `untrusted` has every text of a stranger.
 */
export function toToolResult(content: Record<string, unknown> & { untrusted?: unknown }): CallToolResult {
  const { untrusted: _, ...facts } = content;
  return { content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: content };
}

/** Creates the result of a refused call: a result with `isError`, so that a model can read the reason. */
export function toRefusal(error: unknown): CallToolResult {
  const refusal = describeRefusal(error);
  const { untrusted: _, ...facts } = refusal;
  return { isError: true, content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: refusal };
}

function describeRefusal(error: unknown): Refusal {
  const none = { retryable: false, retry_after_seconds: null, request_id: null, untrusted: {} };
  if (error instanceof ToolRefusal) return { ...none, code: error.code, help: error.message };
  if (error instanceof NotAsAsked) {
    const names = error.failed.map(({ name }) => name).join(", ");
    const help = `The service prepared something else than the request: ${names}. Nothing to sign is returned.`;
    return { ...none, code: "not_as_asked", help, untrusted: clean({ checks: error.message }) };
  }
  if (!(error instanceof ApiError)) {
    return { ...none, code: "unexpected", help: "The service did not answer as documented. Try again later." };
  }
  const { code, message, retryable, retryAfterSeconds, requestId, field } = error;
  const help = Object.hasOwn(errorTable, code)
    ? errorTable[code as ErrorCode].help
    : "Another program than the service answered, or a later version of it.";
  const isField = field !== undefined && /^[\w.[\]]{1,100}$/.test(field);
  return {
    code,
    help,
    retryable,
    retry_after_seconds: retryAfterSeconds,
    ...(isField && { field }),
    request_id: requestId !== null && /^[\w-]{1,64}$/.test(requestId) ? requestId : null,
    untrusted: clean({ message }),
  };
}

const clean = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      toPublishedText(text, { maxLength: maxMessageLength, lines: true }) ?? "",
    ]),
  );
