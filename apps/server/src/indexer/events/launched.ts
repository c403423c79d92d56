import { decodeLaunched, type Launched, launchedTopic } from "@slipway/protocol/launchedLog";
import { cleanText, readMetadataUri } from "@slipway/protocol/metadataDocument";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { addToken, type TokenRef } from "../indexState.ts";
import { type Batch, getEthUsd, getMinuteTotals, getRows, touch } from "../reduce/batch.ts";
import { zeroAddress } from "../reduce/isHolder.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";
import { addToReserves, toTokenAmounts } from "./poolChanges.ts";
import { splitterPayeesTable, splittersTable } from "./splitterEvents.ts";

/** Immutable fields of a Launched event. */
export type LaunchRow = {
  id: number;
  address: string;
  pool: string;
  deployment_id: number;
  is_token0: boolean;
  name: string;
  symbol: string;
  contract_uri: string;
  description: string | null;
  image: string | null;
  website: string | null;
  creator: string;
  splitter: string;
  partner: string | null;
  partner_share_bps: number;
  fee_bps: number;
  protocol_fee_bps: number;
  salt: string;
  quote_token: string;
  tick_start: number;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: bigint;
  start_price: number;
  start_eth_usd: number | null;
  initial_buy_in: bigint | null;
  initial_buy_out: bigint | null;
  initial_buy_recipient: string | null;
  block_number: number;
  block_time: number;
  log_index: number;
  tx_hash: string;
  search_text: string;
  /** Number of earlier launches of the creator. */
  creator_launches: number;
};

export const tokensTable = createEventTable<LaunchRow>("tokens", [
  ...(["id", "address", "pool", "deployment_id", "is_token0", "name", "symbol", "contract_uri"] as const),
  ...(["description", "image", "website", "creator", "splitter", "partner", "partner_share_bps"] as const),
  ...(["fee_bps", "protocol_fee_bps", "salt", "quote_token", "tick_start", "tick_lower", "tick_upper"] as const),
  ...(["locked_liquidity", "start_price", "start_eth_usd"] as const),
  ...(["initial_buy_in", "initial_buy_out", "initial_buy_recipient"] as const),
  ...(["block_number", "block_time", "log_index", "tx_hash", "search_text", "creator_launches"] as const),
]);

/** Maximum lengths of stored texts in characters. The contract allows name, symbol and URI 24,575 bytes in total. */
const maxNameLength = 256;
const maxSymbolLength = 64;

/**
 * A launch adds its token, pool and splitter to the watched addresses. Applied before all other logs of its range,
 * because the token's first Transfer and the pool's first Mint precede the Launched log in its transaction.
 */
export const launched: EventModule = {
  topic: launchedTopic,
  role: "factory",
  tables: [tokensTable, splittersTable, splitterPayeesTable],
  // Deletes splitter events from blocks before the launch too: they were stored with the launch.
  undo: async (client, aboveBlock) => {
    await client.query(
      `delete from chain.splitter_events e using chain.splitters s
       where s.block_number > $1 and e.splitter = s.address`,
      [aboveBlock],
    );
  },
  apply: (log, batch, emitter) => {
    const event = decodeLaunched(log);
    const { state, at } = batch;
    if (event === null || state.tokens.has(event.token)) return;
    const deployment = emitter.factory!;
    const token = createToken(event, deployment.feeLocker, batch);
    const creatorLaunches = state.launchesByCreator.get(event.creator) ?? 0;
    const preLaunchState = batch.preLaunchStates.get(event.pool);
    if (preLaunchState !== undefined) addToReserves(token, toTokenAmounts(preLaunchState, token.isToken0));
    addToken(state, token);
    touch(batch, token);
    token.launchTx = at.txHash;
    const name = cleanText(event.name, maxNameLength);
    const symbol = cleanText(event.symbol, maxSymbolLength);
    getRows(batch, tokensTable).push({
      id: token.id,
      address: event.token,
      pool: event.pool,
      deployment_id: deployment.id,
      is_token0: token.isToken0,
      name,
      symbol,
      contract_uri: event.contractUri.toWellFormed().replaceAll("\u0000", ""),
      ...readMetadataUri(event.contractUri),
      creator: event.creator,
      splitter: event.splitter,
      partner: event.partner === zeroAddress ? null : event.partner,
      partner_share_bps: event.partnerShareBps,
      fee_bps: event.totalFeeBps,
      protocol_fee_bps: event.protocolFeeBps,
      salt: event.salt,
      quote_token: state.sources.wrappedNative,
      tick_start: event.tickStart,
      tick_lower: event.tickLower,
      tick_upper: event.tickUpper,
      locked_liquidity: event.liquidity,
      start_price: token.startPrice,
      start_eth_usd: getEthUsd(batch),
      initial_buy_in: null,
      initial_buy_out: null,
      initial_buy_recipient: null,
      block_number: at.blockNumber,
      block_time: at.blockTime,
      log_index: at.logIndex,
      tx_hash: at.txHash,
      search_text: `${name}\n${symbol}`.toLowerCase().concat("\n", event.token),
      creator_launches: creatorLaunches,
    });
    getMinuteTotals(batch).launches++;
  },
};

