import { type AddressIndex, createAddressIndex } from "./fetch/bloom.ts";
import { createEthUsdPrices, type EthUsdPrices } from "./reduce/ethUsdPrices.ts";
import { createRoundTrips, type RoundTrips } from "./reduce/roundTrips.ts";
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
  creator: string;
  /** The locked position: its liquidity and its tick range. */
  lockedLiquidity: bigint;
  tickLower: number;
  tickUpper: number;
  startPrice: number;
  launchBlock: number;
  launchTime: number;
  launchLogIndex: number;
  /** Hash of the launch's transaction; null after the batch of the launch. */
  launchTx: string | null;

  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  poolProtocolFee: number;
  /** The pool's assets by its own events, in base units: migration 0056. */
  reserveToken: bigint;
  reserveQuote: bigint;
  totalSupply: bigint;
  burned: bigint;
  trades: number;
  buys: number;
  volumeQuote: bigint;
  volumeUsd: bigint | null;
  lastTradeTime: number | null;
  /** Price after the last trade, in wrapped native and in USD; the start price before the first trade. */
  lastClose: number;
  lastCloseUsd: number | null;
  changedBlock: number;
  changedTime: number;

  /** The batch that `candles`, `traders`, `deltas` and `facts` belong to. */
  batchId: number;
  /** The open candle of each length, if the batch changed it. */
  candles: (OpenCandle | undefined)[];
  /** Time of the last trade by account, for the accounts that trade in the batch. */
  traders: Map<string, number>;
  /** Balance changes of the batch by account, in the order of blocks. */
  deltas: Map<string, BalanceStep[]>;
  /** Changes of the facts; null without a change. */
  facts: FactChanges | null;
};

/** The changes of a token's facts in one batch (docs/api.md, Facts of a launch). Sums are in base units of the token. */
export type FactChanges = {
  creatorReceived: bigint;
  creatorSent: bigint;
  creatorBought: bigint;
  creatorSold: bigint;
  traded: bigint;
  roundTripsBlock: bigint;
  roundTrips300s: bigint;
  /** Block of the first buy in the batch, by account. */
  buyBlocks: Map<string, number>;
  /** Tokens bought in each of `launchWindows` (reduce/launchFacts.ts), by account. */
  firstBuys: Map<string, bigint[]>;
};

/** The change of a balance in a block. Changes of accounts that are no holders are one step. */
export type BalanceStep = { block: number; time: number; delta: bigint };

/**
 * A candle computed from one batch only. The commit merges it into the stored candle, if one exists. Fields are named
 * like the columns of chain.candles.
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
  /** Whether an earlier batch has stored a part of this candle. */
  continues: boolean;
};

/** An opening and the block of its creation. The address is lower case. */
export type OpeningRef = { address: string; block: number };

/** Roles of an address in the index; one address can have several. */
export type Emitter = {
  factory?: Deployment;
  locker?: Deployment;
  pool?: TokenRef;
  token?: TokenRef;
  splitter?: true;
  openingFactory?: true;
  opening?: OpeningRef;
  station?: true;
  ethUsd?: true;
};

export type EmitterRole = keyof Emitter;

/**
 * The data that the indexer holds in memory to reduce the next block. It is rebuilt from the database after every undo
 * and every failed commit.
 */
export type IndexState = {
  sources: Sources;
  emitters: Map<string, Emitter>;
  /** The emitters' addresses, as compared with blooms. */
  watched: AddressIndex;
  tokens: Map<string, TokenRef>;
  openings: Map<string, OpeningRef>;
  nextTokenId: number;
  nextAccountId: number;
  /** Prices trades and launches. */
  ethUsd: EthUsdPrices;
  /** Number of launches by creator. */
  launchesByCreator: Map<string, number>;
  roundTrips: RoundTrips;
};

/** Creates a state with the manifest's contracts and no launches. */
export function createIndexState(sources: Sources): IndexState {
  const state: IndexState = {
    sources,
    emitters: new Map(),
    watched: createAddressIndex(),
    tokens: new Map(),
    openings: new Map(),
    nextTokenId: 1,
    nextAccountId: 1,
    ethUsd: createEthUsdPrices([]),
    launchesByCreator: new Map(),
    roundTrips: createRoundTrips(),
  };
  for (const deployment of sources.deployments) {
    addEmitter(state, deployment.launchFactory, { factory: deployment });
    addEmitter(state, deployment.feeLocker, { locker: deployment });
  }
  for (const factory of sources.openingFactories) addEmitter(state, factory, { openingFactory: true });
  if (sources.gasStation !== null) addEmitter(state, sources.gasStation, { station: true });
  if (sources.ethUsd !== null) addEmitter(state, sources.ethUsd.pool, { ethUsd: true });
  return state;
}

/** Adds roles to an address, and watches the address. */
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
  state.launchesByCreator.set(token.creator, (state.launchesByCreator.get(token.creator) ?? 0) + 1);
  state.nextTokenId = Math.max(state.nextTokenId, token.id + 1);
}

/** Watches an opening. */
export function addOpening(state: IndexState, opening: OpeningRef): void {
  state.openings.set(opening.address, opening);
  addEmitter(state, opening.address, { opening });
}

/** Clears a token's batch data to free memory: most tokens never trade again after their first day. */
export function clearBatchState(token: TokenRef): void {
  token.candles = [];
  token.traders = new Map();
  token.deltas = new Map();
  token.facts = null;
  token.launchTx = null;
}
