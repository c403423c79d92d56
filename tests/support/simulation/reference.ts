import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { type Abi, decodeEventLog, type Hex, parseAbi } from "viem";
import { poolAbi } from "./encodeLog.ts";
import { referenceAccount } from "./referenceAccount.ts";
import { addReferenceCostBasis, type ReferenceTrade, sum } from "./referenceCostBasis.ts";
import { addReferenceFacts, type ReferenceTransfer } from "./referenceFacts.ts";
import { addListedCandles, addPositions, finishTotals, noteHolders } from "./referenceFigures.ts";
import { createReferenceOpenings } from "./referenceOpenings.ts";
import { payToPool } from "./referencePool.ts";
import { cloneHead, getCloneCode } from "./simulatedManifest.ts";
import { emptyTables, type Tables } from "./tables.ts";

/**
 * Computes the required content of the index, only from the canonical chain: pure functions, no SQL, and no production
 * code that decodes, prices or counts. Slow and simple on purpose; it is the oracle of the simulation and of the tests
 * on a real chain.
 */
export type ReferenceLog = {
  address: string;
  topics: string[];
  data: string;
  logIndex: number;
  txHash: string;
};
export type ReferenceTx = { hash: string; from: string; to: string | null; input: string; created: string | null };
export type ReferenceBlock = { number: number; time: number; txs: ReferenceTx[]; logs: ReferenceLog[] };

const erc20Abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);
const zero = `0x${"0".repeat(40)}`;
const burnAddresses = new Set([zero, `0x${"0".repeat(36)}dead`]);
const day = 86400;

type Args = Record<string, any>;

type Token = {
  address: string;
  pool: string;
  locker: string;
  isToken0: boolean;
  splitter: string;
  creator: string;
  launchBlock: number;
  launchTime: number;
  launchTx: string;
  feeBps: bigint;
  protocolFeeBps: bigint;
  locked: { liquidity: bigint; from: number; to: number };
  tick: number;
  liquidity: bigint;
  sqrtPriceX96: bigint;
  poolProtocolFee: number;
  /** Token, then quote. */
  reserves: [bigint, bigint];
  supply: bigint;
  balances: Map<string, bigint>;
  held: Set<string>;
  trades: ReferenceTrade[];
  transfers: ReferenceTransfer[];
  startPrice: number;
  startEthUsd: number | null;
  changedBlock: number;
  changedTime: number;
};

function decode(abi: Abi, log: ReferenceLog): { name: string; args: Args } | null {
  try {
    const decoded = decodeEventLog({ abi, data: log.data as Hex, topics: log.topics as [Hex, ...Hex[]], strict: true });
    return { name: decoded.eventName as unknown as string, args: decoded.args as unknown as Args };
  } catch {
    return null;
  }
}

/** Computes (sqrt / 2^96)^2 with all digits, converted to a double at the end. */
function exactPrice(sqrt: bigint, baseIsToken0: boolean, decimals0: number, decimals1: number): number {
  let [numerator, denominator] = [sqrt * sqrt * 10n ** BigInt(decimals0), 2n ** 192n * 10n ** BigInt(decimals1)];
  if (!baseIsToken0) [numerator, denominator] = [denominator, numerator];
  // 40 digits after the first one: far more than a double contains.
  const shift = BigInt(Math.max(0, denominator.toString().length - numerator.toString().length + 40));
  return Number(`${(numerator * 10n ** shift) / denominator}e-${shift}`);
}

function getUsd(quote: bigint, ethUsd: number | null): bigint | null {
  return ethUsd === null ? null : (quote * BigInt(Math.round(ethUsd * 1e8))) / 10n ** 20n;
}

/** Removes control characters and marks that change the direction of text. */
function visible(text: string): string {
  const hidden = (code: number) =>
    (code < 32 && code !== 9 && code !== 10) ||
    (code >= 127 && code < 160) ||
    code === 0x61c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069);
  return [...text].filter((character) => !hidden(character.codePointAt(0)!)).join("");
}

