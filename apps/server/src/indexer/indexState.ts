import { type AddressIndex, createAddressIndex } from "./fetch/bloom.ts";
import type { Deployment, Sources } from "./sources.ts";

/** In-memory state of a token: everything needed to reduce its next log without a database query. */
export type TokenRef = {
  id: number;
  address: string;
  pool: string;
  locker: string;
  isToken0: boolean;
  feeBps: number;
  protocolFeeBps: number;
  splitter: string;
  /** The locked position: its liquidity, and the ticks between which it is. */
  lockedLiquidity: bigint;
  tickLower: number;
  tickUpper: number;
  startPrice: number;
  launchBlock: number;
  launchLogIndex: number;

  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  poolProtocolFee: number;
  totalSupply: bigint;
  burned: bigint;
  trades: number;
  buys: number;
  volumeQuote: bigint;
  volumeUsd: bigint | null;
  lastTradeTime: number | null;
  /** Price after the last trade (the start price before), in wrapped native and in USD. */
  lastClose: number;
  lastCloseUsd: number | null;
  changedBlock: number;
  changedTime: number;

  /** The batch that `candles`, `traders` and `deltas` belong to. */
  batchId: number;
  /** The open bucket of each length, when the batch has touched it. */
  candles: (OpenCandle | undefined)[];
  /** Makers of the batch and the time of their last trade. */
  traders: Map<string, number>;
  /** Balance changes of the batch. */
  deltas: Map<string, bigint>;
};

/**
 * A bucket of a token's OHLC series as far as a batch knows it: merged into the stored bucket when there is one. Named as
 * the columns of chain.candles.
 */
export type OpenCandle = {
  token: TokenRef;
  seconds: number;
  t: number;
  o: number;
  h: number;
  l: number;
  c: number;
  o_usd: number | null;
  h_usd: number | null;
  l_usd: number | null;
  c_usd: number | null;
  n: number;
  buys: number;
  vq: bigint;
  v: bigint | null;
  /** An earlier batch has stored a part of this bucket. */
  continues: boolean;
};

/** Roles of an address in the index; one address can have several. */
export type Emitter = {
  factory?: Deployment;
  locker?: Deployment;
  pool?: TokenRef;
  token?: TokenRef;
  splitter?: true;
  station?: true;
  ethUsd?: true;
};

export type EmitterRole = keyof Emitter;

/** Everything that reducing needs of the chain so far, in memory; rebuilt from the database after every undo or failed commit. */
export type IndexState = {
  sources: Sources;
  emitters: Map<string, Emitter>;
  /** The emitters' addresses, to be tested against blooms. */
  watched: AddressIndex;
  tokens: Map<string, TokenRef>;
  nextTokenId: number;
  nextAccountId: number;
  /** ETH/USD now; null when unknown. */
  ethUsd: number | null;
};

/** Creates a state of the manifest's contracts, without any launch. */
export function createIndexState(sources: Sources): IndexState {
  const state: IndexState = {
    sources,
    emitters: new Map(),
    watched: createAddressIndex(),
    tokens: new Map(),
    nextTokenId: 1,
    nextAccountId: 1,
    ethUsd: null,
  };
  for (const deployment of sources.deployments) {
    addEmitter(state, deployment.launchFactory, { factory: deployment });
    addEmitter(state, deployment.feeLocker, { locker: deployment });
  }
  if (sources.gasStation !== null) addEmitter(state, sources.gasStation, { station: true });
  if (sources.ethUsd !== null) addEmitter(state, sources.ethUsd.pool, { ethUsd: true });
  return state;
}

/**
 * Counts logs as chain.unconfirmed_ranges does: without those of the gas station, which a manifest may name after the
 * blocks were indexed.
 */
export function countLaunchLogs(logs: readonly { address: string }[], { sources }: IndexState): number {
  return logs.reduce((count, { address }) => (address === sources.gasStation ? count : count + 1), 0);
}

/** Watches an address in one more role. */
export function addEmitter(state: IndexState, address: string, roles: Emitter): void {
  if (!state.emitters.has(address)) state.watched.add(address);
  state.emitters.set(address, { ...state.emitters.get(address), ...roles });
}

/** Watches a token, its pool and its splitter. */
export function addToken(state: IndexState, token: TokenRef): void {
  state.tokens.set(token.address, token);
  addEmitter(state, token.address, { token });
  addEmitter(state, token.pool, { pool: token });
  addEmitter(state, token.splitter, { splitter: true });
  state.nextTokenId = Math.max(state.nextTokenId, token.id + 1);
}

/** Releases what a token holds of a batch: most tokens never trade again after their first day. */
export function clearBatchState(token: TokenRef): void {
  token.candles = [];
  token.traders = new Map();
  token.deltas = new Map();
}
