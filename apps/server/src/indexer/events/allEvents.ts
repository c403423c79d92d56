import { ethUsdInitialize, ethUsdSwap } from "./ethUsd.ts";
import type { EventModule } from "./eventModule.ts";
import { initialBuy, launched } from "./launched.ts";
import { lockerCollected, lockerSettled, treasuryChanged } from "./lockerEvents.ts";
import { openingClaimed, openingClosed, openingCreated, openingDeposited, openingOpened } from "./openingEvents.ts";
import {
  poolBurn,
  poolCollect,
  poolCollectProtocol,
  poolFlash,
  poolMint,
  poolSetFeeProtocol,
} from "./poolLiquidity.ts";
import { poolSwap } from "./poolSwap.ts";
import { splitterNativeReceived, splitterReleased } from "./splitterEvents.ts";
import { owedPaid, paymentOwed } from "./splitterReceipts.ts";
import { tokenTransfer } from "./tokenTransfer.ts";
import { toppedUp } from "./toppedUp.ts";

/**
 * All indexed contract events, except the creation of splitters (fetch/fetchDeployments.ts). Fetching, reducing,
 * committing, undoing and opening the index loop over this list: a new event needs a file and a line here.
 */
export const allEvents: readonly EventModule[] = [
  launched,
  initialBuy,
  poolSwap,
  poolMint,
  poolBurn,
  poolCollect,
  poolCollectProtocol,
  poolFlash,
  poolSetFeeProtocol,
  tokenTransfer,
  lockerCollected,
  lockerSettled,
  treasuryChanged,
  paymentOwed,
  owedPaid,
  splitterReleased,
  splitterNativeReceived,
  openingCreated,
  openingDeposited,
  openingOpened,
  openingClosed,
  openingClaimed,
  toppedUp,
  ethUsdInitialize,
  ethUsdSwap,
];
