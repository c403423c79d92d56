import { createReadModel, type ReadModel } from "./cache/createReadModel.ts";
import { type CardPainter, createCardPainter } from "./compute/createCardPainter.ts";
import { createForecaster, type Forecaster } from "./compute/createForecaster.ts";
import { createImageDecoder, type ImageDecoder } from "./compute/createImageDecoder.ts";
import { createOldHistory } from "./history/engine/oldHistory.ts";
import { createHistory, type History } from "./history/history.ts";
import { createLiveFeed, type LiveFeed } from "./live/createLiveFeed.ts";
import { createStreamCapacity, type StreamCapacity } from "./live/createStreamCapacity.ts";
import { listenToOutbox } from "./live/listenToOutbox.ts";
import { getEthUsdSource } from "./pricing/ethUsdOracle.ts";
import { type ClickHouse, createClickHouse } from "./providers/clickHouse/createClickHouse.ts";
import { createIdentity, type Identity } from "./providers/identity/createIdentity.ts";
import { createPinning } from "./providers/pinning/createPinning.ts";
import type { PinningService } from "./providers/pinning/pinningService.ts";
import { createMediaStorage, isInBucket } from "./providers/storage/createMediaStorage.ts";
import { measureDisk } from "./providers/storage/measureDisk.ts";
import type { MediaStorage } from "./providers/storage/mediaStorage.ts";
import { createPaymentOffers, type PaymentOffers } from "./relayer/paymentOffers.ts";
import { createRelayerKey, type RelayerKey } from "./relayer/relayerKey.ts";
import { createStationMonitor, type StationMonitor } from "./relayer/stationStatus.ts";
import type { Runtime } from "./runtime.ts";

/**
 * The dependencies of features, routes, jobs and the indexer: the runtime, and one instance of each service of a
 * process.
 */
export type Deps = Runtime & {
  /** Aborted when the process begins to stop: it is then not ready, and serves for DRAIN_SECONDS. */
  stopping: AbortController;
  readModel: ReadModel;
  history: History;
  /** The history engine; null where none is configured. */
  clickHouse: ClickHouse | null;
  liveFeed: LiveFeed;
  streamCapacity: StreamCapacity;
  /** Null where signing in is not configured. */
  identity: Identity | null;
  /** Null where the operator configured no relayer. */
  relayerKey: RelayerKey | null;
  gasStation: StationMonitor;
  paymentOffers: PaymentOffers;
  imageDecoder: ImageDecoder;
  cardPainter: CardPainter;
  forecaster: Forecaster;
  mediaStorage: MediaStorage;
  /** Null where no pinning service is configured. */
  pinning: PinningService | null;
};

/**
 * Builds the services of a process without starting any: `startServer.ts` starts and stops services with a lifetime.
 */
export function createDeps(runtime: Runtime): Deps {
  const { chain, clock, config, db, log, metrics } = runtime;
  metrics.replica.status = () => db.replica?.status() ?? null;
  const relayerKey = config.RELAYER_PRIVATE_KEY === undefined ? null : createRelayerKey(config.RELAYER_PRIVATE_KEY);
  const server = config.HISTORY_URL;
  const timeoutMs = config.HISTORY_TIMEOUT_MS;
  const clickHouse =
    server === undefined ? null : createClickHouse({ server, cluster: config.HISTORY_CLUSTER, timeoutMs, clock });
  metrics.historyEngine.isUp = () => clickHouse?.isUp() ?? null;
  const readModel = createReadModel({
    db,
    clock,
    maxBytes: config.READ_CACHE_BYTES,
    ethUsdSource: () => getEthUsdSource(chain.manifestState().manifest),
  });
  const liveFeed = createLiveFeed({
    db: db.newest,
    clock,
    log,
    listen: (wake) => listenToOutbox({ pool: db.listening, clock, log, wake }),
    prepareDelivery: readModel.syncTo,
  });
  metrics.health.pools = () => db.measurePools();
  if (config.ROLES.includes("api")) {
    metrics.health.outbox = () => {
      const { outboxId, syncedAtMs } = readModel.progress();
      const readAgeSeconds = Number.isFinite(syncedAtMs) ? (clock.now() - syncedAtMs) / 1_000 : null;
      // Without readers, the feed delivers nothing and its newest id is 0.
      const undelivered = liveFeed.newest() === 0 ? 0 : Math.max(0, outboxId - liveFeed.newest());
      return { readAgeSeconds, undelivered };
    };
  }
  metrics.health.disk = async () => (isInBucket(config) ? null : await measureDisk(config.DATA_DIR));
  return {
    ...runtime,
    stopping: new AbortController(),
    readModel,
    clickHouse,
    history: createHistory(clickHouse === null ? null : createOldHistory({ clickHouse, log, metrics })),
    liveFeed,
    streamCapacity: createStreamCapacity(config),
    identity: createIdentity(runtime),
    relayerKey,
    gasStation: createStationMonitor(runtime, relayerKey),
    paymentOffers: createPaymentOffers(runtime, relayerKey),
    cardPainter: createCardPainter({ clock }),
    forecaster: createForecaster({ clock }),
    imageDecoder: createImageDecoder({ clock, processes: config.IMAGE_PROCESSES }),
    mediaStorage: createMediaStorage(runtime),
    pinning: createPinning(runtime),
  };
}
