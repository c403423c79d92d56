import type { RawLog } from "@slipway/protocol/rawLog";
import {
  collectProtocolTopic,
  decodeCollectProtocol,
  decodePoolBurn,
  decodePoolCollect,
  decodePoolFlash,
  decodePoolMint,
  decodeSetFeeProtocol,
  type PoolAmounts,
  poolBurnTopic,
  poolCollectTopic,
  poolFlashTopic,
  poolMintTopic,
  setFeeProtocolTopic,
} from "@slipway/protocol/swapLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";
import { addPoolChange, addToReserves, type PoolChangeKind, poolChangesTable, toTokenAmounts } from "./poolChanges.ts";

/** Liquidity was added to a launch's pool, by the locker at the launch or by any account later. */
export const poolMint: EventModule = {
  topic: poolMintTopic,
  role: "pool",
  tables: [poolChangesTable],
  apply: (log, batch, emitter) => {
    const change = decodePoolMint(log);
    const token = emitter.pool!;
    if (change === null) return;
    touch(batch, token);
    if (change.tickLower <= token.tick && token.tick < change.tickUpper) token.liquidity += change.liquidity;
    const amounts = toTokenAmounts(change, token.isToken0);
    addToReserves(token, amounts);
    addPoolChange(batch, token, { kind: "mint", ...amounts });
  },
};

/** Liquidity was removed from a launch's pool, never from the locked position: its owner has no function for this. */
export const poolBurn: EventModule = {
  topic: poolBurnTopic,
  role: "pool",
  tables: [poolChangesTable],
  apply: (log, batch, emitter) => {
    const change = decodePoolBurn(log);
    const token = emitter.pool!;
    // A collection of fees emits a Burn of zero.
    if (change === null || change.liquidity === 0n) return;
    touch(batch, token);
    const isInRange = change.tickLower <= token.tick && token.tick < change.tickUpper;
    // Part of the liquidity from before the launch can be unknown, because the search for it is bounded.
    if (isInRange) token.liquidity = token.liquidity > change.liquidity ? token.liquidity - change.liquidity : 0n;
    // The pool owes the amounts until the owner collects them.
    addPoolChange(batch, token, { kind: "burn", ...toTokenAmounts(change, token.isToken0) });
  },
};

/** A position's owner took fees or burned liquidity out of a launch's pool; the locker's collections too. */
export const poolCollect = createPayment(poolCollectTopic, "collect", decodePoolCollect);

/** Uniswap's own protocol fee was taken out of a launch's pool. */
export const poolCollectProtocol = createPayment(collectProtocolTopic, "collect_protocol", decodeCollectProtocol);

/** A flash loan paid its fee to a launch's pool. */
export const poolFlash = createPayment(poolFlashTopic, "flash", decodePoolFlash);

/** Creates the module of an event that only changes a pool's assets. */
function createPayment(
  topic: string,
  kind: Extract<PoolChangeKind, "collect" | "collect_protocol" | "flash">,
  decode: (log: RawLog) => PoolAmounts | null,
): EventModule {
  const isPaidIn = kind === "flash";
  return {
    topic,
    role: "pool",
    tables: [poolChangesTable],
    apply: (log, batch, emitter) => {
      const paid = decode(log);
      const token = emitter.pool!;
      if (paid === null || (paid.amount0 === 0n && paid.amount1 === 0n)) return;
      touch(batch, token);
      const amounts = toTokenAmounts(paid, token.isToken0);
      const { tokenAmount, quoteAmount } = amounts;
      addToReserves(token, isPaidIn ? amounts : { tokenAmount: -tokenAmount, quoteAmount: -quoteAmount });
      addPoolChange(batch, token, { kind, ...amounts });
    },
  };
}

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
