import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { quote, type TradeRequest, tradeRequest, unsignedResult } from "@slipway/protocol/transaction";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { getProvenManifest, readHead, tryReadContracts } from "../../chain/readChain.ts";
import { findLaunch, supportedLaunch } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { prepareTrade, type TradeOrder } from "./prepareTrade.ts";
import { createQuoteReads, toQuote, createTradePath } from "./quoteTrade.ts";

const errors = ["pool_not_supported", "amount_too_small", "simulation_reverted", ...chainErrors] as const;

/** Quotes and swaps of launched tokens against the wrapped native asset. */
export function tradeRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/trade/quote",
      scope: "read",
      name: "quoteTrade",
      tag: "Trade",
      summary: "Quote a trade at an explicit block",
      description: "Good for 60 seconds of the chain's time. `price_impact_bps` leaves the pool's fee out.",
      schemas: { body: tradeRequest },
      answers: { 200: { description: "The quote", schema: quote } },
      errors: [...errors],
      handle: async ({ body }) => {
        const { manifest } = getProvenManifest(deps.chain);
        const order = toTradeOrder(body);
        const { launch } = supportedLaunch(await findLaunch(deps.db.read, order.token), manifest);
        const path = createTradePath(launch, manifest, order.side);
        const head = await readHead(deps.chain, manifest.chain_id);
        const [quoted, slot0] = await tryReadContracts(
          deps.chain,
          head.number,
          createQuoteReads(launch, manifest, path, BigInt(order.amount_in)),
        );
        if (slot0.error) throw new SlipwayError("chain_unavailable", "The pool could not be read.");
        return toQuote(launch, path, order, { quoted, slot0: slot0.result }, head);
      },
    }),

    guardedRoute({
      method: "POST",
      path: "/trade/transactions",
      scope: "transactions",
      name: "prepareTrade",
      tag: "Trade",
      summary: "Prepare the exact approval, then the deadline-protected swap",
      description:
        "While the router's allowance is below `amount_in`, answers the approval of exactly that amount; ask again " +
        "with the same body after its receipt to get the swap. The swap pays the wallet and fails after " +
        "`quote.expires_at` or below `quote.minimum_out`.",
      schemas: { body: tradeRequest },
      answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
      errors: [...errors, "insufficient_balance"],
      handle: async ({ body, requestId }) =>
        await prepareTrade(deps, getProvenManifest(deps.chain), toTradeOrder(body), requestId),
    }),
  ];
}

function toTradeOrder(body: TradeRequest): TradeOrder {
  return { ...body, token: checksummed(body.token), wallet: checksummed(body.wallet) };
}
