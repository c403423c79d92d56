import { checksummed } from "@slipway/protocol/primitives";
import type { TradeRequest } from "@slipway/protocol/transaction";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { prepareTrade } from "./prepareTrade.ts";
import { prepareTradeCalls } from "./prepareTradeCalls.ts";
import { quoteTrade, type TradeOrder } from "./quoteTrade.ts";
import { toTradeCallsOrder } from "./tradeCallsOrder.ts";

/** Routes that quote and swap launched tokens against the wrapped native asset. */
export function tradeRoutes(deps: Deps): Route[] {
  return [
    createRoute("quoteTrade", {
      handle: async ({ body }) => await quoteTrade(deps, toTradeOrder(body)),
    }),

    createRoute("prepareTrade", {
      handle: async ({ body, requestId }) =>
        await prepareTrade(deps, getProvenManifest(deps.chain), toTradeOrder(body), requestId),
    }),

    createRoute("prepareTradeCalls", {
      handle: async ({ body, requestId }) =>
        await prepareTradeCalls(deps, getProvenManifest(deps.chain), toTradeCallsOrder(body), requestId),
    }),
  ];
}

function toTradeOrder(body: TradeRequest): TradeOrder {
  return { ...body, token: checksummed(body.token), wallet: checksummed(body.wallet) };
}
