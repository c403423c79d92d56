import { z } from "zod";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { launchEvent, retractedEvent, snapshotReason, tradeEvent } from "./liveEvents.ts";
import { marketPair } from "./markets.ts";
import { addressOut, dateTime, evmAddress, positiveUint256 } from "./primitives.ts";
import { signal } from "./signals.ts";
import { text } from "./text.ts";

const minQuoteAmount = positiveUint256.describe(
  "Only trades of at least this amount of the quote token, in base units (wei of the wrapped native token).",
);

const launches = z
  .strictObject({
    kind: z.literal("launches"),
    creator: evmAddress.optional().describe("Only launches of this account."),
    partner: evmAddress.optional().describe("Only launches with this partner; not together with `creator`."),
  })
  .refine(({ creator, partner }) => creator === undefined || partner === undefined, {
    path: ["partner"],
    message: "cannot be sent with creator",
  });

const trades = z.strictObject({
  kind: z.literal("trades"),
  token: evmAddress.describe("The launched token."),
  min_quote_amount: minQuoteAmount.optional(),
});

const largeTrades = z.strictObject({ kind: z.literal("large_trades"), min_quote_amount: minQuoteAmount });

const walletTrades = z.strictObject({
  kind: z.literal("wallet_trades"),
  account: evmAddress.describe("The account of the trades: the `account` of a trade, not its `maker`."),
  min_quote_amount: minQuoteAmount.optional(),
});

const price = z.strictObject({
  kind: z.literal("price"),
  token: evmAddress.describe("The launched token."),
  op: z.enum(["above", "below"]).describe("The direction in which a trade moves the price across `price_eth`."),
  price_eth: z.number().positive().describe("The price of one token, in the wrapped native token."),
});

const fees = z
  .strictObject({
    kind: z.literal("fees"),
    wallet: evmAddress.describe("The recipient of the fees."),
    asset: evmAddress.optional().describe("Only fees in this token: the wrapped native token, or a launched token."),
    min_amount: positiveUint256
      .optional()
      .describe("Only amounts of the recipient of at least this, in base units of `asset`; needs `asset`."),
  })
  .refine(({ asset, min_amount }) => min_amount === undefined || asset !== undefined, {
    path: ["asset"],
    message: "is required with min_amount",
  });

const signals = z.strictObject({
  kind: z.literal("signals"),
  pair: marketPair.optional().describe("Only signals on this market, such as `BTC_USDT`."),
});

const risk = z.strictObject({
  kind: z.literal("risk"),
  pair: marketPair.describe("The market, such as `BTC_USDT`."),
});

const retractions = z.strictObject({ kind: z.literal("retractions") });

/** The messages that a webhook gets, by kind. */
export const webhookSubject = z
  .discriminatedUnion("kind", [
    ...([launches, trades, largeTrades, walletTrades, price, fees, signals, risk, retractions] as const),
  ])
  .meta({
    id: "WebhookSubject",
    description:
      "The messages that a webhook gets: launches, trades of a token, large trades of all tokens, trades of an " +
      "account, crossings of a price, trading signals, fees of a recipient, the risk of a market (with the plan " +
      "`subscriber`), or every retraction of a chain reorg.",
  });
export type WebhookSubject = z.output<typeof webhookSubject>;

/** The subjects of alerts by e-mail. Signals and risk have rules of their own. */
export const alertSubject = z
  .discriminatedUnion("kind", [launches, trades, largeTrades, walletTrades, price, fees])
  .meta({
    id: "AlertSubject",
    description:
      "The events of an alert by e-mail: launches, trades of a token, large trades of all tokens, trades of an account, " +
      "crossings of a price, or fees of a recipient.",
  });
export type AlertSubject = z.output<typeof alertSubject>;

/** The maximum number of webhooks of an account, without and with the subscriber plan. */
export const maxWebhooks = { free: 2, subscriber: 20 } as const;

const webhookUrl = text()
  .min(1)
  .max(2_048)
  .describe("An https URL at port 443 of a public host, without a user or password. Redirects are not followed.");

export const newWebhook = z
  .strictObject({ url: webhookUrl, subject: webhookSubject })
  .meta({ id: "NewWebhook", description: "An endpoint and the messages that it gets." });
export type NewWebhook = z.output<typeof newWebhook>;

