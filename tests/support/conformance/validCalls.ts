import { randomUUID } from "node:crypto";
import type { Call } from "./call.ts";
import { target } from "./target.ts";

/** An address that nobody has launched. */
export const unknownToken = "0x00000000000000000000000000000000000C0de5";
export const someWallet = "0x1111111111111111111111111111111111111111";

/** The fixture's token, or one that nobody launched when there is no fixture. */
export const token = target.fixture?.token ?? unknownToken;

/** A draft's body; each call has another name, so that no two are the same request. */
export function newIntent(): Record<string, unknown> {
  return {
    name: `Paper Crane ${randomUUID().slice(0, 8)}`,
    symbol: "CRANE",
    image_uri: "https://cdn.example/crane.png",
    chain_id: target.chainId,
    recipients: [{ provider: "wallet", wallet: someWallet, share_bps: 10_000 }],
  };
}

/** Headers that name a new request. */
export const newKey = (): Record<string, string> => ({ "idempotency-key": randomUUID() });

/** For each operation a call of the right form: nothing in it is refused for its form alone. */
export const validCalls: Record<string, () => Call> = {
  "GET /config": () => ({}),
  "GET /tokens": () => ({}),
  "GET /analytics": () => ({}),
  "GET /tokens/{address}": () => ({ path: { address: token } }),
  "GET /tokens/{address}/trades": () => ({ path: { address: token } }),
  "GET /tokens/{address}/candles": () => ({ path: { address: token } }),
  "GET /qr.png": () => ({ query: { text: someWallet } }),
  "GET /stream": () => ({}),
  "GET /healthz": () => ({}),
  "GET /readyz": () => ({}),
  "GET /metrics": () => ({}),
  "POST /intents": () => ({ headers: newKey(), body: newIntent() }),
  "GET /intents": () => ({}),
  "DELETE /intents/{id}": () => ({ path: { id: randomUUID() } }),
  "POST /splits/transactions": () => ({ body: { intent_id: randomUUID(), wallet: someWallet } }),
  "POST /launch/transactions": () => ({
    body: { intent_id: randomUUID(), wallet: someWallet, splitter: unknownToken, salt: `0x${"5a".repeat(32)}` },
  }),
  "POST /trade/quote": () => ({ body: tradeBody() }),
  "POST /trade/transactions": () => ({ body: tradeBody() }),
  "POST /fees/claim-transactions": () => ({ body: { token, wallet: someWallet, stage: "collect" } }),
  "POST /gas/quote": () => ({ body: { wallet: someWallet, token: "USDC", gas_limit: 100_000 } }),
  "POST /gas/topup": () => ({
    body: { quote_id: `0x${"1".repeat(64)}`, wallet: someWallet, signature: `0x${"2".repeat(130)}` },
  }),
  "GET /gas/topups/{hash}": () => ({ path: { hash: `0x${"3".repeat(64)}` } }),
  "GET /fees/positions": () => ({ query: { token, wallet: someWallet } }),
  "GET /connections": () => ({}),
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

/** A small buy of the fixture's token. */
export function tradeBody(): Record<string, unknown> {
  return { token, wallet: someWallet, side: "buy", amount_in: "1000000000000000", slippage_bps: 100 };
}
