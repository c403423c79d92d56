import { decodeLaunched, launchedTopic } from "@slipway/protocol/launchedLog";
import { cleanText, readMetadataUri } from "@slipway/protocol/metadataDocument";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { totalsOf, touch } from "../reduce/batch.ts";
import { addToken, type TokenRef } from "../indexState.ts";
import type { EventModule } from "./eventModule.ts";

const zeroAddress = `0x${"0".repeat(40)}`;

/** Longest texts kept; the contract allows 24,575 bytes for all three together. */
const maxNameLength = 256;
const maxSymbolLength = 64;

/**
 * A launch: from here on its token, pool and splitter are heard. Applied before all other logs of its batch, because
 * the token's first Transfer and the pool's first Mint come before it in the same transaction.
 */
export const launched: EventModule = {
  topic: launchedTopic,
  role: "factory",
  apply: (log, batch, emitter) => {
    const event = decodeLaunched(log);
    const { world, at } = batch;
    if (event === null || world.tokens.has(event.token)) return;
    const deployment = emitter.factory!;
    const isToken0 = event.token < world.sources.wrappedNative;
    const sqrtPriceX96 = sqrtPriceX96AtTick(event.tickStart);
    const startPrice = priceFromSqrtX96(sqrtPriceX96, isToken0);
    const startEthUsd = world.ethUsd;
    const past = batch.poolPasts.get(event.pool);
    const token: TokenRef = {
      id: world.nextTokenId,
      address: event.token,
      pool: event.pool,
      locker: deployment.feeLocker,
      isToken0,
      feeBps: event.totalFeeBps,
      protocolFeeBps: event.protocolFeeBps,
      splitter: event.splitter,
      lockedLiquidity: event.liquidity,
      tickLower: event.tickLower,
      tickUpper: event.tickUpper,
      startPrice,
      launchBlock: at.blockNumber,
      launchLogIndex: at.logIndex,
      sqrtPriceX96,
      tick: event.tickStart,
      liquidity: past?.liquidity ?? 0n,
      poolProtocolFee: past?.feeProtocol ?? 0,
      totalSupply: 0n,
      burned: 0n,
      trades: 0,
      buys: 0,
      volumeQuote: 0n,
      volumeUsd: 0n,
      lastTradeTime: null,
      lastClose: startPrice,
      lastCloseUsd: startEthUsd === null ? null : startPrice * startEthUsd,
      changedBlock: at.blockNumber,
      changedTime: at.blockTime,
      batchId: -1,
      candles: [],
      traders: new Map(),
      deltas: new Map(),
    };
    addToken(world, token);
    touch(batch, token);
    const name = cleanText(event.name, maxNameLength);
    const symbol = cleanText(event.symbol, maxSymbolLength);
    batch.launches.push({
      id: token.id,
      address: event.token,
      pool: event.pool,
      deployment_id: deployment.id,
      is_token0: isToken0,
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
      quote_token: world.sources.wrappedNative,
      tick_start: event.tickStart,
      tick_lower: event.tickLower,
      tick_upper: event.tickUpper,
      locked_liquidity: event.liquidity,
      start_price: startPrice,
      start_eth_usd: startEthUsd,
      initial_buy_in: null,
      initial_buy_out: null,
      initial_buy_recipient: null,
      block_number: at.blockNumber,
      block_time: at.blockTime,
      log_index: at.logIndex,
      tx_hash: at.txHash,
      search_text: `${name}\n${symbol}`.toLowerCase().concat("\n", event.token),
    });
    totalsOf(batch).launches++;
  },
};
