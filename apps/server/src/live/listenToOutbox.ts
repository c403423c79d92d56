import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type ChannelListener, listenToChannel } from "../db/listenToChannel.ts";

/** Channel of notifications about new rows of `chain.outbox` or changes of `app.token_manifests`. */
export const outboxChannel = "slipway_outbox";

/** Calls `wake` after every commit that notifies; see `listenToChannel`. The outbox contains the events. */
export function listenToOutbox(options: {
  pool: Database["listening"];
  clock: Pick<Clock, "sleep">;
  log: Logger;
  wake: () => void;
}): ChannelListener {
  const { wake, ...rest } = options;
  return listenToChannel({ ...rest, channel: outboxChannel, wake: () => wake() });
}
