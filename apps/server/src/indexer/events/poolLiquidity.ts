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

/** Liquidity was added to a launch's pool, by the locker at the launch or by any account later. */
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

/** Liquidity was removed from a launch's pool, never from the locked position: its owner has no function for this. */
export const poolBurn: EventModule = {
  topic: poolBurnTopic,
  role: "pool",
  tables: [],
  apply: (log, batch, emitter) => {
    const change = decodePoolBurn(log);
    const token = emitter.pool!;
    // A collection of fees emits a Burn of zero.
    if (change === null || change.liquidity === 0n) return;
    touch(batch, token);
    const isInRange = change.tickLower <= token.tick && token.tick < change.tickUpper;
    // Part of the liquidity from before the launch can be unknown, because the search for it is bounded.
    if (isInRange) token.liquidity = token.liquidity > change.liquidity ? token.liquidity - change.liquidity : 0n;
  },
};

/** Uniswap's own protocol fee of a launch's pool changed. It reduces the fees that liquidity earns. */
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
