// Writes the cases of contracts/test/differential: inputs with the results of exact integer arithmetic and of
// packages/protocol, packed as hex. The forge tests compare the released bytecode and the published pool with them.
//
//   node contracts/tools/vectors.ts [--count 200] [--out contracts/test/differential/vectors.json] [--check]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { firstBuy } from "@slipway/protocol/firstBuy";
import { launchPosition } from "@slipway/protocol/launchPosition";
import { maxTick, minTick, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { computeClaimable } from "@slipway/protocol/splitter";
import { computeLaunchConstants, START_TICK } from "./computeLaunchConstants.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    out: { type: "string", default: "contracts/test/differential/vectors.json" },
    check: { type: "boolean", default: false },
  },
});

const TICK_SPACINGS = new Map([
  [100n, 200],
  [50n, 100],
  [30n, 60],
  [10n, 20],
]);
const TIERS = [...TICK_SPACINGS.keys()];
const PROTOCOL_FEE_BPS = 10n;
const Q96 = 1n << 96n;
const PIPS = 1_000_000n;
/** The maximum distance from zero for exact powers of 1.0001: their computation is slow beyond it. */
const EXACT_TICKS = 3_000;

const constants = computeLaunchConstants(START_TICK);
let state = 0x9e3779b97f4a7c15n;
const count = Number(options.count);
const vectors = {
  fees: encodeCases(createFeeCase),
  splits: encodeCases(createSplitCase),
  prices: encodeCases(createPriceCase),
  buys: encodeCases(createBuyCase),
};
const text = `${JSON.stringify(vectors, null, 2)}\n`;
const path = join(root, options.out);
if (options.check) {
  const isSame = existsSync(path) && readFileSync(path, "utf8") === text;
  if (!isSame) console.error(`${options.out} differs from the generated cases`);
  process.exitCode = isSame ? 0 : 1;
} else {
  writeFileSync(path, text);
}

/**
 * Creates two collections of one asset: the totals of the three parts after the first and after the second. The locker
 * stores 120 bits.
 */
function createFeeCase(): string {
  const first = randomBelow(1n << (random() % 120n));
  const second = randomBelow(1n << (random() % 120n));
  const tier = TIERS[Number(random() % 4n)] ?? 100n;
  const partnerShareBps = random() % 5_001n;
  const totals = [first, first + second].flatMap((collected) => {
    const protocolShare = (collected * PROTOCOL_FEE_BPS) / tier;
    const partner = (protocolShare * partnerShareBps) / 10_000n;
    return [protocolShare - partner, partner, collected - protocolShare];
  });
  return pack(
    [2, tier],
    [2, partnerShareBps],
    [16, first],
    [16, second],
    ...totals.map((total) => [16, total] as const),
  );
}

/** Creates a splitter that receives, releases to a payee, and receives again, with the payee's claim each time. */
function createSplitCase(): string {
  const share = 1n + (random() % 9_999n);
  const first = randomBelow(1n << (random() % 120n));
  const second = randomBelow(1n << (random() % 120n));
  const before = computeClaimable({ balance: first, totalReleased: 0n }, Number(share), 0n);
  const after = computeClaimable({ balance: first - before + second, totalReleased: before }, Number(share), before);
  return pack([2, share], [16, first], [16, second], [16, before], [16, after]);
}

/** Creates a price and the tick of a pool at this price. Half of the prices are a tick's boundary or one below it. */
function createPriceCase(): string {
  const range = random() % 4n === 0n ? EXACT_TICKS : maxTick;
  const tick = Number(random() % BigInt(2 * range - 1)) - range + 1;
  const lower = sqrtPriceX96AtTick(Math.max(tick, minTick));
  const upper = sqrtPriceX96AtTick(tick + 1);
  const price =
    [lower, upper - 1n, lower + randomBelow(upper - lower), lower + randomBelow(upper - lower)][
      Number(random() % 4n)
    ] ?? lower;
  if (Math.abs(tick) < EXACT_TICKS && getExactTick(price, tick) !== tick) {
    throw new Error(`tick ${tick} of price ${price} is not the exact tick`);
  }
  return pack([20, price], [3, BigInt.asUintN(24, BigInt(tick))]);
}