/** Computes every table of the index from the canonical blocks, oldest first. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: an oracle is read from top to bottom, in one piece
export function referenceIndex(
  manifest: Manifest,
  blocks: readonly ReferenceBlock[],
  sqrtAtTick: (tick: number) => bigint,
): Tables {
  const tables = emptyTables();
  const weth = manifest.wrapped_native.address.toLowerCase();
  const deployments = [manifest.current, ...manifest.history];
  const factories = new Map(deployments.map((d) => [d.launch_factory.address.toLowerCase(), d]));
  const lockers = new Set(deployments.map((d) => d.fee_locker.address.toLowerCase()));
  const firstBlock = Math.min(...deployments.map((d) => d.deployment_block));
  const ethPool = manifest.eth_usd?.pool.toLowerCase();
  const ethIsToken0 = manifest.eth_usd ? weth < manifest.eth_usd.stablecoin.address.toLowerCase() : false;
  const usdDecimals = manifest.eth_usd?.stablecoin_decimals ?? 0;
  const txIndexes = new Map(blocks.flatMap((block) => block.txs.map((tx, i) => [tx.hash, i] as const)));
  const senders = new Map(blocks.flatMap((block) => block.txs.map((tx) => [tx.hash, tx.from] as const)));
  const tokens = new Map<string, Token>();
  const pools = new Map<string, Token>();
  const splitters = new Set<string>();
  const minutes = new Map<
    number,
    { launches: number; trades: (ReferenceTrade & { fee: bigint | null; protocol: bigint | null })[] }
  >();
  /** The ETH/USD pool's prices at the ends of blocks, and the price of the current block's trades. */
  let poolPrices: { block: number; time: number; price: number }[] = [];
  let ethUsd: number | null = null;

  const getMinute = (time: number) => {
    const t = Math.floor(time / 60) * 60;
    if (!minutes.has(t)) minutes.set(t, { launches: 0, trades: [] });
    return minutes.get(t)!;
  };
  const observe = (block: ReferenceBlock, logIndex: number, args: Args, isStored: boolean) => {
    const price = exactPrice(
      args.sqrtPriceX96,
      ethIsToken0,
      ethIsToken0 ? 18 : usdDecimals,
      ethIsToken0 ? usdDecimals : 18,
    );
    if (!(price >= 1e-6 && price <= 1e9)) return;
    // Of the blocks before the index, only the last price counts.
    poolPrices = block.number < firstBlock ? [] : poolPrices.filter((known) => known.block !== block.number);
    poolPrices.push({ block: block.number, time: block.time, price });
    if (!isStored) return;
    tables.eth_usd.set(block.number, {
      block: block.number,
      log_index: logIndex,
      price,
      liquidity: args.liquidity ?? null,
    });
  };

  /** Sorts the pool's prices of each of the 600 seconds before a block, and returns the 300th. */
  const getMedian = (block: ReferenceBlock): number | null => {
    if (poolPrices.length === 0 || block.logs.length === 0) return null;
    const known = poolPrices.filter((_, i) => (poolPrices[i + 1]?.time ?? block.time) > block.time - 600);
    const getPrice = (second: number) => (known.findLast(({ time }) => time <= second) ?? known[0]!).price;
    return Float64Array.from({ length: 600 }, (_, i) => getPrice(block.time - 600 + i)).sort()[299]!;
  };

  // Launches first: a token is indexed from the block of its launch on, with its own first transfers.
  for (const block of blocks) {
    ethUsd = getMedian(block);
    for (const log of block.logs) {
      if (log.address === ethPool) {
        const event = decode(poolAbi, log);
        if (event?.name === "Swap" || event?.name === "Initialize") observe(block, log.logIndex, event.args, false);
      }
      const deployment = factories.get(log.address);
      if (!deployment || block.number < firstBlock) continue;
      const event = decode(launchFactoryAbi, log);
      if (event?.name !== "Launched") continue;
      const a = event.args;
      const address = a.token.toLowerCase();
      if (tokens.has(address)) continue;
      const isToken0 = address < weth;
      const sqrtPriceX96 = sqrtAtTick(a.tickStart);
      const token: Token = {
        address,
        pool: a.pool.toLowerCase(),
        locker: deployment.fee_locker.address.toLowerCase(),
        isToken0,
        splitter: a.splitter.toLowerCase(),
        creator: a.creator.toLowerCase(),
        launchBlock: block.number,
        launchTime: block.time,
        launchTx: log.txHash,
        feeBps: BigInt(a.totalFeeBps),
        protocolFeeBps: BigInt(a.protocolFeeBps),
        locked: { liquidity: a.liquidity, from: a.tickLower, to: a.tickUpper },
        tick: a.tickStart,
        liquidity: 0n,
        sqrtPriceX96,
        poolProtocolFee: 0,
        reserves: [0n, 0n],
        supply: 0n,
        balances: new Map(),
        trades: [],
        transfers: [],
        startPrice: exactPrice(sqrtPriceX96, isToken0, 18, 18),
        startEthUsd: ethUsd,
        held: new Set(),
        changedBlock: block.number,
        changedTime: block.time,
      };
      tokens.set(address, token);
      pools.set(token.pool, token);
      splitters.add(token.splitter);
      getMinute(block.time).launches++;
      tables.tokens.set(address, {
        pool: token.pool,
        creator: a.creator.toLowerCase(),
        splitter: token.splitter,
        name: visible(a.name),
        symbol: visible(a.symbol),
        block: block.number,
        log_index: log.logIndex,
        tx: log.txHash,
        start_price: token.startPrice,
        start_eth_usd: ethUsd,
        locked: a.liquidity,
        tick_lower: a.tickLower,
        tick_upper: a.tickUpper,
        legacy: deployment !== manifest.current,
        initial_buy: null,
      });
    }
  }

  const openings = createReferenceOpenings(tables, manifest, decode);
  poolPrices = [];
  for (const block of blocks) {
    ethUsd = getMedian(block);
    for (const log of block.logs) {
      const at = `${block.number}:${log.logIndex}`;
      if (log.address === ethPool) {
        const event = decode(poolAbi, log);
        const isOurs = event?.name === "Swap" || event?.name === "Initialize";
        if (isOurs) observe(block, log.logIndex, event.args, block.number >= firstBlock);
      }
      // Any account may initialize a pool and place wrapped native in it before the token exists.
      const early = pools.get(log.address);
      if (early && block.number < early.launchBlock) earlyPoolEvent(early, log);
      // A splitter's own past also counts: it may be older than the launch that names it.
      if (splitters.has(log.address)) splitterEvent(at, log);
      if (block.number < firstBlock) continue;
      openings.apply(log, block.number);
      if (factories.has(log.address)) {
        const event = decode(launchFactoryAbi, log);
        const launch = event?.name === "InitialBuy" ? tables.tokens.get(event.args.token.toLowerCase()) : undefined;
        if (launch && launch.tx === log.txHash) launch.initial_buy = [event!.args.amountIn, event!.args.amountOut];
      }
      if (lockers.has(log.address)) lockerEvent(at, log, block);
      if (log.address === manifest.gas_station?.address.toLowerCase()) stationEvent(at, log);
      const pool = pools.get(log.address);
      if (pool && block.number >= pool.launchBlock) poolEvent(pool, log, block);
      const token = tokens.get(log.address);
      if (token && block.number >= token.launchBlock) transferEvent(token, log, block);
    }
    for (const token of tokens.values()) noteHolders(tables, token, block.time, burnAddresses);
  }
  openings.sum();

  function touch(token: Token, block: ReferenceBlock) {
    token.changedBlock = block.number;
    token.changedTime = block.time;
  }

  function splitterEvent(at: string, log: ReferenceLog) {
    const event = decode(feeSplitterAbi, log);
    if (event?.name === "Released") {
      const { asset, payee, amount } = event.args;
      tables.splitter_events.set(at, [log.address, "released", asset.toLowerCase(), payee.toLowerCase(), amount]);
      addTo(tables.splitter_released, `${log.address}:${payee.toLowerCase()}:${asset.toLowerCase()}`, amount);
    } else if (event?.name === "NativeReceived") {
      const { from, amount } = event.args;
      tables.splitter_events.set(at, [log.address, "native_received", zero, from.toLowerCase(), amount]);
    }
  }

  function lockerEvent(at: string, log: ReferenceLog, block: ReferenceBlock) {
    const event = decode(feeLockerAbi, log);
    if (event?.name === "TreasuryChanged") {
      tables.treasury_changes.set(at, [event.args.previous.toLowerCase(), event.args.treasury.toLowerCase()]);
    }
    const a = event?.args ?? {};
    if (event?.name === "OwedPaid") receive(at, a.party.toLowerCase(), a.asset.toLowerCase(), a.amount);
    if (event?.name === "PaymentOwed" && tokens.get(a.token.toLowerCase())?.locker === log.address) {
      receive(at, a.party.toLowerCase(), a.asset.toLowerCase(), -(a.amount as bigint));
    }
    if (event?.name !== "Collected" && event?.name !== "Settled") return;
    const token = tokens.get(a.token.toLowerCase());
    if (!token || token.locker !== log.address) return;
    touch(token, block);
    if (event.name === "Collected") {
      tables.fee_events.set(`${at}:0`, [token.address, "collected", token.address, a.tokenAmount]);
      tables.fee_events.set(`${at}:1`, [token.address, "collected", weth, a.quoteAmount]);
    } else {
      const parts = [a.collaboratorsAmount, a.protocolAmount, a.partnerAmount];
      tables.fee_events.set(`${at}:0`, [token.address, "settled", a.asset.toLowerCase(), ...parts]);
      receive(at, token.splitter, a.asset.toLowerCase(), a.collaboratorsAmount as bigint);
    }
  }

  function receive(at: string, splitter: string, asset: string, amount: bigint) {
    if (amount === 0n) return;
    tables.splitter_receipts.set(at, [splitter, asset, amount]);
    addTo(tables.splitter_received, `${splitter}:${asset}`, amount);
  }

  function addTo(sums: Map<string, bigint>, key: string, amount: bigint) {
    const after = (sums.get(key) ?? 0n) + amount;
    if (after === 0n) sums.delete(key);
    else sums.set(key, after);
  }

  function stationEvent(at: string, log: ReferenceLog) {
    const event = decode(gasStationAbi, log);
    if (event?.name === "ToppedUp")
      tables.topups.set(at, [event.args.quoteId, event.args.tokenAmount, event.args.nativeAmount]);
  }

  function earlyPoolEvent(token: Token, log: ReferenceLog) {
    const event = decode(poolAbi, log);
    const a = event?.args ?? {};
    if (event?.name === "SetFeeProtocol") token.poolProtocolFee = a.feeProtocol0New + 16 * a.feeProtocol1New;
    if (event !== null) payToPool(token, event.name, a);
    if (event?.name !== "Mint" && event?.name !== "Burn") return;
    const isInRange = a.tickLower <= token.tick && token.tick < a.tickUpper;
    if (isInRange) token.liquidity += event.name === "Mint" ? a.amount : -a.amount;
  }

  function poolEvent(token: Token, log: ReferenceLog, block: ReferenceBlock) {
    const event = decode(poolAbi, log);
    if (!event) return;
    const a = event.args;
    const change = payToPool(token, event.name, a);
    if (change !== null) addPoolChange(token, log, block, event.name, a, change);
    if (event.name === "SetFeeProtocol") {
      touch(token, block);
      token.poolProtocolFee = a.feeProtocol0New + 16 * a.feeProtocol1New;
    } else if (event.name === "Mint" || event.name === "Burn") {
      changeLiquidity(token, event.name, a);
    } else if (event.name === "Swap") {
      touch(token, block);
      const share = lockedShare(token, a);
      token.sqrtPriceX96 = a.sqrtPriceX96;
      token.tick = a.tick;
      token.liquidity = a.liquidity;
      const [moved, paid]: [bigint, bigint] = token.isToken0 ? [a.amount0, a.amount1] : [a.amount1, a.amount0];
      if (moved !== 0n && paid !== 0n) addTrade(token, log, block, moved, paid, a, share);
    }
  }

  function changeLiquidity(token: Token, name: "Mint" | "Burn", a: Args) {
    if (a.tickLower > token.tick || token.tick >= a.tickUpper) return;
    const after: bigint = name === "Mint" ? token.liquidity + a.amount : token.liquidity - a.amount;
    token.liquidity = after > 0n ? after : 0n;
  }

  /** Trades are in their own table; their reserves are computed from the changes before them (readReserves). */
  function addPoolChange(
    token: Token,
    log: ReferenceLog,
    block: ReferenceBlock,
    name: string,
    a: Args,
    amounts: [bigint, bigint],
  ) {
    touch(token, block);
    const isTrade = name === "Swap" && a.amount0 !== 0n && a.amount1 !== 0n;
    const key = `${block.number}:${log.logIndex}`;
    tables.reserves.set(key, [token.address, ...token.reserves]);
    if (isTrade) return;
    const kind = name === "CollectProtocol" ? "collect_protocol" : name.toLowerCase();
    const maker = kind === "mint" || kind === "burn" ? senders.get(log.txHash)! : null;
    tables.pool_changes.set(key, [
      token.address,
      kind,
      block.time,
      txIndexes.get(log.txHash)!,
      log.txHash,
      maker,
      ...amounts,
    ]);
  }

  /** Returns the locked position's part of the liquidity in range: at the end of the swap, otherwise at its start. */
  function lockedShare(token: Token, swap: Args): [part: bigint, whole: bigint] {
    const { locked } = token;
    const place = [swap, token].find(({ tick }) => locked.from <= tick && tick < locked.to);
    if (place === undefined) return [0n, 1n];
    const rivals: bigint = place.liquidity - locked.liquidity;
    return [locked.liquidity, locked.liquidity + (rivals > 0n ? rivals : 0n)];
  }

  function addTrade(
    token: Token,
    log: ReferenceLog,
    block: ReferenceBlock,
    moved: bigint,
    paid: bigint,
    a: Args,
    [part, whole]: [part: bigint, whole: bigint],
  ) {
    const abs = (value: bigint) => (value < 0n ? -value : value);
    const isBuy = moved < 0n;
    const quote = abs(paid);
    const maker = senders.get(log.txHash)!;
    const ownLogs = block.logs.filter(({ txHash }) => txHash === log.txHash);
    const found = referenceAccount(ownLogs, maker, token, log.logIndex);
    const trade: ReferenceTrade = {
      block: block.number,
      time: block.time,
      tx: log.txHash,
      price: exactPrice(a.sqrtPriceX96, token.isToken0, 18, 18),
      ethUsd,
      isBuy,
      amount: abs(moved),
      quote,
      usd: getUsd(quote, ethUsd),
      account: found.account,
    };
    token.trades.push(trade);
    const wholeFee = isBuy ? (quote * token.feeBps) / 10000n : (quote * token.feeBps) / (10000n - token.feeBps);
    // The nibble of the input asset: token0 has the low one.
    const isInput0 = isBuy ? !token.isToken0 : token.isToken0;
    const cut = BigInt(isInput0 ? token.poolProtocolFee % 16 : Math.floor(token.poolProtocolFee / 16));
    const earned = cut === 0n ? wholeFee : wholeFee - wholeFee / cut;
    const fee = getUsd((earned * part) / whole, ethUsd);
    const protocol = fee === null ? null : (fee * token.protocolFeeBps) / token.feeBps;
    getMinute(block.time).trades.push({ ...trade, fee, protocol });
    tables.trades.set(`${block.number}:${log.logIndex}`, {
      token: token.address,
      time: block.time,
      price: trade.price,
      eth_usd: ethUsd,
      maker,
      recipient: a.recipient.toLowerCase(),
      ...found,
      is_buy: isBuy,
      tx: log.txHash,
      tx_index: txIndexes.get(log.txHash)!,
      token_amount: abs(moved),
      quote_amount: quote,
    });
  }

  function transferEvent(token: Token, log: ReferenceLog, block: ReferenceBlock) {
    const event = decode(erc20Abi, log);
    if (!event || event.args.value === 0n) return;
    touch(token, block);
    const from = event.args.from.toLowerCase();
    const to = event.args.to.toLowerCase();
    if (from === zero) token.supply += event.args.value;
    else token.balances.set(from, (token.balances.get(from) ?? 0n) - event.args.value);
    token.balances.set(to, (token.balances.get(to) ?? 0n) + event.args.value);
    token.transfers.push({ block: block.number, logIndex: log.logIndex, from, to, value: event.args.value });
  }

  const headTime = blocks.at(-1)?.time ?? 0;
  for (const token of tokens.values()) finishToken(tables, token, headTime, sqrtAtTick);
  addReferenceFacts(tables, [...tokens.values()]);
  finishTotals(tables, minutes);
  finishSplitters(tables, blocks, splitters, deployments);
  return tables;
}