export const webhookChange = z
  .strictObject({
    url: webhookUrl.optional(),
    status: z
      .enum(["enabled", "paused"])
      .optional()
      .describe("`paused` stops deliveries; `enabled` continues with the next message, also after the service's stop."),
  })
  .refine(({ url, status }) => url !== undefined || status !== undefined, {
    path: ["status"],
    message: "is required without url",
  })
  .meta({ id: "WebhookChange", description: "A change of a webhook. Its subject cannot change." });
export type WebhookChange = z.output<typeof webhookChange>;

const secret = z.string().describe("Signs the messages: `whsec_` and 32 bytes in base64. No other answer contains it.");

/** Why the last attempt of a delivery failed. */
export const deliveryError = z
  .enum(["unreachable", "too_slow", "redirected", "status", "secret_unreadable", "expired"])
  .describe(
    "`unreachable`: no connection to a public address, or no valid certificate; `too_slow`: no answer in 5 s; " +
      "`redirected`; `status`: not 2xx; `secret_unreadable`: rotate the secret; `expired`: not delivered in 24 hours.",
  );
export type DeliveryError = z.infer<typeof deliveryError>;

export const webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    subject: webhookSubject,
    status: z
      .enum(["enabled", "paused", "disabled"])
      .describe("`paused` by the account, `disabled` by the service; PATCH enables both again."),
    disabled_reason: z
      .enum(["failing", "gone", "plan"])
      .nullable()
      .describe("`failing`: no success in three days; `gone`: it answered 410; `plan`: the plan does not allow it."),
    failing_since: dateTime.nullable().describe("The first failure after the last success; null if it does not fail."),
    last_error: deliveryError.nullable(),
    previous_secret_until: dateTime
      .nullable()
      .describe("Until then, messages are also signed with the secret before the last rotation."),
    created_at: dateTime,
  })
  .meta({ id: "Webhook", description: "A webhook and its status." });

export const createdWebhook = z
  .object({ id: z.uuid(), secret: secret.nullable().describe("Null in the answer to a retry: rotate a lost secret.") })
  .meta({ id: "CreatedWebhook", description: "A new webhook and its secret." });

export const webhookList = z
  .object({ items: z.array(webhook), max: z.int().describe("The maximum number of webhooks of the account.") })
  .meta({ id: "Webhooks", description: "The webhooks of the account, newest first." });

export const webhookSecret = z
  .object({ secret, previous_secret_until: dateTime })
  .meta({ id: "WebhookSecret", description: "The new secret of a webhook." });

/** The types of messages. */
export const webhookMessageTypes = [
  ...(["launch", "trade", "price", "signal", "fees", "risk"] as const),
  ...(["retracted", "snapshot", "test"] as const),
];

const messageId = z
  .string()
  .regex(/^msg_[0-9a-f-]{36}$/)
  .describe("The header `webhook-id` of the message.");

export const webhookDelivery = z
  .object({
    id: messageId,
    type: z.enum(webhookMessageTypes),
    status: z
      .enum(["queued", "delivered", "failed", "cancelled"])
      .describe("`cancelled`: a chain reorg retracted the message before it was delivered."),
    attempts: z.int().describe("The number of attempts, of earlier replays too."),
    response_status: z.int().nullable().describe("The HTTP status of the last response; null without one."),
    error: deliveryError.nullable().describe("The failure of the last attempt."),
    created_at: dateTime,
    finished_at: dateTime.nullable(),
  })
  .meta({ id: "WebhookDelivery", description: "A message to a webhook, without its contents." });

export const webhookDeliveries = z.object({ items: z.array(webhookDelivery), next_before: z.int().nullable() }).meta({
  id: "WebhookDeliveries",
  description:
    "The messages of the last two days, newest first. Pass `next_before` as `before` to get the next page; it is null " +
    "on the last page.",
});

export const deliveriesQuery = z.object({
  limit: integerQuery(1, 100, 50).describe("The maximum number of messages."),
  before: optionalIntegerQuery(1, Number.MAX_SAFE_INTEGER, "must be next_before of a page").describe(
    "`next_before` of the previous page.",
  ),
});

export const replayQuery = z.object({
  from: z
    .string()
    .regex(/^\d{1,15}$/, "must be a cursor of a message or of a stream")
    .describe("The cursor of the last message that is not replayed; 0 replays everything of the last 24 hours."),
});

export const webhookReplay = z
  .object({ cursor: z.string().describe("The replay continues after this cursor.") })
  .meta({ id: "WebhookReplay", description: "A replay that has begun." });

