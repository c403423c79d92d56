import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createChain } from "./chain/createChain.ts";
import type { Config } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { prepareDatabase } from "./db/migrate.ts";
import { createDeps } from "./deps.ts";
import type { Clock } from "./clock.ts";
import { buildApp } from "./http/app.ts";
import { createIds } from "./createIds.ts";
import { startIndexer } from "./indexer/startIndexer.ts";
import { fetchTokenManifests } from "./jobs/fetchTokenManifests.ts";
import { processTopUps } from "./jobs/processTopUps.ts";
import type { Job } from "./jobs/repeat.ts";
import { createLimits, type Limits } from "./http/limits/limits.ts";
import { createMetrics } from "./metrics.ts";
import { startReadModel } from "./cache/startReadModel.ts";
import { createUntrustedFetch } from "./providers/untrustedFetch/untrustedFetch.ts";

export type RunningServer = {
  /** The base URL of the API; null without the api role. */
  url: string | null;
  /** Completes requests and runs in progress, then closes everything. */
  stop(): Promise<void>;
};

/**
 * Builds the dependencies and starts the configured roles.
 *
 * @throws when the database cannot be migrated or the port is in use; everything opened is closed.
 */
export async function startServer(options: { config: Config; log: Logger; clock: Clock }): Promise<RunningServer> {
  const { config, log, clock } = options;
  const metrics = createMetrics();
  await prepareDatabase(config, log);

  const db = openDatabase(config, log);
  const chain = await createChain(config, log, clock, metrics);
  const deps = createDeps({ config, log, clock, ids: createIds(clock), db, chain, metrics });
  const { manifest } = chain.manifestState();
  let limits: Limits | null = null;
  let app: FastifyInstance | null = null;
  let indexer: { stop(): Promise<void> } | null = null;
  let jobs: Job[] = [];
  let readModel: { stop(): Promise<void> } | null = null;

  const stop = async () => {
    // Requests first, so that none is dropped; the database pools last, because the others use them.
    await app?.close();
    await limits?.stop();
    await readModel?.stop();
    await indexer?.stop();
    await Promise.all(jobs.map((job) => job.stop()));
    await chain.close();
    await db.close();
  };

  try {
    if (config.ROLES.includes("indexer")) {
      if (manifest) indexer = startIndexer(deps, manifest);
      else log.warn({ reason: "no manifest" }, "indexer not started");
    }
    if (config.ROLES.includes("worker")) {
      jobs = [processTopUps(deps), fetchTokenManifests(deps, createUntrustedFetch({ clock }))];
    }
    if (config.ROLES.includes("api")) {
      readModel = startReadModel(deps);
      limits = createLimits(deps);
      app = await buildApp(deps, limits);
      await app.listen({ host: config.HOST, port: config.PORT });
      const { port } = app.server.address() as AddressInfo;
      log.info({ host: config.HOST, port }, "listening");
      return { url: `http://${config.HOST}:${port}`, stop };
    }
    return { url: null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
