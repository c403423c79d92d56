import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { startReadModel } from "./cache/startReadModel.ts";
import { createChain } from "./chain/createChain.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createIds } from "./createIds.ts";
import { openDatabase } from "./db/database.ts";
import { prepareDatabase } from "./db/migrate.ts";
import { createDeps } from "./deps.ts";
import { buildApp } from "./http/app.ts";
import { createLimits } from "./http/limits/limits.ts";
import { startIndexer } from "./indexer/startIndexer.ts";
import { compareTokenNames } from "./jobs/compareTokenNames.ts";
import { fetchTokenManifests } from "./jobs/fetchTokenManifests.ts";
import { processTopUps } from "./jobs/processTopUps.ts";
import { createMetrics } from "./metrics.ts";
import { createUntrustedFetch } from "./providers/untrustedFetch/untrustedFetch.ts";

export type RunningServer = {
  /** The API's URL; null without the role `api`. */
  url: string | null;
  /** Finishes what is in progress, then closes everything. */
  stop(): Promise<void>;
};

/**
 * Starts the configured roles.
 *
 * Everything that has a lifetime is started here and registered with its end. It ends in the reverse order, each when the
 * one before has ended: requests first, so that none is dropped; the database last, since everything else uses it.
 *
 * @throws when the database cannot be migrated or the port is in use; everything opened is closed.
 */
export async function startServer(options: { config: Config; log: Logger; clock: Clock }): Promise<RunningServer> {
  const { config, log, clock } = options;
  await prepareDatabase(config, log);

  const lifetimes = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    const db = openDatabase(config, log);
    lifetimes.defer(() => db.close());
    const chain = await createChain(config, log, clock, metrics);
    lifetimes.defer(() => chain.close());
    const deps = createDeps({ config, log, clock, ids: createIds(clock), db, chain, metrics });

    if (config.ROLES.includes("worker")) {
      const jobs = [
        processTopUps(deps),
        fetchTokenManifests(deps, createUntrustedFetch({ clock })),
        compareTokenNames(deps),
      ];
      lifetimes.defer(async () => {
        await Promise.all(jobs.map((job) => job.stop()));
      });
    }

    if (config.ROLES.includes("indexer")) {
      const { manifest } = chain.manifestState();
      if (manifest) {
        const indexer = startIndexer(deps, manifest);
        lifetimes.defer(() => indexer.stop());
      } else log.warn({ reason: "no manifest is pinned" }, "indexer not started");
    }

    let url: string | null = null;
    if (config.ROLES.includes("api")) {
      const readModel = startReadModel(deps);
      lifetimes.defer(() => readModel.stop());
      const limits = createLimits(deps);
      lifetimes.defer(() => limits.stop());
      const app = await buildApp(deps, limits);
      lifetimes.defer(() => app.close());
      await app.listen({ host: config.HOST, port: config.PORT });
      const { port } = app.server.address() as AddressInfo;
      log.info({ host: config.HOST, port }, "listening");
      url = `http://${config.HOST}:${port}`;
    }
    return { url, stop: () => lifetimes.disposeAsync() };
  } catch (error) {
    await lifetimes.disposeAsync();
    throw error;
  }
}
