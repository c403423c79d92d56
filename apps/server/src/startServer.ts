import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { startReadModel } from "./cache/startReadModel.ts";
import { checkChainSettings } from "./chain/checkChainSettings.ts";
import { createChain } from "./chain/createChain.ts";
import type { Clock } from "./clock.ts";
import { type Config, ConfigError } from "./config.ts";
import { createIds } from "./createIds.ts";
import { openDatabase } from "./db/database.ts";
import { prepareDatabase } from "./db/migrate.ts";
import { createDeps } from "./deps.ts";
import { buildApp } from "./http/app.ts";
import { createLimits } from "./http/overload/limits.ts";
import { startMetricsServer } from "./http/startMetricsServer.ts";
import { startIndexer } from "./indexer/startIndexer.ts";
import { startJobs } from "./jobs.ts";
import { createMetrics } from "./metrics.ts";
import { openObserver } from "./observer/openObserver.ts";
import { collectProcessMetrics } from "./processMetrics.ts";

export type RunningServer = {
  /** The API's URL; null without the role `api`. */
  url: string | null;
  /** Drains the API (DRAIN_SECONDS), finishes the work in progress, then closes all resources. */
  stop(): Promise<void>;
};

/**
 * Explains why a server cannot listen at the configured address: a taken port can become free, other faults need a change
 * of settings.
 *
 * @param prefix - Of the settings of the address.
 */
function explainListenError(config: Config, prefix: "" | "METRICS_", error: NodeJS.ErrnoException): Error {
  const { code } = error;
  const [host, port] = [config[`${prefix}HOST`], config[`${prefix}PORT`]];
  if (code === "EADDRINUSE") {
    const problem = `${prefix}PORT: ${port} at ${host} is taken by another program (${code}); stop it, or set another port`;
    return new Error(problem, { cause: error });
  }
  if (code === "EACCES") {
    return new ConfigError([`${prefix}PORT: this user may not listen on port ${port} (${code}); set one above 1023`]);
  }
  const isAddress = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL";
  if (!isAddress) return error;
  return new ConfigError([
    `${prefix}HOST: ${host} is no address of this machine (${code}); set one, or 0.0.0.0 for all`,
  ]);
}

/**
 * Starts the configured roles.
 *
 * Each resource with a lifetime is started here and registered with its end. Resources end in the reverse order, each
 * after the one before: requests first, so that none is dropped; the database last, after all resources that use it.
 *
 * @throws ConfigError for settings that only the operator can correct; another error when the database cannot be
 *   migrated now or the port is in use. All opened resources are closed.
 */
export async function startServer(options: { config: Config; log: Logger; clock: Clock }): Promise<RunningServer> {
  const { config, log, clock } = options;
  const lifetimes = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    collectProcessMetrics(metrics.registry);
    const observer = await openObserver(config, log, clock);
    lifetimes.defer(async () => await observer?.stop());
    const chain = await createChain(config, log, clock, metrics, observer);
    lifetimes.defer(() => chain.close());
    await checkChainSettings(config, chain);
    await prepareDatabase(config, log);
    const db = openDatabase(config, log, observer);
    lifetimes.defer(() => db.close());
    const deps = createDeps({ config, log, clock, ids: createIds(clock), db, chain, metrics, observer });
    lifetimes.defer(() => deps.imageDecoder.stop());
    lifetimes.defer(() => deps.cardPainter.stop());
    lifetimes.defer(() => deps.forecaster.stop());

    if (config.METRICS_PORT !== undefined) {
      const server = await startMetricsServer(deps, config.METRICS_PORT).catch((error: unknown) => {
        throw explainListenError(config, "METRICS_", error as NodeJS.ErrnoException);
      });
      lifetimes.defer(() => server.stop());
    }

    if (config.ROLES.includes("worker")) {
      const jobs = await startJobs(deps);
      lifetimes.defer(() => jobs.stop());
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
      await app.listen({ host: config.HOST, port: config.PORT }).catch((error: unknown) => {
        throw explainListenError(config, "", error as NodeJS.ErrnoException);
      });
      const { port } = app.server.address() as AddressInfo;
      log.info({ host: config.HOST, port }, "listening");
      url = `http://${config.HOST}:${port}`;
    }
    return {
      url,
      stop: async () => {
        deps.stopping.abort();
        if (url !== null) await clock.sleep(config.DRAIN_SECONDS * 1_000);
        await lifetimes.disposeAsync();
      },
    };
  } catch (error) {
    await lifetimes.disposeAsync();
    throw error;
  }
}
