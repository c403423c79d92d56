import { decodePoolBurn, poolBurnTopic } from "@slipway/protocol/swapLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Liquidity taken from a launch's pool: never the locked position's, whose owner has no path that does. */
export const poolBurn: EventModule = {
  topic: poolBurnTopic,
  role: "pool",
  apply: (log, batch, emitter) => {
    const change = decodePoolBurn(log);
    const token = emitter.pool!;
    // A burn of zero is how fees are collected.
    if (change === null || change.liquidity === 0n) return;
    touch(batch, token);
    const isInRange = change.tickLower <= token.tick && token.tick < change.tickUpper;
    // What was added before the launch is looked for, but not without end.
    if (isInRange) token.liquidity = token.liquidity > change.liquidity ? token.liquidity - change.liquidity : 0n;
  },
};
