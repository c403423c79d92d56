import type { RawLog } from "@slipway/protocol/rawLog";
import {
  decodePoolBurn,
  decodePoolMint,
  decodeSetFeeProtocol,
  initializeTopic,
  poolBurnTopic,
  poolMintTopic,
  setFeeProtocolTopic,
} from "@slipway/protocol/swapLog";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { SeenLaunch } from "./launches.ts";
import { searchBack } from "./searchBack.ts";

/** How a pool stood before the block of its launch: liquidity in range at the start price, and Uniswap's own fee. */
export type PreLaunchState = { liquidity: bigint; feeProtocol: number };

/**
 * The pasts of pools that are older than their launches, by pool. Anybody may open a launch's pool beforehand at
 * exactly its start price, and may place wrapped native in it, which needs no token. `logs` are those of the range that
 * holds the launches: a pool that is initialised in its launch's block has no past.
 *
 * @throws RpcError
 */
export async function fetchPreLaunchStates(
  rpc: RpcPool,
  launches: readonly SeenLaunch[],
  logs: readonly RawLog[],
  signal?: AbortSignal,
): Promise<Map<string, PreLaunchState>> {
  const pasts = new Map<string, PreLaunchState>();
  if (launches.length === 0) return pasts;
  const opened = new Set<string>();
  for (const log of logs) {
    if (log.topics[0] === initializeTopic) opened.add(`${log.address}:${Number(log.blockNumber)}`);
  }
  for (const launch of launches) {
    if (opened.has(`${launch.pool}:${launch.blockNumber}`)) continue;
    pasts.set(launch.pool, await fetchPreLaunchState(rpc, launch, signal));
  }
  return pasts;
}

async function fetchPreLaunchState(rpc: RpcPool, launch: SeenLaunch, signal?: AbortSignal): Promise<PreLaunchState> {
  const topics = [[initializeTopic, poolMintTopic, poolBurnTopic, setFeeProtocolTopic]];
  const isFirst = (log: RawLog) => log.topics[0] === initializeTopic;
  const { logs } = await searchBack(rpc, launch.blockNumber - 1, { address: launch.pool, topics }, isFirst, signal);
  const past: PreLaunchState = { liquidity: 0n, feeProtocol: 0 };
  for (const log of logs) {
    if (log.topics[0] === setFeeProtocolTopic) past.feeProtocol = decodeSetFeeProtocol(log) ?? past.feeProtocol;
    const isMint = log.topics[0] === poolMintTopic;
    const change = isMint ? decodePoolMint(log) : log.topics[0] === poolBurnTopic ? decodePoolBurn(log) : null;
    if (change === null || launch.tickStart < change.tickLower || launch.tickStart >= change.tickUpper) continue;
    past.liquidity += isMint ? change.liquidity : -change.liquidity;
  }
  return past;
}
