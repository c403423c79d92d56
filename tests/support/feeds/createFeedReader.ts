/*
 * A reader of a feed of pools, written from the DEX Screener Adapter Specs 1.1 (December 2023) without code of the
 * service: it reads every block once, in order, and stops at what the specification does not allow. GeckoTerminal's feed
 * has the same form, with decimals of assets.
 */

type Json = Record<string, any>;

export type FeedKind = "dexscreener" | "geckoterminal";

/** A decimal number without a sign or an exponent, with at most 50 places. */
const decimalPattern = /^(0|[1-9]\d*)(\.\d{1,50})?$/;

const fields = {
  asset: {
    required: ["id", "name", "symbol"],
    optional: ["totalSupply", "circulatingSupply", "coinGeckoId", "coinMarketCapId", "metadata"],
  },
  pair: {
    required: ["id", "dexKey", "asset0Id", "asset1Id"],
    optional: [
      "createdAtBlockNumber",
      "createdAtBlockTimestamp",
      "createdAtTxnId",
      "creator",
      "feeBps",
      "pool",
      "metadata",
    ],
  },
  swap: {
    required: ["block", "eventType", "txnId", "txnIndex", "eventIndex", "maker", "pairId", "priceNative"],
    optional: ["asset0In", "asset1In", "asset0Out", "asset1Out", "reserves", "metadata"],
  },
  joinExit: {
    required: ["block", "eventType", "txnId", "txnIndex", "eventIndex", "maker", "pairId", "amount0", "amount1"],
    optional: ["reserves", "metadata"],
  },
};

function check(isRight: boolean, what: string, value: unknown): asserts isRight {
  if (!isRight) throw new Error(`the feed is wrong: ${what}: ${JSON.stringify(value)}`);
}

function checkFields(value: Json, kind: keyof typeof fields, more: readonly string[] = []): void {
  const { required, optional } = fields[kind];
  for (const name of [...required, ...more])
    check(value[name] !== undefined && value[name] !== "", `${kind}.${name}`, value);
  const known = new Set([...required, ...optional, ...more]);
  for (const name of Object.keys(value)) check(known.has(name), `unexpected ${kind}.${name}`, value);
}

/** Converts decimal text to base units of 18 decimals. */
function toUnits(value: unknown): bigint {
  check(typeof value === "string" && decimalPattern.test(value), "a number", value);
  const [whole, fraction = ""] = value.split(".");
  check(fraction.length <= 18, "an amount", value);
  return BigInt(`${whole}${fraction.padEnd(18, "0")}`);
}

/** Sums of a pair, in base units. */
export type PairTotals = {
  asset0: string;
  asset1: string;
  swaps: number;
  joins: number;
  exits: number;
  in0: bigint;
  in1: bigint;
  out0: bigint;
  out1: bigint;
  added0: bigint;
  added1: bigint;
  removed0: bigint;
  removed1: bigint;
  /** The reserves of the last event. */
  reserve0: bigint;
  reserve1: bigint;
};

/**
 * Creates a reader.
 *
 * @param request - Reads a path below the feed; throws if the answer is not 200.
 */
