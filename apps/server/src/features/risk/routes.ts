import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { findMarket, listMarkets } from "../../markets/readMarkets.ts";
import { createRoute, type Route } from "../../route.ts";
import { readMinutePrices } from "./minutePriceQueries.ts";
import { findRisk, listRisk, wantRisk } from "./queries.ts";
import { judgeRisk, riskDisclaimer, toRiskCard, toRiskHistory, toRiskSnapshot } from "./toRisk.ts";

/** Maximum wait for the first computation of a pair, and the pause between reads, in milliseconds. */
const [maxWaitMs, pauseMs] = [2_000, 250];

/** Creates the REST routes of the risk data that WS /ws/risk sends. */
export function riskRoutes(deps: Deps): Route[] {
  const { clock, db } = deps;
  const getNow = () => Math.floor(clock.now() / 1000);

  return [
    createRoute("listRisk", {
      handle: async () => {
        const now = getNow();
        const [markets, stored] = [await listMarkets(db.read, now), await listRisk(db.read)];
        const ids = markets.map(({ id }) => id);
        const minutes = await readMinutePrices(db.read, ids);
        await wantRisk(db.api, ids);
        const byMarket = new Map(stored.map((one) => [one.market_id, one]));
        const cards = markets.map((market) =>
          toRiskCard(market, byMarket.get(market.id) ?? null, minutes.get(market.id), now),
        );
        return { cards, disclaimer: riskDisclaimer };
      },
    }),

    createRoute("getRisk", {
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