/** Returns the token's state at its launch, before its first trade. */
function createToken(event: Launched, locker: string, batch: Batch): TokenRef {
  const { state, at, preLaunchStates } = batch;
  const isToken0 = event.token < state.sources.wrappedNative;
  const sqrtPriceX96 = sqrtPriceX96AtTick(event.tickStart);
  const startPrice = priceFromSqrtX96(sqrtPriceX96, isToken0);
  const ethUsd = getEthUsd(batch);
  const preLaunchState = preLaunchStates.get(event.pool);
  return {
    id: state.nextTokenId,
    address: event.token,
    pool: event.pool,
    locker,
    isToken0,
    feeBps: event.totalFeeBps,
    protocolFeeBps: event.protocolFeeBps,
    splitter: event.splitter,
    creator: event.creator,
    lockedLiquidity: event.liquidity,
    tickLower: event.tickLower,
    tickUpper: event.tickUpper,
    startPrice,
    launchBlock: at.blockNumber,
    launchTime: at.blockTime,
    launchLogIndex: at.logIndex,
    launchTx: null,
    sqrtPriceX96,
    tick: event.tickStart,
    liquidity: preLaunchState?.liquidity ?? 0n,
    poolProtocolFee: preLaunchState?.feeProtocol ?? 0,
    reserveToken: 0n,
    reserveQuote: 0n,
    totalSupply: 0n,
    burned: 0n,
    trades: 0,
    buys: 0,
    volumeQuote: 0n,
    volumeUsd: 0n,
    lastTradeTime: null,
    lastClose: startPrice,
    lastCloseUsd: ethUsd === null ? null : startPrice * ethUsd,
    changedBlock: at.blockNumber,
    changedTime: at.blockTime,
    batchId: -1,
    candles: [],
    traders: new Map(),
    deltas: new Map(),
    facts: null,
  };
}

/** The initial buy is stored in the launch's row. Its swap counts like any other swap. */
export const initialBuy: EventModule = {
  topic: "0xd491b7c213256287b6bb5bcdbc37f797907ec6def675e7e0bb73d30283af539d",
  role: "factory",
  tables: [tokensTable],
  apply: (log, batch) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 3)) return;
    const address = topicAddress(log.topics[1]!);
    // The initial buy is in the launch's transaction, so this batch has the launch's row.
    const launch = getRows(batch, tokensTable).find(
      (row) => row.address === address && row.tx_hash === batch.at.txHash,
    );
    if (!launch) return;
    launch.initial_buy_recipient = topicAddress(log.topics[2]!);
    launch.initial_buy_in = uintWord(log.data, 0);
    launch.initial_buy_out = uintWord(log.data, 1);
  },
};
