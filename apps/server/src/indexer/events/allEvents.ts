import { ethUsdInitialize } from "./ethUsdInitialize.ts";
import { ethUsdSwap } from "./ethUsdSwap.ts";
import type { EventModule } from "./eventModule.ts";
import { initialBuy } from "./initialBuy.ts";
import { launched } from "./launched.ts";
import { lockerCollected } from "./lockerCollected.ts";
import { lockerSettled } from "./lockerSettled.ts";
import { lockerTreasuryChanged } from "./lockerTreasuryChanged.ts";
import { poolBurn } from "./poolBurn.ts";
import { poolMint } from "./poolMint.ts";
import { poolSetFeeProtocol } from "./poolSetFeeProtocol.ts";
import { poolSwap } from "./poolSwap.ts";
import { splitterNativeReceived } from "./splitterNativeReceived.ts";
import { splitterReleased } from "./splitterReleased.ts";
import { stationToppedUp } from "./stationToppedUp.ts";
import { tokenTransfer } from "./tokenTransfer.ts";

/** Every contract event the indexer hears, beside a splitter's birth (fetch/fetchBirths.ts). A new one is a line here. */
export const allEvents: readonly EventModule[] = [
  launched,
  initialBuy,
  poolSwap,
  poolMint,
  poolBurn,
  poolSetFeeProtocol,
  tokenTransfer,
  lockerCollected,
  lockerSettled,
  lockerTreasuryChanged,
  splitterReleased,
  splitterNativeReceived,
  stationToppedUp,
  ethUsdInitialize,
  ethUsdSwap,
];

/** The modules that hear a topic. */
export const eventsByTopic: ReadonlyMap<string, readonly EventModule[]> = Map.groupBy(
  allEvents,
  (event) => event.topic,
);

/** All topics heard. */
export const allTopics: readonly string[] = [...eventsByTopic.keys()];
