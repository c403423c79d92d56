import { decodePoolMint, poolMintTopic } from "@slipway/protocol/swapLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Liquidity added to a launch's pool, by the locker at birth or by anybody later. */
export const poolMint: EventModule = {
  topic: poolMintTopic,
  role: "pool",
  apply: (log, batch, emitter) => {
    const change = decodePoolMint(log);
    const token = emitter.pool!;
    if (change === null) return;
    touch(batch, token);
    if (change.tickLower <= token.tick && token.tick < change.tickUpper) token.liquidity += change.liquidity;
  },
};
