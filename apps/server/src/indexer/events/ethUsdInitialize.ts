import { decodeInitialize, initializeTopic } from "@slipway/protocol/swapLog";
import { addEthUsd } from "./ethUsdSwap.ts";
import type { EventModule } from "./eventModule.ts";

/** The first price of the pool that prices the native asset, when it was opened after our contracts. */
export const ethUsdInitialize: EventModule = {
  topic: initializeTopic,
  role: "ethUsd",
  apply: (log, batch) => {
    const first = decodeInitialize(log);
    if (first !== null) addEthUsd(batch, { ...first, liquidity: 0n });
  },
};
