/** The party that causes an error: the caller, this service, an external provider, or the chain. */
export type Fault = "caller" | "service" | "provider" | "chain";

type ErrorRow = { status: number; retryable: boolean; fault: Fault; help: string };

/** All error codes of the API: the source of responses, OpenAPI, docs and SDK. `help` tells the caller what to do. */
export const errorTable = {
  invalid_request: { status: 400, retryable: false, fault: "caller", help: "Correct the format of the request." },
  invalid_json: { status: 400, retryable: false, fault: "caller", help: "Send one JSON object as application/json." },
  invalid_query: {
    status: 400,
    retryable: false,
    fault: "caller",
    help: "Correct the query parameter that field names.",
  },
  invalid_address: {
    status: 400,
    retryable: false,
    fault: "caller",
    help: "Send an address: 0x and 40 hex digits, not the zero address.",
  },
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
    help: "Never put a credential in a URL; send it as Authorization: Bearer. Revoke the credential that you sent.",
  },
  unauthorized: {
    status: 401,
    retryable: false,
    fault: "caller",
    help: "Send a valid API key as Authorization: Bearer, or sign in.",
  },
  insufficient_credits: { status: 402, retryable: false, fault: "caller", help: "Not enough credits; buy more." },
  payment_required: {
    status: 402,
    retryable: false,
    fault: "caller",
    help: "Sign one of the payments in details.x402, and send it to POST /api/account/payments.",
  },
  invalid_origin: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "A request with a session cookie must come from a page of this site, or of an origin that the operator lists.",
  },
  plan_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "This operation needs an active subscriber plan.",
  },
  scope_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "This credential lacks the scope in details.scope; use another key, or sign in.",
  },
  reauthentication_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "Sign in again: this operation needs a browser session that signed in within the last 10 minutes. API keys are refused.",
  },
  session_required: {
    status: 403,
    retryable: false,
    fault: "caller",
    help: "Sign in with a browser; API keys are refused here.",
  },
  not_found: { status: 404, retryable: false, fault: "caller", help: "Not found. Check the path and the id." },
  method_not_allowed: {
    status: 405,
    retryable: false,
    fault: "caller",
    help: "Use another method; the Allow header lists the methods of this path.",
  },
  token_not_indexed: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "No token with this address is indexed. A new launch is indexed within a second of its block.",
  },
  opening_not_indexed: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "No opening with this address is indexed. A new opening is indexed within a second of its block.",
  },
  pair_not_found: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "Unknown pair; GET /api/markets lists all pairs.",
  },
  recipient_not_found: {
    status: 404,
    retryable: false,
    fault: "caller",
    help: "The owner of this handle has not chosen a payout wallet; ask them for an address.",
  },
  listing_not_found: { status: 404, retryable: false, fault: "caller", help: "Listing not found." },
  market_unavailable: {
    status: 404,
    retryable: true,
    fault: "service",
    help: "This pair has no current bars, or too few; GET /api/markets has the reason.",
  },
  idempotency_key_reused: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "This Idempotency-Key was used with a different request; send a new key.",
  },
  already_linked: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "This identity is linked to another account; unlink it there first.",
  },
  last_wallet: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "An account needs at least one wallet; link another wallet first.",
  },
  too_many_wallets: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of wallets; unlink one first.",
  },
  too_many_keys: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of API keys; revoke one first.",
  },
  too_many_alerts: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of alerts; delete one first.",
  },
  too_many_webhooks: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of webhooks of its plan; delete one first.",
  },
  too_many_credits: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "The account would have more credits than an account can buy; use some first.",
  },
  authorization_used: {
    status: 409,
    retryable: false,
    fault: "caller",
    help: "This authorization was used, cancelled or submitted before; sign a new one with another nonce.",
  },
  precondition_failed: {
    status: 412,
    retryable: false,
    fault: "caller",
    help: "The listing has changed; read it again and send its current ETag as If-Match.",
  },
  image_too_large: { status: 413, retryable: false, fault: "caller", help: "Send an image of at most 4 MiB." },
  request_timeout: {
    status: 408,
    retryable: true,
    fault: "caller",
    help: "The request did not arrive in time; send it again.",
  },
  headers_too_large: { status: 431, retryable: false, fault: "caller", help: "Send at most 16 KiB of headers." },
  body_too_large: {
    status: 413,
    retryable: false,
    fault: "caller",
    help: "The body is too large; send a smaller one.",
  },
  range_not_satisfiable: {
    status: 416,
    retryable: false,
    fault: "caller",
    help: "Request a range that starts inside the file.",
  },
  unsupported_image_type: {
    status: 415,
    retryable: false,
    fault: "caller",
    help: "Unsupported image format; send PNG, JPEG, GIF or WebP.",
  },
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
    help: "Connect with a WebSocket client, version 13.",
  },
  invalid_fields: { status: 422, retryable: false, fault: "caller", help: "Correct the field that field names." },
  shares_not_10000: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The share_bps of all recipients must add up to 10000.",
  },
  duplicate_recipient: { status: 422, retryable: false, fault: "caller", help: "List each payout wallet only once." },
  recipients_required: { status: 422, retryable: false, fault: "caller", help: "Add recipients to the draft." },
  fee_tier_not_launchable: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Store a draft with a fee_bps that GET /config lists as launchable.",
  },
  address_checksum: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The checksum of this address is wrong. Check the address and send it with the right checksum or in lower case.",
  },
  recipient_cannot_receive: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Payments to this address would be lost; use another address.",
  },
  draft_not_found: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Draft not found; use the id of one of your own drafts.",
  },
  too_many_drafts: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of drafts; delete one first with DELETE /intents/{id}.",
  },
  too_many_images: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The image quota of the account is full; reuse a stored image, send a smaller one, or ask the operator for more.",
  },
  too_many_listings: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The account has the maximum number of listings; withdraw one first.",
  },
  chain_mismatch: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The draft is for another chain than this service.",
  },
  splitter_not_deployed: {
    status: 422,
    retryable: true,
    fault: "caller",
    help: "Deploy the splitter, wait for the receipt, then retry with the receipt's contractAddress.",
  },
  vesting_not_deployed: {
    status: 422,
    retryable: true,
    fault: "caller",
    help: "Create the vesting of the initial buy with POST /vestings/transactions, wait for the receipt, then retry.",
  },
  no_vesting: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The initial buy has no vesting: set initial_buy.vesting of the draft, or name a token whose initial buy vests.",
  },
  opening_not_ready: {
    status: 422,
    retryable: true,
    fault: "caller",
    help: "The deposits are below the opening's minimum; the creator can launch once they reach it.",
  },
  opening_expired: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The deadline of the opening has passed: depositors claim their deposits back.",
  },
  opening_closed: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The opening has ended: depositors claim their tokens and the rest of their deposits.",
  },
  opening_not_launched: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "No token of the creator with the opening's parameters was launched without the opening: it cannot be closed.",
  },
  opening_value_out_of_range: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Use a value from the opening's minimum to the smaller of its cap and its deposits; details has both.",
  },
  splitter_mismatch: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "This contract is not the verified splitter with exactly the draft's recipients; deploy a splitter for this draft.",
  },
  pool_not_supported: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Only tokens launched here can be traded.",
  },
  pool_taken: {
    status: 422,
    retryable: false,
    fault: "chain",
    help: "A pool with another price exists for this token address; launch with another salt.",
  },
  salt_taken: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "A token with this salt exists; launch with another salt.",
  },
  simulation_reverted: {
    status: 422,
    retryable: false,
    fault: "chain",
    help: "The transaction would fail; details has the error of the contract.",
  },
  insufficient_balance: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Insufficient balance; details has the asset and the missing amount.",
  },
  amount_too_small: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The trade would yield nothing; use a larger amount.",
  },
  not_recipient: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "This wallet isn't a fee recipient of this token.",
  },
  quote_expired: { status: 422, retryable: false, fault: "caller", help: "The quote has expired; request a new one." },
  quote_consumed: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The quote has been used; request a new one.",
  },
  signature_invalid: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "Sign the message or typed data of the response with the named wallet. A typed-data signature has 65 bytes and a low s.",
  },
  authorization_cancelled: {
    status: 422,
    retryable: false,
    fault: "caller",
    help: "The creator has cancelled this signature; repeat the request without authorization to get new typed data to sign.",
  },
  cursor_expired: {
    status: 400,
    retryable: false,
    fault: "caller",
    help: "The cursor has expired; start again without a cursor.",
  },
  rate_limited: {
    status: 429,
    retryable: true,
    fault: "caller",
    help: "Too many requests; wait for the seconds in Retry-After.",
  },
  internal_error: {
    status: 500,
    retryable: true,
    fault: "service",
    help: "Internal error; if it persists, report the request_id.",
  },
  manifest_missing: {
    status: 503,
    retryable: false,
    fault: "service",
    help: "The operator has not configured a deployment manifest.",
  },
  manifest_unverified: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The contracts on the chain are not verified against the manifest yet; no transactions are prepared until they are.",
  },
  chain_unavailable: {
    status: 503,
    retryable: true,
    fault: "chain",
    help: "The RPC endpoint of the chain does not respond.",
  },
  index_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The index is not up to date; try again later.",
  },
  storage_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The database or the image storage does not respond.",
  },
  history_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "Old trades and candles are not available now; try again later. Recent ones are available with a smaller limit.",
  },
  provider_unavailable: {
    status: 503,
    retryable: true,
    fault: "provider",
    help: "An external provider is not configured or does not respond; GET /config lists the available providers.",
  },
  gas_station_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The gas station is unavailable; GET /config has the reason.",
  },
  asset_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "The asset of the trade has no reliable price now, or has changed. Trade in native, or try again later.",
  },
  payment_unavailable: {
    status: 503,
    retryable: true,
    fault: "service",
    help: "Payments are unavailable; no money was taken.",
  },
  overloaded: { status: 503, retryable: true, fault: "service", help: "The service is overloaded; try again later." },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Returns the definition of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code];
}

/** An error with a code of the table; routes convert it to the `Error` body. */
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
