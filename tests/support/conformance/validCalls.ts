import { randomUUID } from "node:crypto";
import type { Call } from "./call.ts";
import { target } from "./target.ts";

/** An address without a launch. */
export const unknownToken = "0x00000000000000000000000000000000000C0de5";
export const someWallet = "0x1111111111111111111111111111111111111111";

/** The fixture's token, or an address without a launch if there is no fixture. */
export const token = target.fixture?.token ?? unknownToken;

/** The pool of the fixture's token, or no pool if there is no fixture. */
export const pool = target.fixture?.pool ?? unknownToken;

/** A draft's body; each call has a different name, so that no two requests are equal. */
export function newIntent(): Record<string, unknown> {
  return {
    name: `Paper Crane ${randomUUID().slice(0, 8)}`,
    symbol: "CRANE",
    image_uri: "https://cdn.example/crane.png",
    chain_id: target.chainId,
    recipients: [{ provider: "wallet", wallet: someWallet, share_bps: 10_000 }],
  };
}

/** All options of a draft. */
export function newOptions(): Record<string, unknown> {
  return {
    initial_buy: { amount_in: "10000000000000000", slippage_bps: 100, recipient: someWallet, vesting: null },
    partner: someWallet,
    links: {
      x: "https://x.com/crane",
      telegram: "https://t.me/crane",
      discord: "https://discord.gg/crane",
      farcaster: "https://farcaster.xyz/crane",
      github: "https://github.com/crane",
      website2: "https://crane.example/",
    },
    banner_uri: "https://cdn.example/banner.png",
    creator: someWallet,
  };
}

/** Headers that identify a new request. */
export const newKey = (): Record<string, string> => ({ "idempotency-key": randomUUID() });

/** A PNG of one red pixel. */
export const onePixel = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
    "base64",
  ),
);

/** The fixture's opening, or an address without one if there is no fixture. */
export const opening = target.fixture?.opening.address ?? unknownToken;

/** A body of POST /openings/transactions for a draft. */
export const newOpening = (intent_id: string, wallet: string) => ({
  intent_id,
  wallet,
  minimum: "1000000000000000",
  cap: "2000000000000000",
  deadline: Math.floor(Date.now() / 1_000) + 20 * 86_400,
});

/** A body of POST /openings/{address}/open/transactions with an invalid signature. */
export const unsignedLaunch = (wallet: string) => ({
  wallet,
  value: "1000000000000000",
  salt: `0x${"5a".repeat(32)}`,
  signature: `0x${"11".repeat(65)}`,
});

/** The fixture's stored picture, or a picture that is not stored if there is no fixture. */
export const imageSha256 = target.fixture?.imageSha256 ?? "0".repeat(64);

/** The fixture's listing, or one that does not exist if there is no fixture. */
export const businessId = target.fixture?.businessId ?? randomUUID();

/** A body of POST /businesses. */
export const newBusiness = (): Record<string, unknown> => ({
  name: `Paper Shop ${randomUUID().slice(0, 8)}`,
  description: "Paper of every kind.",
  category: "retail",
});

const block = { blocked: true, reason: "The conformance run blocks it." };

