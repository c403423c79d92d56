import type { Deps } from "../../deps.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { listRisk, wantRisk } from "./queries.ts";
import { judgeRisk } from "./toRisk.ts";

/** Creates the reader of pairs' risk metrics. Like readers of the risk stream, it requests the risk of the markets. */
export function createReadRiskMetrics({ clock, db }: Pick<Deps, "clock" | "db">) {
  return async (pairs: readonly string[]) => {
    const now = Math.floor(clock.now() / 1000);
    const wanted = new Set(pairs);
    const markets = (await listMarkets(db.api, now)).filter(({ pair }) => wanted.has(pair));
    if (markets.length === 0) return [];
    await wantRisk(
      db.api,
      markets.map(({ id }) => id),
    );
    const stored = new Map((await listRisk(db.api)).map((risk) => [risk.market_id, risk]));
    return markets.flatMap((market) => {
      const risk = stored.get(market.id);
      if (risk === undefined) return [];
      const { snapshot } = risk;
      const values = {
        var_95: snapshot.var["95"],
        var_99: snapshot.var["99"],
        volatility_percentile: snapshot.volatility.percentile1y,
        risk_score: snapshot.riskScore,
        drawdown: snapshot.drawdown.current,
        regime: snapshot.regime.label,
      };
      const isFresh = judgeRisk(market, risk, now).status === "fresh";
      return [{ pair: market.pair, bar: risk.data_through, isFresh, values }];
    });
  };
}