export const webhookTest = z
  .object({ id: messageId })
  .meta({ id: "WebhookTest", description: "The test message, queued behind earlier messages." });

/** The data of a `price` message: a trade moved the price of a token across the price of the subject. */
const priceCrossing = z.object({
  token: addressOut,
  op: z.enum(["above", "below"]),
  price_eth: z.number().describe("The price of the pool after the trade, in native."),
  previous_price_eth: z.number().describe("The price of the pool before the trade, in native."),
  trade_id: z.string().describe("The `id` of the trade."),
  block_number: z.int(),
});

/** The data of a `fees` message: the recipient's part of an amount that a settlement paid to its splitter. */
const receivedFees = z.object({
  wallet: addressOut.describe("The recipient of the fees, which can now release them."),
  splitter: addressOut.describe("The splitter that was paid."),
  asset: addressOut.describe("The address of the asset: the wrapped native token, or a launched token."),
  amount: z
    .string()
    .regex(/^[0-9]+$/)
    .describe("The recipient's part, in base units of `asset`."),
  token: addressOut.nullable().describe("The launch that earned the fees; null if an owed amount was paid later."),
  block_number: z.int(),
  tx_hash: z.string(),
});

/** The data of a `risk` message. */
const computedRisk = z.object({
  pair: z.string(),
  as_of: dateTime.describe("The time of the computation."),
  data_through: dateTime.describe("The close of the last bar that the computation used."),
  price: z.number().describe("The last close, in the quote asset."),
  var_95: z.number().nullable(),
  var_99: z.number().nullable(),
  es_95: z.number().nullable().describe("The 95% expected shortfall over 24 hours as a fraction."),
  es_99: z.number().nullable().describe("The 99% expected shortfall over 24 hours as a fraction."),
  volatility_daily: z.number().nullable().describe("The forecast volatility of the next 24 hours as a fraction."),
  percentile_1y: z.number().nullable().describe("The percentile of the volatility in the last year, from 0 to 1."),
  regime: z.string().nullable().describe("The regime of volatility: `calm`, `normal`, `elevated` or `stress`."),
  risk_score: z.number().nullable().describe("From 0 to 100, relative to the last year of the pair."),
});

/** The data of a `retracted` message: messages of this webhook that a chain reorg took back. */
const retractedMessages = z.object({
  above_block: z.int(),
  messages: z.array(messageId).describe("The messages that are no longer true."),
});

const createMessage = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    type: z.literal(type),
    timestamp: dateTime.describe("The time at which the index committed the event."),
    cursor: z.string().nullable().describe("The cursor of the event, as in streams; null for a test."),
    data,
  });

/** The JSON body of a message to a webhook. */
export const webhookMessage = z
  .union([
    createMessage("launch", launchEvent).meta({ id: "LaunchWebhookMessage", description: "A new launch." }),
    createMessage("trade", tradeEvent).meta({ id: "TradeWebhookMessage", description: "A trade of a token." }),
    createMessage("price", priceCrossing).meta({
      id: "PriceWebhookMessage",
      description: "A trade moved the price of a token across the price of the subject.",
    }),
    createMessage("signal", signal).meta({ id: "SignalWebhookMessage", description: "A trading signal." }),
    createMessage("fees", receivedFees).meta({
      id: "FeesWebhookMessage",
      description: "A settlement paid the splitter of a recipient, which can now release its part.",
    }),
    createMessage("risk", computedRisk).meta({
      id: "RiskWebhookMessage",
      description: "The risk of a market was computed anew, after a bar closed or was revised.",
    }),
    createMessage("retracted", z.union([retractedMessages, retractedEvent])).meta({
      id: "RetractedWebhookMessage",
      description:
        "A chain reorg took back messages of this webhook; for the subject `retractions`, the trades and launches.",
    }),
    createMessage("snapshot", z.object({ reason: snapshotReason })).meta({
      id: "SnapshotWebhookMessage",
      description: "Messages were skipped, because they are older than a day or the index was rebuilt; read over REST.",
    }),
    createMessage("test", z.object({ webhook_id: z.uuid() })).meta({
      id: "TestWebhookMessage",
      description: "A test message.",
    }),
  ])
  .meta({ id: "WebhookMessage", description: "The JSON body of a message to a webhook." });
export type WebhookMessage = z.infer<typeof webhookMessage>;
