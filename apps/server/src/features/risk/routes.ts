import { SlipwayError } from "@slipway/protocol/errors";
import { pairRisk, riskCards, riskPairParams } from "@slipway/protocol/risk";
import type { Deps } from "../../deps.ts";
import { findMarket, listMarkets } from "../../markets/readMarkets.ts";
import { findRisk, listRisk, wantRisk } from "../../risk/queries.ts";
import { judgeRisk, riskDisclaimer, toRiskCard, toRiskHistory, toRiskSnapshot } from "../../risk/toRisk.ts";
import { guardedRoute, type Route } from "../../route.ts";

/** How long a request waits for the first computation of a pair, and how often it asks. */
const [maxWaitMs, pauseMs] = [2_000, 250];

/** The answers of WS /ws/risk over REST. */
export function riskRoutes(deps: Deps): Route[] {
  const { clock, db } = deps;
  const getNow = () => Math.floor(clock.now() / 1000);

  return [
    guardedRoute({
      method: "GET",
      path: "/api/risk",
      site: true,
      name: "listRisk",
      tag: "Market data",
      summary: "List the risk of all markets",
      description:
        "A card for each market. Unknown numbers are null; those of a market without current prices too. Numbers are " +
        "computed once an hour, when a bar closes, of markets that someone asks for.",
      plan: "subscriber",
      answers: { 200: { description: "The cards by pair", schema: riskCards } },
      errors: [],
      handle: async () => {
        const now = getNow();
        const [markets, stored] = [await listMarkets(db.read, now), await listRisk(db.read)];
        await wantRisk(
          db.api,
          markets.map(({ id }) => id),
        );
        const byMarket = new Map(stored.map((one) => [one.market_id, one]));
        const cards = markets.map((market) => toRiskCard(market, byMarket.get(market.id) ?? null, now));
        return { cards, disclaimer: riskDisclaimer };
      },
    }),

    guardedRoute({
      method: "GET",
      path: "/api/risk/:pair",
      site: true,
      name: "getRisk",
      tag: "Market data",
      summary: "Get the risk of a pair",
      description:
        "Volatility by six models, value at risk and expected shortfall of the next 24 hours, bands, drawdown, regime, " +
        "liquidity, and how often the last 250 days exceeded what was forecast for them; with the last 168 hours. The " +
        "first request for a pair waits for its computation.",
      plan: "subscriber",
      schemas: { params: riskPairParams },
      answers: { 200: { description: "The risk of the pair", schema: pairRisk } },
      errors: ["pair_not_found", "market_unavailable"],
      handle: async ({ params: { pair } }) => {
        const market = await findMarket(db.read, pair, getNow());
        if (market === null) throw new SlipwayError("pair_not_found");
        await wantRisk(db.api, [market.id]);
        let stored = await findRisk(db.read, market.id);
        for (let waited = 0; stored === null && market.lastBarAt !== null && waited < maxWaitMs; waited += pauseMs) {
          await clock.sleep(pauseMs);
          stored = await findRisk(db.read, market.id);
        }
        const now = getNow();
        const { status, reason } = judgeRisk(market, stored, now);
        if (stored === null || status === "unavailable") {
          throw new SlipwayError("market_unavailable", undefined, { details: { reason } });
        }
        return { snapshot: toRiskSnapshot(market, stored, now), history: toRiskHistory(stored.history) };
      },
    }),
  ];
}