/** A well-formed call for each operation: no operation rejects it for its form alone. */
export const validCalls: Record<string, () => Call> = {
  "GET /config": () => ({}),
  "GET /tokens": () => ({}),
  "GET /analytics": () => ({}),
  "GET /tokens/{address}": () => ({ path: { address: token } }),
  "GET /tokens/{address}/trades": () => ({ path: { address: token } }),
  "GET /tokens/{address}/candles": () => ({ path: { address: token } }),
  "GET /tokens/{address}/traders": () => ({ path: { address: token } }),
  "GET /tokens/{address}/liquidity-changes": () => ({ path: { address: token } }),
  "GET /tokens/{address}/depth": () => ({ path: { address: token } }),
  "GET /tokens/{address}/holders": () => ({ path: { address: token } }),
  "GET /tokens/{address}/facts": () => ({ path: { address: token } }),
  "GET /tokens/{address}/vesting": () => ({ path: { address: token } }),
  "GET /gallery": () => ({}),
  "GET /tokens/{address}/contract-uri": () => ({ path: { address: token } }),
  "GET /feeds/tokenlist.json": () => ({}),
  "GET /events": () => ({ query: { from_block: 0 } }),
  "GET /pools/{address}": () => ({ path: { address: pool } }),
  ...Object.fromEntries(
    ["dexscreener", "geckoterminal"].flatMap((feed): [string, () => Call][] => [
      [`GET /feeds/${feed}/latest-block`, () => ({})],
      [`GET /feeds/${feed}/asset`, () => ({ query: { id: token } })],
      [`GET /feeds/${feed}/pair`, () => ({ query: { id: pool } })],
      [`GET /feeds/${feed}/events`, () => ({ query: { fromBlock: 0, toBlock: 1 } })],
    ]),
  ),
  "GET /feeds/udf/config": () => ({}),
  "GET /feeds/udf/time": () => ({}),
  "GET /feeds/udf/symbols": () => ({ query: { symbol: token } }),
  "GET /feeds/udf/search": () => ({ query: { query: "kite" } }),
  "GET /feeds/udf/history": () => ({ query: { symbol: token, resolution: "1", from: 0, to: 1 } }),
  "GET /.well-known/erc7730": () => ({}),
  "GET /.well-known/erc7730/{name}": () => ({ path: { name: "calldata-LaunchFactory.json" } }),
  "GET /og/{name}": () => ({ path: { name: `${token}.png` } }),
  "GET /analytics/history": () => ({}),
  "GET /wallets/{address}/fees": () => ({ path: { address: someWallet } }),
  "GET /wallets/{address}": () => ({ path: { address: someWallet } }),
  "GET /qr.png": () => ({ query: { text: someWallet } }),
  "GET /stream": () => ({}),
  "GET /healthz": () => ({}),
  "GET /readyz": () => ({}),
  "GET /metrics": () => ({}),
  "POST /intents": () => ({ headers: newKey(), body: newIntent() }),
  "GET /intents": () => ({}),
  "GET /intents/{id}": () => ({ path: { id: randomUUID() } }),
  "GET /intents/{id}/progress": () => ({ path: { id: randomUUID() } }),
  "PUT /intents/{id}/options": () => ({ path: { id: randomUUID() }, body: newOptions() }),
  "POST /images": () => ({ file: onePixel }),
  "GET /media/{name}": () => ({ path: { name: `${imageSha256}.webp` } }),
  "GET /media/{sha256}/{size}": () => ({ path: { sha256: imageSha256, size: "64.webp" } }),
  "DELETE /intents/{id}": () => ({ path: { id: randomUUID() } }),
  "POST /splits/transactions": () => ({ body: { intent_id: randomUUID(), wallet: someWallet } }),
  "POST /vestings/transactions": () => ({ body: { intent_id: randomUUID(), wallet: someWallet } }),
  "POST /vestings/release-transactions": () => ({ body: { token, wallet: someWallet } }),
  "GET /openings": () => ({}),
  "GET /openings/{address}": () => ({ path: { address: opening } }),
  "GET /openings/{address}/deposits": () => ({ path: { address: opening } }),
  "POST /openings/transactions": () => ({ body: newOpening(randomUUID(), someWallet) }),
  "POST /openings/{address}/deposits/transactions": () => ({
    path: { address: opening },
    body: { wallet: target.fixture?.trader ?? someWallet, amount: "1000000" },
  }),
  "POST /openings/{address}/claims/transactions": () => ({ path: { address: opening }, body: { wallet: someWallet } }),
  "POST /openings/{address}/authorizations": () => ({ path: { address: opening }, body: {} }),
  "POST /openings/{address}/open/transactions": () => ({
    path: { address: opening },
    body: unsignedLaunch(someWallet),
  }),
  "POST /openings/{address}/close/transactions": () => ({ path: { address: opening }, body: { wallet: someWallet } }),
  "POST /launch/transactions": () => ({
    body: { intent_id: randomUUID(), wallet: someWallet, splitter: unknownToken, salt: `0x${"5a".repeat(32)}` },
  }),
  "POST /launch/cancel/transactions": () => ({ body: { wallet: target.fixture?.creator ?? someWallet } }),
  "POST /launch/preview": () => ({ body: { intent_id: randomUUID(), wallet: someWallet } }),
  "POST /launch/calls": () => ({
    body: { intent_id: randomUUID(), wallet: someWallet, salt: `0x${"5a".repeat(32)}` },
  }),
  "POST /trade/quote": () => ({ body: tradeBody() }),
  "POST /trade/transactions": () => ({ body: tradeBody() }),
  "POST /trade/calls": () => ({ body: tradeBody() }),
  "POST /fees/claim-transactions": () => ({ body: { token, wallet: someWallet, stage: "collect" } }),
  "POST /fees/claim-calls": () => ({ body: { tokens: [token], wallet: target.fixture?.creator ?? someWallet } }),
  "POST /fees/payout-transactions": () => ({
    body: { token, wallet: target.fixture?.creator ?? someWallet, payout: someWallet },
  }),
  "GET /fees/pending": () => ({ query: { token } }),
  "GET /wallets/{address}/fees/pending": () => ({
    path: { address: target.fixture?.recipients[0]?.wallet ?? someWallet },
  }),
  "POST /gas/quote": () => ({ body: { wallet: someWallet, token: "USDC", gas_limit: 100_000 } }),
  "POST /gas/topup": () => ({
    body: { quote_id: `0x${"1".repeat(64)}`, wallet: someWallet, signature: `0x${"2".repeat(130)}` },
  }),
  "GET /gas/topups/{hash}": () => ({ path: { hash: `0x${"3".repeat(64)}` } }),
  "GET /fees/positions": () => ({ query: { token, wallet: someWallet } }),
  "GET /businesses": () => ({}),
  "GET /businesses/{id}": () => ({ path: { id: businessId } }),
  "POST /businesses/{id}/website-proof": () => ({ path: { id: randomUUID() } }),
  "POST /reports": () => ({ body: { kind: "token", id: token, reason: "spam" } }),
  "PATCH /api/admin/listings/{id}": () => ({ path: { id: randomUUID() }, body: block }),
  "PATCH /api/admin/tokens/{id}": () => ({ path: { id: unknownToken }, body: block }),
  "PATCH /api/admin/images/{id}": () => ({ path: { id: "0".repeat(64) }, body: block }),
  "PATCH /api/admin/openings/{id}": () => ({ path: { id: unknownToken }, body: block }),
  "GET /api/admin/denied-images": () => ({}),
  "POST /api/admin/denied-images": () => ({ body: { dhash: "0123456789abcdef", reason: "A test." } }),
  "DELETE /api/admin/denied-images/{id}": () => ({ path: { id: randomUUID() } }),
  "GET /directory": () => ({}),
  "POST /businesses": () => ({ headers: newKey(), body: newBusiness() }),
  "PUT /businesses/{id}": () => ({ path: { id: randomUUID() }, headers: { "if-match": "*" }, body: newBusiness() }),
  "DELETE /businesses/{id}": () => ({ path: { id: randomUUID() }, headers: { "if-match": "*" } }),
  "GET /api/account/businesses": () => ({}),
  "GET /connections": () => ({}),
  "GET /recipients": () => ({ query: { provider: "code_host", handle: "no-such-account" } }),
  "GET /api/forecast": () => ({}),
  "GET /api/markets": () => ({}),
  "GET /api/markets/{pair}/bars": () => ({ path: { pair: "BTC_USDT" } }),
  "GET /api/trading-bot/public-signals-latest": () => ({}),
  "GET /api/trading-bot/public-signals": () => ({}),
  "GET /api/trading-bot/signal-records": () => ({}),
  "POST /api/forecast/line": () => ({ body: forecastWithCovariate() }),
  "POST /api/forecast/lines": () => ({ body: { items: [forecastWithCovariate()] } }),
  "GET /api/risk": () => ({}),
  "GET /api/risk/{pair}": () => ({ path: { pair: "NONE_USDT" } }),
  "POST /api/alerts": () => ({ headers: newKey(), body: newAlert() }),
  "GET /api/alerts": () => ({}),
  "DELETE /api/alerts/{id}": () => ({ path: { id: randomUUID() } }),
  "POST /api/alerts/confirm": () => ({ body: { ticket: "AQ" } }),
  "POST /api/alerts/unsubscribe/{ticket}": () => ({ path: { ticket: "AQ" } }),
  "GET /api/alerts/unsubscribe/{ticket}": () => ({ path: { ticket: "AQ" } }),
  "POST /api/webhooks": () => ({ headers: newKey(), body: newWebhook() }),
  "GET /api/webhooks": () => ({}),
  "PATCH /api/webhooks/{id}": () => ({ path: { id: randomUUID() }, body: { status: "paused" } }),
  "DELETE /api/webhooks/{id}": () => ({ path: { id: randomUUID() } }),
  "GET /api/webhooks/{id}/deliveries": () => ({ path: { id: randomUUID() } }),
  "POST /api/webhooks/{id}/replay": () => ({ path: { id: randomUUID() }, query: { from: "0" } }),
  "POST /api/webhooks/{id}/test": () => ({ path: { id: randomUUID() } }),
  "POST /api/webhooks/{id}/secret": () => ({ path: { id: randomUUID() } }),
  "POST /api/auth/siwe/nonce": () => ({}),
  "POST /api/auth/siwe/verify": () => ({ body: { message: "no such message", signature: "0x00" } }),
  "GET /api/auth/callback/{provider}": () => ({ path: { provider: "code_host" }, query: { state: "none" } }),
  "GET /api/auth/session": () => ({}),
  "POST /api/auth/sign-out": () => ({}),
  "POST /api/auth/link-social": () => ({ body: { provider: "code_host" } }),
  "GET /api/account": () => ({}),
  "DELETE /api/account": () => ({}),
  "GET /api/account/export": () => ({}),
  "PATCH /api/account": () => ({ body: { name: "local" } }),
  "POST /api/account/wallets": () => ({ body: { message: "no such message", signature: "0x00" } }),
  "DELETE /api/account/wallets/{address}": () => ({ path: { address: someWallet } }),
  "DELETE /api/account/connections/{provider}": () => ({ path: { provider: "social" } }),
  "GET /api/account/credits": () => ({}),
  "GET /api/account/events": () => ({}),
  "POST /api/account/payments": () => ({ body: newPayment() }),
  "GET /api/account/payments/{id}": () => ({ path: { id: randomUUID() } }),
  "POST /api/account/keys": () => ({ body: { name: "conformance" } }),
  "GET /api/account/keys": () => ({}),
  "DELETE /api/account/keys/{id}": () => ({ path: { id: randomUUID() } }),
  "GET /api/account/sessions": () => ({}),
  "DELETE /api/account/sessions": () => ({}),
  "DELETE /api/account/sessions/{id}": () => ({ path: { id: randomUUID() } }),
  "GET /api/admin/accounts": () => ({}),
  "POST /api/admin/plans": () => ({ body: { account_id: randomUUID(), plan: "subscriber" } }),
  "POST /api/admin/credits": () => ({ headers: newKey(), body: { account_id: randomUUID(), amount: 1 } }),
};

