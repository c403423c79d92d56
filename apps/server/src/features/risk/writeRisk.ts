import { riskModelVersion } from "@slipway/quant/risk/riskSnapshot";
import { createRiskComputer, type RiskComputer } from "../../compute/createRiskComputer.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import type { Market } from "../../markets/market.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { claimRisk, listRiskForecasts, listWantedRisk, storeRisk } from "./queries.ts";
import { getDataThrough, readRiskBars } from "./readRiskBars.ts";

const pauseMs = 1_000;

/**
 * Starts the job that computes the risk of requested markets: at the first request, when a bar closes, when bars are
 * added before the first bar, and when a bar is revised. A claim lets one of several workers compute a market. A failed
 * market is retried after a minute and delays no other market.
 */
export function writeRisk(deps: Pick<Deps, "clock" | "db" | "log" | "metrics">): Job {
  const computer = createRiskComputer(deps);
  const job = repeat(deps, { name: "risk", pauseMs, run: (signal) => computeWanted(deps, computer, signal) });
  return {
    stop: async () => {
      await Promise.all([job.stop(), computer.stop()]);
    },
  };
}

async function computeWanted(
  deps: Pick<Deps, "clock" | "db" | "log" | "metrics">,
  computer: RiskComputer,
  signal: AbortSignal,
): Promise<boolean> {
  const { api } = deps.db;
  const wanted = await listWantedRisk(api);
  if (wanted.length === 0) return false;
  const now = Math.floor(deps.clock.now() / 1000);
  const markets = new Map((await listMarkets(api, now)).map((market) => [market.id, market]));
  for (const { market_id: id, input: earlier, revised_at: revisedAt } of wanted) {
    const market = markets.get(id);
    if (signal.aborted) return false;
    if (market === undefined || market.lastBarAt === null) continue;
    const through = getDataThrough(market, now);
    const input = [riskModelVersion, market.firstBarAt, through, revisedAt].join(" ");
    // A worker with a newer model version computes this market too.
    const isNewer = earlier !== null && Number(earlier.split(" ", 1)[0]) > Number(riskModelVersion);
    if (isNewer || input === earlier || !(await claimRisk(api, id, input))) continue;
    await computeOne(deps, computer, market, { through, input }).catch((error: unknown) => {
      if (signal.aborted) return;
      deps.metrics.riskComputed.inc({ outcome: "failed" });
      deps.log.warn({ err: error, pair: market.pair }, "risk not computed");
    });
  }
  return false;
}

async function computeOne(
  deps: Pick<Deps, "db" | "metrics">,
  computer: RiskComputer,
  market: Market,
  { through, input }: { through: number; input: string },
): Promise<void> {
  const { api } = deps.db;
  const bars = await readRiskBars(api, market, through);
  const stored = await listRiskForecasts(api, market.id, bars.time[0] ?? 0);
  const risk = await computer.compute({ bars, stored });
  await withTransaction(api, (client) => storeRisk(client, market.id, input, risk));
  deps.metrics.riskComputed.inc({ outcome: "stored" });
}
