import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";

/** An error whose response has headers of its own. */
export class ErrorWithHeaders extends SlipwayError {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param message - Default: the table's `help`. */
  constructor(
    code: ErrorCode,
    message: string | undefined,
    headers: Readonly<Record<string, string>>,
    details?: Record<string, unknown>,
  ) {
    super(code, message, details && { details });
    this.headers = headers;
  }
}
