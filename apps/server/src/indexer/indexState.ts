import type { Deployment, Sources } from "./sources.ts";
import { type AddressIndex, createAddressIndex } from "./fetch/bloom.ts";
import type { CandleRow } from "./reduce/rows.ts";

/** What the indexer holds in memory of a token: enough to reduce its next log without asking the database. */
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
  candles: (CandleRow | undefined)[];
  /** Makers of the batch and the time of their last trade. */
  traders: Map<string, number>;
  /** Balance changes of the batch. */
  deltas: Map<string, bigint>;
};

/** What an address means to the indexer; one address can be several things. */
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

/** Everything the reducer knows of the chain so far; rebuilt from the database after every undo or failed commit. */
export type IndexState = {
  sources: Sources;
  emitters: Map<string, Emitter>;
  /** The emitters' addresses, to be held against blooms. */
  watched: AddressIndex;
  tokens: Map<string, TokenRef>;
  nextTokenId: number;
  nextAccountId: number;
  /** ETH/USD now; null when unknown. */
  ethUsd: number | null;
};

/** A world that knows the manifest's contracts and nothing else. */
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

/** Lets the indexer hear an address in one more role. */
export function addEmitter(state: IndexState, address: string, roles: Emitter): void {
  if (!state.emitters.has(address)) state.watched.add(address);
  state.emitters.set(address, { ...state.emitters.get(address), ...roles });
}

/** Lets the indexer hear a token, its pool and its splitter. */
export function addToken(state: IndexState, token: TokenRef): void {
  state.tokens.set(token.address, token);
  addEmitter(state, token.address, { token });
  addEmitter(state, token.pool, { pool: token });
  addEmitter(state, token.splitter, { splitter: true });
  state.nextTokenId = Math.max(state.nextTokenId, token.id + 1);
}

/** Lets go of what a token keeps of a batch: most tokens are quiet for ever after their first day. */
export function clearBatchState(token: TokenRef): void {
  token.candles = [];
  token.traders = new Map();
  token.deltas = new Map();
}