function finishToken(tables: Tables, token: Token, headTime: number, sqrtAtTick: (tick: number) => bigint): void {
  const { trades } = token;
  for (const seconds of [60, 300, 3600, day]) {
    let [close, closeUsd] = [
      token.startPrice,
      token.startEthUsd === null ? null : token.startPrice * token.startEthUsd,
    ];
    const buckets = Map.groupBy(trades, (trade) => Math.floor(trade.time / seconds) * seconds);
    for (const [t, inside] of buckets) {
      const prices = [close, ...inside.map((trade) => trade.price)];
      const usd = [closeUsd, ...inside.map((trade) => (trade.ethUsd === null ? null : trade.price * trade.ethUsd))];
      const isKnown = !usd.includes(null);
      const known = usd as number[];
      tables.candles.set(`${token.address}:${seconds}:${t}`, {
        eth: [prices[0]!, Math.max(...prices), Math.min(...prices), prices.at(-1)!],
        usd: isKnown ? [known[0]!, Math.max(...known), Math.min(...known), known.at(-1)!] : null,
        n: inside.length,
        buys: inside.filter((trade) => trade.isBuy).length,
        vq: inside.reduce((a, trade) => a + trade.quote, 0n),
        v: sum(inside.map((trade) => trade.usd)),
      });
      [close, closeUsd] = [prices.at(-1)!, usd.at(-1)!];
    }
  }
  const start = Math.floor(headTime / 60) * 60 - day;
  const inWindow = trades.filter((trade) => Math.floor(trade.time / 60) * 60 > start);
  const before = trades.filter((trade) => Math.floor(trade.time / 60) * 60 <= start).at(-1)?.price ?? token.startPrice;
  const price = trades.at(-1)?.price ?? token.startPrice;
  const holders = [...token.balances].filter(([account, balance]) => {
    return balance > 0n && account !== token.pool && account !== token.locker && !burnAddresses.has(account);
  });
  const burned = [...token.balances].reduce(
    (a, [account, balance]) => (burnAddresses.has(account) ? a + balance : a),
    0n,
  );
  for (const [account, balance] of token.balances)
    if (balance !== 0n) tables.balances.set(`${token.address}:${account}`, balance);
  for (const trade of trades) {
    tables.traders.set(`${token.address}:${trade.account}`, trade.time);
    const key = `any:${trade.account}`;
    tables.traders.set(key, Math.max(trade.time, tables.traders.get(key) ?? 0));
  }
  for (const [account, own] of Map.groupBy(trades, (trade) => trade.account))
    addReferenceCostBasis(tables, token.address, account, own);
  addPositions(tables, token, new Set(trades.map(({ account }) => account)), sqrtAtTick);
  addListedCandles(tables, token);
  tables.state.set(token.address, {
    sqrt: token.sqrtPriceX96,
    tick: token.tick,
    liquidity: token.liquidity,
    pool_protocol_fee: token.poolProtocolFee,
    reserves: token.reserves,
    price,
    supply: token.supply,
    burned,
    holders: holders.length,
    trades: trades.length,
    buys: trades.filter((trade) => trade.isBuy).length,
    volume_quote: trades.reduce((a, trade) => a + trade.quote, 0n),
    volume_usd: sum(trades.map((trade) => trade.usd)),
    market_cap: (price * Number(token.supply - burned)) / 1e18,
    locked_value: lockedValue(token, price, sqrtAtTick),
    volume_24h_quote: inWindow.reduce((a, trade) => a + trade.quote, 0n),
    volume_24h_usd: sum(inWindow.map((trade) => trade.usd)),
    trades_24h: inWindow.length,
    buys_24h: inWindow.filter((trade) => trade.isBuy).length,
    traders_24h: new Set(inWindow.map((trade) => trade.account)).size,
    change_24h_pct: trades.length === 0 ? 0 : (price / before - 1) * 100,
    changed: [token.changedBlock, token.changedTime],
  });
}

