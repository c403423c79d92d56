import type { Deps } from "../deps.ts";
import { listenToOutbox } from "./listenToOutbox.ts";
import { createLiveFeed, type LiveFeed } from "./liveFeed.ts";

const feeds = new WeakMap<Deps, LiveFeed>();

/** The one live feed of a process's dependencies, made when it is first needed. */
export function liveFeedOf(deps: Deps): LiveFeed {
  let feed = feeds.get(deps);
  if (feed === undefined) {
    const { clock, log } = deps;
    feed = createLiveFeed({
      db: deps.db.read,
      clock,
      log,
      listen: (wake) => listenToOutbox({ pool: deps.db.listening, clock, log, wake }),
    });
    feeds.set(deps, feed);
  }
  return feed;
}
