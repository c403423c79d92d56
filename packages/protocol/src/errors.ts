/** The party responsible for an error: the caller, this service, an external provider, or the chain. */
export type Fault = "caller" | "service" | "provider" | "chain";

type ErrorRow = { status: number; retryable: boolean; fault: Fault; help: string };

/**
 * Every error code of the API: the source of responses, OpenAPI, docs and SDK.
 * `help` says what to do.
 */
export const errorTable = {
  invalid_request: { status: 400, retryable: false, fault: "caller", help: "Correct the request's form." },
  invalid_json: { status: 400, retryable: false, fault: "caller", help: "Send one JSON object as application/json." },
  invalid_query: { status: 400, retryable: false, fault: "caller", help: "Correct the named query parameter." },
  invalid_address: { status: 400, retryable: false, fault: "caller", help: "Send 0x and 40 hex digits, not zero." },
  idempotency_key_missing: {
    status: 400,
    retryable: false,
    fault: "caller",
    help: "Send an Idempotency-Key header of 8 to 128 characters.",
  },
  credentials_in_url: {
    status: 400,
    retryable: false,
    fault: "caller",
    help: "Never put a credential in a URL; send it as Authorization: Bearer. Revoke the one you sent.",
  },
  unauthorized: {
    status: 401,
    retryable: false,
    fault: "caller",
    help: "Send a valid API key as Authorization: Bearer, or sign in.",
  },
  insufficient_credits: { status: 402, retryable: false, fault: "caller", help: "Buy credits." },
  invalid_origin: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "A request with a session cookie must come from a page of this site, or of an origin that the operator lists.",
  },
  plan_required: { status: 403, retryable: false, fault: "caller", help: "This needs an active subscriber plan." },
  scope_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "This credential lacks the scope that details name; use another key, or sign in.",
  },
  reauthentication_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "Sign in again: this needs a browser's session that signed in within the last 10 minutes, never a key.",
  },
  session_required: { status: 403, retryable: false, fault: "caller", help: "Only a browser's session can do this." },
  not_found: { status: 404, retryable: false, fault: "caller", help: "There is nothing at this path." },
  method_not_allowed: {
    status: 405,
    retryable: false,
    fault: "caller",
    help: "This path has other methods; the header Allow lists them.",
  },
  token_not_indexed: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "No launch of this address is indexed; a new one appears within a second of its block.",
  },
  pair_not_found: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "There is no market of this pair; GET /api/markets lists them.",
  },
  recipient_not_found: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "No account that has proven this handle has chosen a payout wallet; ask its owner for an address.",
  },
  listing_not_found: { status: 404, retryable: false, fault: "caller", help: "There is no listing of this id." },
  market_unavailable: {
    status: 404,
    retryable: true,
    fault: "service",
    help: "There are no current bars of this pair, or not enough; GET /api/markets says why.",
  },
  idempotency_key_reused: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "This Idempotency-Key was used with other content; take a new key.",
  },
  already_linked: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "This belongs to another account; unlink it there first.",
  },
  last_wallet: { status: 409, retryable: false, fault: "caller", help: "Link another wallet before; one must stay." },
  too_many_wallets: { status: 409, retryable: false, fault: "caller", help: "Unlink a wallet first." },
  too_many_keys: { status: 409, retryable: false, fault: "caller", help: "Revoke a key first." },
  too_many_alerts: { status: 409, retryable: false, fault: "caller", help: "Delete an alert first." },
  precondition_failed: {
    status: 412,
    retryable: false,
    fault: "caller",
    help: "It changed since it was read: read it again, and send its ETag as If-Match.",
  },
  image_too_large: { status: 413, retryable: false, fault: "caller", help: "Send at most 4 MiB." },
  request_timeout: { status: 408, retryable: true, fault: "caller", help: "Send the whole request faster." },
  headers_too_large: { status: 431, retryable: false, fault: "caller", help: "Send headers of 16 KiB at most." },
  body_too_large: { status: 413, retryable: false, fault: "caller", help: "Send a smaller body." },
  range_not_satisfiable: {
    status: 416,
    retryable: false,
    fault: "caller",
    help: "Ask for a range that begins within the bytes.",
  },
  unsupported_image_type: { status: 415, retryable: false, fault: "caller", help: "Send PNG, JPEG, GIF or WebP." },
  unsupported_encoding: {
    status: 415,
    retryable: false,
    fault: "caller",
    help: "Send the body as UTF-8, without a Content-Encoding and with no other charset in its Content-Type.",
  },
  expectation_failed: {
    status: 417,
    retryable: false,
    fault: "caller",
    help: "Send no Expect header, or 100-continue.",
  },
  upgrade_required: {
    status: 426,
    retryable: false,
    fault: "caller",
    help: "This path is for WebSockets: connect with a WebSocket client, version 13.",
  },
  invalid_fields: { status: 422, retryable: false, fault: "caller", help: "Correct the named field." },
  shares_not_10000: { status: 422, retryable: false, fault: "caller", help: "Make share_bps sum to 10000." },
  duplicate_recipient: { status: 422, retryable: false, fault: "caller", help: "Name each payout wallet once." },
  recipients_required: { status: 422, retryable: false, fault: "caller", help: "Store a draft with recipients." },
  fee_tier_not_launchable: { status: 422, retryable: false, fault: "caller", help: "Use fee_bps 100." },
  address_checksum: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Compare the address with its source and send the right one, checksummed or in lower case.",
  },
  recipient_cannot_receive: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "What this address is paid is lost; name another address.",
  },
  draft_not_found: { status: 422, retryable: false, fault: "caller", help: "Use the id of one of your own drafts." },
  too_many_drafts: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Delete a draft first: DELETE /intents/{id}.",
  },
  too_many_images: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The account's quota of stored pictures is full: use one that is stored already, send a smaller one, or ask the operator for more.",
  },
  too_many_listings: { status: 422, retryable: false, fault: "caller", help: "Withdraw a listing first." },
  chain_mismatch: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The draft names another chain than this service runs on.",
  },
  splitter_not_deployed: {
    status: 422,
    retryable: true,
    fault: "caller",
    help: "Send the splitter deployment, wait for its receipt, then ask again with the receipt's contractAddress.",
  },
  splitter_mismatch: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The contract is not the pinned splitter with exactly the draft's allocations; deploy one for this draft.",
  },
  pool_not_supported: { status: 422, retryable: false, fault: "caller", help: "Only pools of indexed launches trade." },
  pool_taken: {
    status: 422,
    retryable: false,
    fault: "chain",
    help: "Somebody opened the pool of this address at another price; launch with another salt.",
  },
  salt_taken: { status: 422, retryable: false, fault: "caller", help: "Launch with another salt." },
  simulation_reverted: {
    status: 422,
    retryable: false,
    fault: "chain",
    help: "The transaction would fail; details name the contract's own error.",
  },
  insufficient_balance: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Fund the wallet; details say with how much of what.",
  },
  amount_too_small: { status: 422, retryable: false, fault: "caller", help: "Trade a larger amount." },
  not_recipient: { status: 422, retryable: false, fault: "caller", help: "This wallet has no share of the token." },
  quote_expired: { status: 422, retryable: false, fault: "caller", help: "Ask for a new quote." },
  quote_consumed: { status: 422, retryable: false, fault: "caller", help: "Ask for a new quote; one is used once." },
  signature_invalid: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Sign what was given to sign with the named wallet; of typed data 65 bytes with a low s.",
  },
  cursor_expired: { status: 400, retryable: false, fault: "caller", help: "Start again without a cursor." },
  rate_limited: { status: 429, retryable: true, fault: "caller", help: "Wait for Retry-After seconds." },
  internal_error: {
    status: 500,
    retryable: true,
    fault: "service",
    help: "This is our fault; report the request_id if it stays.",
  },
  manifest_missing: { status: 503, retryable: false, fault: "service", help: "The operator must pin a manifest." },
  manifest_unverified: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The chain is not proven against the pinned manifest; no transaction is built until it is.",
  },
  chain_unavailable: { status: 503, retryable: true, fault: "chain", help: "The chain's endpoint does not answer." },
  index_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The index is not ready; it would be stale. Try again later.",
  },
  storage_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The database or the storage of images does not answer.",
  },
  provider_unavailable: {
    status: 503,
    retryable: true,
    fault: "provider",
    help: "An outside provider is missing or does not answer; GET /config lists what is available.",
  },
  gas_station_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The network-fee top-up is not available now; GET /config says why.",
  },
  overloaded: { status: 503, retryable: true, fault: "service", help: "The service sheds load; try again later." },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Returns the row of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code];
}

/** An error with a code of the table; a route converts it to the `Error` body. */
export class SlipwayError extends Error {
  override name = "SlipwayError";
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  /**
   * @param message - What happened, for the caller; contains no secret. Default: the table's `help`.
   */
  constructor(
    code: ErrorCode,
    message?: string,
    more: { field?: string; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message ?? errorTable[code].help, { cause: more.cause });
    this.code = code;
    this.field = more.field;
    this.details = more.details;
  }
}
