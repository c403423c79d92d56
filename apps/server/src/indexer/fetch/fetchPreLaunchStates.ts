import type { Launched } from "@slipway/protocol/launchedLog";
import type { RawLog } from "@slipway/protocol/rawLog";
import {
  collectProtocolTopic,
  decodeCollectProtocol,
  decodePoolBurn,
  decodePoolCollect,
  decodePoolFlash,
  decodePoolMint,
  decodeSetFeeProtocol,
  decodeSwap,
  initializeTopic,
  type PoolAmounts,
  poolBurnTopic,
  poolCollectTopic,
  poolFlashTopic,
  poolMintTopic,
  setFeeProtocolTopic,
  swapTopic,
} from "@slipway/protocol/swapLog";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { searchBack } from "./searchBack.ts";

/** A launch in fetched logs, not reduced yet. */
export type FetchedLaunch = Launched & { blockNumber: number };

/**
 * A pool's state before the block of its launch: liquidity in range at the start price, Uniswap's protocol fee, and the
 * pool's assets by its own events.
 */
export type PreLaunchState = PoolAmounts & { liquidity: bigint; feeProtocol: number };

/**
 * Fetches the pre-launch states by pool. Any account can initialize a launch's pool earlier at exactly the start price,
 * and can add wrapped native as liquidity, which needs no token.
 *
 * @param logs - The logs of the launches' range. A pool initialized in its launch's block has no pre-launch state.
 * @throws RpcError
 */
export async function fetchPreLaunchStates(
  rpc: RpcPool,
  launches: readonly FetchedLaunch[],
  logs: readonly RawLog[],
  signal?: AbortSignal,
): Promise<Map<string, PreLaunchState>> {
  const states = new Map<string, PreLaunchState>();
  if (launches.length === 0) return states;
  const initialized = new Set<string>();
  for (const log of logs) {
    if (log.topics[0] === initializeTopic) initialized.add(`${log.address}:${Number(log.blockNumber)}`);
  }
  for (const launch of launches) {
    if (initialized.has(`${launch.pool}:${launch.blockNumber}`)) continue;
    states.set(launch.pool, await fetchPreLaunchState(rpc, launch, signal));
  }
  return states;
}

async function fetchPreLaunchState(rpc: RpcPool, launch: FetchedLaunch, signal?: AbortSignal): Promise<PreLaunchState> {
  const topics = [
    initializeTopic,
    poolMintTopic,
    poolBurnTopic,
    poolCollectTopic,
    collectProtocolTopic,
    poolFlashTopic,
    setFeeProtocolTopic,
    swapTopic,
  ];
  const isFirst = (log: RawLog) => log.topics[0] === initializeTopic;
  const filter = { address: launch.pool, topics: [topics] };
  const { logs } = await searchBack(rpc, launch.blockNumber - 1, [filter], isFirst, signal);
  const state: PreLaunchState = { liquidity: 0n, feeProtocol: 0, amount0: 0n, amount1: 0n };
  for (const log of logs) {
    const paid = decodePoolPayment(log);
    state.amount0 += paid.amount0;
    state.amount1 += paid.amount1;
    if (log.topics[0] === setFeeProtocolTopic) state.feeProtocol = decodeSetFeeProtocol(log) ?? state.feeProtocol;
    const isMint = log.topics[0] === poolMintTopic;
    const change = isMint ? decodePoolMint(log) : log.topics[0] === poolBurnTopic ? decodePoolBurn(log) : null;
    if (change === null || launch.tickStart < change.tickLower || launch.tickStart >= change.tickUpper) continue;
    state.liquidity += isMint ? change.liquidity : -change.liquidity;
  }
  return state;
}

const nothing: PoolAmounts = { amount0: 0n, amount1: 0n };
const negate = ({ amount0, amount1 }: PoolAmounts): PoolAmounts => ({ amount0: -amount0, amount1: -amount1 });

/** Decodes what a log's event paid to its pool; negative if the pool paid, zero for an event without a payment. */
function decodePoolPayment(log: RawLog): PoolAmounts {
  switch (log.topics[0]) {
    case swapTopic:
      return decodeSwap(log) ?? nothing;
    case poolMintTopic:
      return decodePoolMint(log) ?? nothing;
    case poolFlashTopic:
      return decodePoolFlash(log) ?? nothing;
    case poolCollectTopic:
      return negate(decodePoolCollect(log) ?? nothing);
    case collectProtocolTopic:
      return negate(decodeCollectProtocol(log) ?? nothing);
    default:
      return nothing;
  }
}
