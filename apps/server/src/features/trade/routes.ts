import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { prepareTrade } from "./prepareTrade.ts";
import { quoteTrade } from "./quoteTrade.ts";
import { toBatchOrder, toTransactionOrder } from "./tradeOrder.ts";

/** Creates the routes that quote and swap launched tokens against the wrapped native asset. */
export function tradeRoutes(deps: Deps): Route[] {
  return [
    createRoute("quoteTrade", {
      handle: async ({ body }) => await quoteTrade(deps, toTransactionOrder(body)),
    }),

    createRoute("prepareTrade", {
      handle: async ({ body, requestId }) =>
        await prepareTrade(deps, getProvenManifest(deps.chain), toTransactionOrder(body), requestId),
    }),

    createRoute("prepareTradeCalls", {
      handle: async ({ body, requestId }) =>
        (await prepareTrade(deps, getProvenManifest(deps.chain), toBatchOrder(body), requestId)) as TradeCallsResult,
    }),
  ];
}
