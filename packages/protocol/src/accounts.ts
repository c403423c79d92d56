import { z } from "zod";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { addressOut, dateTime, evmAddress } from "./primitives.ts";
import { text } from "./text.ts";

/**
 * The permissions of a credential: `read` lists and quotes, `write` stores drafts and listings, `transactions` prepares
 * transactions for a wallet, `account` reads and renames the account and revokes its keys, `admin` manages plans and
 * credits of all accounts. Operations that could take over an account require a session, whatever the scopes of a key.
 */
export const scope = z.enum(["read", "write", "transactions", "account", "admin"]);
export type Scope = z.infer<typeof scope>;

/** The scopes of a session: all but `admin`. */
export const sessionScopes: readonly Scope[] = ["read", "write", "transactions", "account"];

/**
 * The default scopes of a key. `account` must be requested explicitly, so that a leaked key does not control the
 * account.
 */
export const defaultKeyScopes: readonly Scope[] = ["read", "write", "transactions"];

/** A display name without control characters. */
export const displayName = text()
  .min(1)
  .max(64)
  .refine((value) => !/\p{Cc}/u.test(value), "must not contain control characters");

/** The providers of handles. */
export const handleProvider = z.enum(["code_host", "social"]);
export type HandleProvider = z.infer<typeof handleProvider>;

/** The values that a sign-in message must contain. */
export const signInNonce = z
  .object({ nonce: z.string(), domain: z.string(), uri: z.string(), chain_id: z.int() })
  .meta({ id: "SignInNonce", description: "The values of a sign-in message (ERC-4361)." });

/** An ERC-4361 message and the wallet's signature over it. */
export const signedMessage = z
  .strictObject({
    message: text().min(1).max(4_000),
    signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,8000}$/, "must be 0x and hex digits"),
  })
  .meta({ id: "SignedMessage", description: "A sign-in message (ERC-4361) and the wallet's signature of it." });

export const signedIn = z
  .object({ account_id: z.uuid(), wallet: addressOut })
  .meta({ id: "SignedIn", description: "The account and the wallet of a new session." });

/** The session of this browser. */
export const currentSession = z
  .object({ account_id: z.uuid(), session_id: z.uuid(), expires_at: dateTime })
  .meta({ id: "CurrentSession", description: "The session of this browser." });

/**
 * A path of this site in its normal form, with an optional query and fragment. Each segment of the path begins with a
 * letter, a digit, `_` or `~`: a path with an empty segment or a dot segment could become `//host`, which is another site.
 * Source: RFC 3986, 3.3 and 5.2.4.
 */
export const sitePath = z
  .string()
  .max(256)
  .regex(
    /^\/([A-Za-z0-9_~][A-Za-z0-9._~-]*(\/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*\/?)?(\?[A-Za-z0-9._~!$&()*+,;=:@/?%-]*)?(#[A-Za-z0-9._~!$&()*+,;=:@/?%-]*)?$/,
    "must be a path of this site, without dot segments, empty segments and percent-encoding",
  );

export const linkRequest = z
  .strictObject({ provider: handleProvider, callback_url: sitePath.optional() })
  .meta({ id: "LinkRequest", description: "The provider to link, and the page to which the browser returns." });

export const linkStart = z.object({ url: z.url() }).meta({ id: "LinkStart", description: "The URL for the browser." });

/** Verified identities of the account at providers, with the latest handle of each. */
export const connections = z
  .object({
    items: z.array(
      z.object({
        provider: z.enum(["wallet", "code_host", "social"]),
        id: z.string(),
        handle: z.string().nullable(),
        linked_at: dateTime,
      }),
    ),
  })
  .meta({
    id: "Connections",
    description: "The verified identities of the account, with their latest handles.",
  });

const activePlan = z.object({ plan: z.string(), active_from: dateTime, active_until: dateTime.nullable() });

export const account = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: dateTime,
    wallets: z.array(z.object({ address: addressOut, linked_at: dateTime })),
    connections: connections.shape.items,
    plan: activePlan.nullable(),
    credits: z.int(),
    payout_wallet: addressOut
      .nullable()
      .describe(
        "The wallet that `GET /recipients` returns for the verified handles of the account; null if none is " +
          "chosen.",
      ),
  })
  .meta({ id: "Account", description: "An account with its wallets, connections, plan and credits." });