/** Value of the locked position in native: both assets, the token at the pool's price (whitepaper, 6.2.1). */
function lockedValue(
  { locked, isToken0, sqrtPriceX96 }: Token,
  price: number,
  sqrtAt: (tick: number) => bigint,
): number {
  const [a, b] = [sqrtAt(locked.from), sqrtAt(locked.to)];
  const at = sqrtPriceX96 <= a ? a : sqrtPriceX96 >= b ? b : sqrtPriceX96;
  const amounts = [(locked.liquidity * 2n ** 96n * (b - at)) / (b * at), (locked.liquidity * (at - a)) / 2n ** 96n];
  const [tokens, quote] = isToken0 ? amounts : amounts.toReversed();
  return (Number(tokens) / 1e18) * price + Number(quote) / 1e18;
}

function finishSplitters(
  tables: Tables,
  blocks: readonly ReferenceBlock[],
  splitters: ReadonlySet<string>,
  deployments: readonly LaunchDeployment[],
): void {
  const factories = new Set(deployments.map(({ splitter_factory }) => splitter_factory.address.toLowerCase()));
  const undeployed = new Set(splitters);
  for (const block of blocks) {
    for (const log of block.logs) {
      const own = undeployed.has(log.address) ? decode(feeSplitterAbi, log) : null;
      const made = factories.has(log.address) ? decode(splitterFactoryAbi, log) : null;
      const event = own?.name === "SplitterCreated" ? own : made?.name === "SplitterCreated" ? made : null;
      if (event === null) continue;
      const address: string = event === own ? log.address : event.args.splitter.toLowerCase();
      if (!undeployed.delete(address)) continue;
      const tx = block.txs.find((candidate) => candidate.hash === log.txHash)!;
      tables.splitters.set(address, event === made || isProven(address, tx, event.args, deployments));
      for (const [i, payee] of event.args.payees.entries()) {
        tables.payees.set(`${address}:${i}`, [payee.toLowerCase(), event.args.shares[i]]);
      }
    }
  }
  for (const address of undeployed) tables.splitters.set(address, false);
}

/**
 * Whether a creation transaction's input is the pinned code of a deployment with exactly the allocations of the event.
 */
function isProven(
  address: string,
  tx: ReferenceTx,
  { payees, shares }: Args,
  deployments: readonly LaunchDeployment[],
): boolean {
  if (tx.to !== null || tx.created !== address) return false;
  return deployments.some(({ splitter_implementation }) => {
    const code = getCloneCode(splitter_implementation.address, payees, shares);
    return tx.input.toLowerCase() === cloneHead + code.slice(2);
  });
}