/** An alert to a separate address. */
export const newAlert = (): Record<string, unknown> => ({
  email: `conformance-${randomUUID()}@example.com`,
  pair: "BTC_USDT",
  rule: { metric: "risk_score", op: "above", value: 80 },
});

/** A webhook whose endpoint does not exist. */
export const newWebhook = (): Record<string, unknown> => ({
  url: `https://hooks.example/${randomUUID()}`,
  subject: { kind: "launches" },
});

/** A well-formed payment whose signature no wallet made. */
export const newPayment = (): Record<string, unknown> => ({
  product: "credits:100",
  payment: {
    x402Version: 2,
    accepted: { scheme: "exact", network: "eip155:1", amount: "1", asset: someWallet, payTo: someWallet },
    payload: {
      signature: `0x${"2".repeat(130)}`,
      authorization: {
        from: someWallet,
        to: someWallet,
        value: "1",
        validAfter: "0",
        validBefore: "1",
        nonce: `0x${randomUUID().replaceAll("-", "").repeat(2)}`,
      },
    },
  },
});

/** A series to forecast. */
export function forecastBody(): Record<string, unknown> {
  const series = [61.2, 60.8, 61.9, 62.4, 61.7, 62.9, 63.1, 62.6, 63.4, 64];
  return { series, prediction_length: 2, interval: "HOUR_1" };
}

/** A series to forecast, with a covariate. */
function forecastWithCovariate(): Record<string, unknown> {
  return { ...forecastBody(), known_future: [[0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]] };
}

/** A small buy of the fixture's token. */
export function tradeBody(): Record<string, unknown> {
  return { token, wallet: someWallet, side: "buy", amount_in: "1000000000000000", slippage_bps: 100 };
}
