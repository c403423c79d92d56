import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import type { ListedMarket } from "../../marketSettings.ts";
import { storeListedMarkets } from "../../markets/collection.ts";
import { trackPools } from "../../markets/trackPools.ts";
import { createCcxtSource } from "../../providers/markets/ccxtSource.ts";
import { type CollectedExchange, collectBars } from "./collectBars.ts";
import { repairBars } from "./repairBars.ts";

const trackEveryMs = 10_000;

/**
 * Starts the jobs of markets: one turns pools with enough trades into markets, two collect and repair the bars of
 * listed markets. Without a listed market, no request is sent to an exchange and the exchange library is not loaded.
 *
 * @throws ConfigError for an exchange that cannot be a source.
 */
export async function startMarketJobs(deps: Deps): Promise<Job> {
  const { config, db, log } = deps;
  const collected = await storeListedMarkets(db.api, config.MARKETS);
  const exchanges: CollectedExchange[] = await Promise.all(
    [...Map.groupBy(config.MARKETS, ({ exchange }) => exchange)].map(async ([exchange, listed]) => ({
      source: await createSource(deps, exchange, listed),
      // The table can also contain markets that another process lists.
      markets: (collected.get(exchange) ?? []).filter(({ pair }) => listed.some((one) => one.pair === pair)),
    })),
  );
  const holder = deps.ids.uuid();
  const jobs: Job[] = [
    repeat(deps, {
      name: "track pools",
      pauseMs: trackEveryMs,
      run: async () => {
        await trackPools(db.api);
        return false;
      },
    }),
  ];
  if (exchanges.length > 0) {
    log.info(
      { exchanges: exchanges.map(({ source }) => source.id), markets: config.MARKETS.length },
      "collecting bars",
    );
    jobs.push(collectBars(deps, exchanges, holder), repairBars(deps, exchanges, holder));
  }
  return {
    stop: async () => {
      const stopped = Promise.all(jobs.map((job) => job.stop()));
      // A request to an exchange that does not answer would delay the end of the process.
      await Promise.all(exchanges.map(({ source }) => source.close().catch(() => undefined)));
      await stopped;
    },
  };
}

async function createSource({ config, clock }: Deps, exchange: string, listed: readonly ListedMarket[]) {
  const symbols = new Map(listed.map(({ pair, symbol }) => [pair, symbol]));
  return await createCcxtSource({ exchange, symbols, url: config.MARKETS_EXCHANGE_URL, clock });
}