export const accountChange = z
  .strictObject({
    name: displayName.optional(),
    payout_wallet: evmAddress
      .nullable()
      .optional()
      .describe("A linked wallet of the account; null removes the payout wallet."),
  })
  .refine((change) => Object.keys(change).length > 0, {
    path: ["name"],
    message: "is required if payout_wallet is omitted",
  })
  .meta({ id: "AccountChange", description: "A new name, a new payout wallet, or both." });

export const newApiKey = z
  .strictObject({
    name: displayName,
    scopes: z.array(scope).min(1).max(5).optional(),
    expires_in_days: z.int().min(1).max(3_650).optional(),
  })
  .meta({
    id: "NewApiKey",
    description:
      "The key to create. Without `scopes` it has `read`, `write` and `transactions`; without `expires_in_days` no end.",
  });

export const apiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(scope),
    created_at: dateTime,
    last_used_at: dateTime.nullable(),
    expires_at: dateTime.nullable(),
  })
  .meta({ id: "ApiKey", description: "An API key without its secret; `prefix` has its first characters." });
export type ApiKey = z.infer<typeof apiKey>;

/** The only response that contains the key itself. */
export const createdApiKey = apiKey
  .extend({ key: z.string() })
  .meta({ id: "CreatedApiKey", description: "A new API key. Only this answer contains the secret, `key`." });

export const apiKeyList = z
  .object({ items: z.array(apiKey) })
  .meta({ id: "ApiKeys", description: "The keys of the account, newest first." });

export const sessionList = z
  .object({
    items: z.array(
      z.object({
        id: z.uuid(),
        current: z.boolean(),
        created_at: dateTime,
        expires_at: dateTime,
        address: z.string().nullable(),
        user_agent: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "Sessions", description: "The browsers that are signed in to the account." });

export const endedSessions = z
  .object({ ended: z.int() })
  .meta({ id: "EndedSessions", description: "The number of ended sessions." });

/** The types of account events. */
export const accountEventKind = z.enum([
  "key_created",
  "key_revoked",
  "wallet_linked",
  "wallet_unlinked",
  "connection_linked",
  "connection_unlinked",
  "session_revoked",
  "signed_out_everywhere",
  "account_exported",
  "plan_changed",
  "draft_deleted",
  "payout_wallet_changed",
  "webhook_disabled",
]);
export type AccountEventKind = z.infer<typeof accountEventKind>;

const accountEvent = z.object({
  id: z.int(),
  kind: accountEventKind,
  details: z.record(z.string(), z.unknown()).describe("The ids and names of the changed items."),
  created_at: dateTime,
});

/** The account's events, newest first. `next_before` requests the next page; null at the end. */
export const accountEvents = z.object({ items: z.array(accountEvent), next_before: z.int().nullable() }).meta({
  id: "AccountEvents",
  description:
    "The account's events, newest first. Pass `next_before` as `before` to get the next page; it is null " +
    "on the last page.",
});

/** The response of a removal. */
export const removed = z
  .object({ removed: z.literal(true) })
  .meta({ id: "Removed", description: "Confirms a removal." });

export const linkedWallet = z
  .object({ address: addressOut, linked_at: dateTime })
  .meta({ id: "LinkedWallet", description: "A wallet that can sign in to the account." });

/** A page of a list, newest first; `before` is `next_before` of the previous page. */
export const ledgerQuery = z.object({
  limit: integerQuery(1, 100, 50).describe("The maximum number of entries."),
  before: optionalIntegerQuery(1, Number.MAX_SAFE_INTEGER, "must be next_before of a page").describe(
    "`next_before` of the previous page.",
  ),
});

/** The account's credit entries, newest first. `next_before` requests the next page; null at the end. */
export const creditLedger = z
  .object({
    balance: z.int(),
    items: z.array(
      z.object({
        id: z.int(),
        kind: z.enum(["grant", "charge", "refund"]),
        amount: z.int(),
        reason: z.string(),
        request_id: z.string(),
        balance_after: z.int().nullable(),
        created_at: dateTime,
      }),
    ),
    next_before: z.int().nullable(),
  })
  .meta({
    id: "CreditLedger",
    description:
      "The account's credit transactions, newest first. Pass `next_before` as `before` to get the next " +
      "page; it is null on the last page.",
  });