/** Creates a first buy of a tier in both token orders: the bought amounts. */
function createBuyCase(): string {
  const tier = TIERS[Number(random() % 4n)] ?? 100n;
  const gross = 1n + randomBelow(10n ** (random() % 20n));
  return pack([2, tier], [16, gross], [16, calculateBuy(gross, tier, true)], [16, calculateBuy(gross, tier, false)]);
}

/**
 * Computes a first buy by the package, and compares it with the exact result of one step. The pool stops at the end of
 * each word of its tick bitmap, and each stop can only lower the output, by rounding.
 */
function calculateBuy(gross: bigint, tier: bigint, tokenIsToken0: boolean): bigint {
  const { amountOut } = firstBuy(
    launchPosition(Number(START_TICK), tokenIsToken0),
    { feeBps: Number(tier), tickSpacing: TICK_SPACINGS.get(tier) ?? 0 },
    gross,
  );
  const [liquidity, sqrtPrice] = tokenIsToken0
    ? [constants.liquidityIfToken0, constants.sqrtPriceX96IfToken0]
    : [constants.liquidityIfToken1, constants.sqrtPriceX96IfToken1];
  const exact = calculateBuyOutput((gross * (PIPS - tier * 100n)) / PIPS, liquidity, sqrtPrice, tokenIsToken0);
  if (amountOut > exact || (exact - amountOut) * 10n ** 12n > exact) {
    throw new Error(`a buy of ${gross} at ${tier} bp yields ${amountOut}, not ${exact}`);
  }
  return amountOut;
}

function encodeCases(makeCase: () => string): string {
  return `0x${Array.from({ length: count }, makeCase).join("")}`;
}

function pack(...fields: (readonly [bytes: number, value: bigint])[]): string {
  return fields
    .map(([bytes, value]) => {
      const hex = value.toString(16).padStart(bytes * 2, "0");
      if (value < 0n || hex.length > bytes * 2) throw new RangeError(`${value} does not fit ${bytes} bytes`);
      return hex;
    })
    .join("");
}

function randomBelow(limit: bigint): bigint {
  return ((random() << 128n) | (random() << 64n) | random()) % limit;
}

/** splitmix64 with a fixed seed: the cases are the same on every machine. */
function random(): bigint {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let mixed = state;
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}

/**
 * Computes the output of a buy with `net`, an amount of the quote asset after the fee, within one range of constant
 * liquidity, in exact integers with the pool's rounding (whitepaper 6.13 to 6.16). The price moves by the net amount,
 * rounded in favour of the pool.
 */
function calculateBuyOutput(net: bigint, liquidity: bigint, sqrtPrice: bigint, tokenIsToken0: boolean): bigint {
  if (tokenIsToken0) {
    const next = sqrtPrice + (net * Q96) / liquidity;
    return (liquidity * Q96 * (next - sqrtPrice)) / next / sqrtPrice;
  }
  const next = ceilDiv(liquidity * Q96 * sqrtPrice, liquidity * Q96 + net * sqrtPrice);
  return (liquidity * (sqrtPrice - next)) / Q96;
}

/**
 * Computes the greatest tick whose exact price 1.0001^tick is not above the price, searched from a guess. The
 * comparison uses exact integers.
 */
function getExactTick(sqrtPriceX96: bigint, guess: number): number {
  let tick = guess - 2;
  while (isAtOrBelow(tick + 1, sqrtPriceX96)) tick += 1;
  return tick;
}

/** Whether 1.0001^tick <= (sqrtPriceX96 / 2^96)^2. A boundary price is rounded up, so that it belongs to its own tick. */
function isAtOrBelow(tick: number, sqrtPriceX96: bigint): boolean {
  const exponent = BigInt(Math.abs(tick));
  const [numerator, denominator] =
    tick < 0 ? [10_000n ** exponent, 10_001n ** exponent] : [10_001n ** exponent, 10_000n ** exponent];
  return numerator << 192n <= sqrtPriceX96 * sqrtPriceX96 * denominator;
}

function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