export function createFeedReader(kind: FeedKind, request: (path: string) => Promise<Json>) {
  let nextBlock = 0;
  let lastTime = 0;
  const pairs = new Map<string, PairTotals>();
  const assets = new Set<string>();

  async function readAsset(id: string): Promise<void> {
    if (assets.has(id)) return;
    assets.add(id);
    const { asset } = await request(`/asset?id=${id}`);
    checkFields(asset, "asset", kind === "geckoterminal" ? ["decimals"] : []);
    check(asset.id === id, "asset.id", asset);
    check(asset.name.trim() !== "" && asset.symbol.trim() !== "", "a blank name", asset);
    if (kind === "geckoterminal") check(asset.decimals === 18, "asset.decimals", asset);
    if (asset.totalSupply === undefined) return;
    check(toUnits(asset.circulatingSupply) <= toUnits(asset.totalSupply), "asset.circulatingSupply", asset);
  }

  async function readPair(id: string): Promise<PairTotals> {
    const known = pairs.get(id);
    if (known !== undefined) return known;
    const { pair } = await request(`/pair?id=${id}`);
    checkFields(pair, "pair");
    check(pair.id === id && pair.asset0Id.toLowerCase() < pair.asset1Id.toLowerCase(), "the order of assets", pair);
    for (const asset of [pair.asset0Id, pair.asset1Id]) await readAsset(asset);
    const totals = {
      asset0: pair.asset0Id,
      asset1: pair.asset1Id,
      swaps: 0,
      joins: 0,
      exits: 0,
      in0: 0n,
      in1: 0n,
      out0: 0n,
      out1: 0n,
      added0: 0n,
      added1: 0n,
      removed0: 0n,
      removed1: 0n,
      reserve0: 0n,
      reserve1: 0n,
    };
    pairs.set(id, totals);
    return totals;
  }

  function addSwap(event: Json, totals: PairTotals): void {
    checkFields(event, "swap");
    const sent = ["asset0In", "asset1In", "asset0Out", "asset1Out"].filter((name) => event[name] !== undefined).join();
    check(sent === "asset0In,asset1Out" || sent === "asset1In,asset0Out", "the amounts of a swap", event);
    const is0In = event.asset0In !== undefined;
    const amount0 = toUnits(event.asset0In ?? event.asset0Out);
    const amount1 = toUnits(event.asset1In ?? event.asset1Out);
    check(amount0 > 0n && amount1 > 0n, "a zero amount", event);
    check(decimalPattern.test(event.priceNative) && Number(event.priceNative) > 0, "priceNative", event);
    const ratio = Number(amount1) / Number(amount0);
    check(Math.abs(Number(event.priceNative) / ratio - 1) < 1e-12, "priceNative", event);
    totals.swaps++;
    totals[is0In ? "in0" : "out0"] += amount0;
    totals[is0In ? "out1" : "in1"] += amount1;
  }

  function addLiquidity(event: Json, totals: PairTotals): void {
    checkFields(event, "joinExit");
    const isJoin = event.eventType === "join";
    check(isJoin || event.eventType === "exit", "eventType", event);
    totals[isJoin ? "joins" : "exits"]++;
    totals[isJoin ? "added0" : "removed0"] += toUnits(event.amount0);
    totals[isJoin ? "added1" : "removed1"] += toUnits(event.amount1);
  }

  return {
    pairs,

    /**
     * Reads all blocks up to the latest block that were not read yet, in ranges of at most `blocks`.
     *
     * @returns The latest block.
     */
    async advance(blocks: number): Promise<number> {
      const { block } = await request("/latest-block");
      const { blockNumber: latest, blockTimestamp } = block;
      check(Number.isInteger(latest) && Number.isInteger(blockTimestamp), "latest-block", block);
      check(latest >= nextBlock - 1, "the latest block went back", block);
      while (nextBlock <= latest) {
        const toBlock = Math.min(latest, nextBlock + blocks - 1);
        const { events } = await request(`/events?fromBlock=${nextBlock}&toBlock=${toBlock}`);
        const places = new Set<string>();
        for (const event of events) {
          const { blockNumber, blockTimestamp: time } = event.block;
          check(blockNumber >= nextBlock && blockNumber <= toBlock, "a block outside of the range", event);
          check(time >= lastTime && time <= blockTimestamp, "blockTimestamp", event);
          lastTime = time;
          const place = `${blockNumber}:${event.txnIndex}:${event.eventIndex}`;
          check(!places.has(place), "two events at one place", event);
          places.add(place);
          const totals = await readPair(event.pairId);
          if (event.eventType === "swap") addSwap(event, totals);
          else addLiquidity(event, totals);
          // Optional by the specification, but liquidity is unknown without them.
          check(event.reserves !== undefined, "no reserves", event);
          totals.reserve0 = toUnits(event.reserves.asset0);
          totals.reserve1 = toUnits(event.reserves.asset1);
        }
        nextBlock = toBlock + 1;
      }
      return latest;
    },
  };
}
