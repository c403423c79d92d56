import {
  decodePoolBurn,
  decodePoolMint,
  decodeSetFeeProtocol,
  poolBurnTopic,
  poolMintTopic,
  setFeeProtocolTopic,
} from "@slipway/protocol/swapLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Liquidity added to a launch's pool, by the locker at the launch or by any account later. */
export const poolMint: EventModule = {
  topic: poolMintTopic,
  role: "pool",
  tables: [],
  apply: (log, batch, emitter) => {
    const change = decodePoolMint(log);
    const token = emitter.pool!;
    if (change === null) return;
    touch(batch, token);
    if (change.tickLower <= token.tick && token.tick < change.tickUpper) token.liquidity += change.liquidity;
  },
};

/** Liquidity taken from a launch's pool: never the locked position's, whose owner has no function that burns. */
export const poolBurn: EventModule = {
  topic: poolBurnTopic,
  role: "pool",
  tables: [],
  apply: (log, batch, emitter) => {
    const change = decodePoolBurn(log);
    const token = emitter.pool!;
    // A burn of zero is how fees are collected.
    if (change === null || change.liquidity === 0n) return;
    touch(batch, token);
    const isInRange = change.tickLower <= token.tick && token.tick < change.tickUpper;
    // The search for liquidity from before the launch is bounded: some of it can be unknown.
    if (isInRange) token.liquidity = token.liquidity > change.liquidity ? token.liquidity - change.liquidity : 0n;
  },
};

/** Uniswap's own protocol fee of a launch's pool was switched: liquidity earns less from here on. */
export const poolSetFeeProtocol: EventModule = {
  topic: setFeeProtocolTopic,
  role: "pool",
  tables: [],
  apply: (log, batch, emitter) => {
    const feeProtocol = decodeSetFeeProtocol(log);
    if (feeProtocol === null) return;
    touch(batch, emitter.pool!);
    emitter.pool!.poolProtocolFee = feeProtocol;
  },
};
