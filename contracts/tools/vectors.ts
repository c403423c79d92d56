// Writes the cases of contracts/test/differential: inputs with the results of exact integer arithmetic and of
// packages/protocol, packed as hex. The forge tests hold the shipped bytecode and the real pool against them.
//
//   node contracts/tools/vectors.ts [--count 200] [--out contracts/test/differential/vectors.json] [--check]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeClaimable } from "@slipway/protocol/splitter";
import { maxTick, minTick, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { exactTickOf, initialBuyOut } from "./exactPool.ts";
import { launchConstants, START_TICK } from "./launchConstants.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { values: given } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    out: { type: "string", default: "contracts/test/differential/vectors.json" },
    check: { type: "boolean", default: false },
  },
});

const TIERS = [100n, 50n, 30n, 10n];
const PROTOCOL_FEE_BPS = 10n;
/** Beyond this distance from zero the exact powers of 1.0001 are too long to be worth it. */
const EXACT_TICKS = 3_000;

const constants = launchConstants(START_TICK);
let state = 0x9e3779b97f4a7c15n;
const count = Number(given.count);
const vectors = { fees: many(feeCase), splits: many(splitCase), prices: many(priceCase), buys: many(buyCase) };
const text = `${JSON.stringify(vectors, null, 2)}\n`;
const path = join(root, given.out);
if (given.check) {
  const isSame = existsSync(path) && readFileSync(path, "utf8") === text;
  if (!isSame) console.error(`${given.out} differs from what this tool writes`);
  process.exitCode = isSame ? 0 : 1;
} else {
  writeFileSync(path, text);
}

/** Two collections of one asset: what each of the three has in total after the first and after the second. */
function feeCase(): string {
  const first = below(1n << (random() % 127n));
  const second = below(1n << (random() % 127n));
  const tier = TIERS[Number(random() % 4n)] ?? 100n;
  const partnerShareBps = random() % 5_001n;
  const totals = [first, first + second].flatMap((collected) => {
    const protocolSide = (collected * PROTOCOL_FEE_BPS) / tier;
    const partner = (protocolSide * partnerShareBps) / 10_000n;
    return [protocolSide - partner, partner, collected - protocolSide];
  });
  return pack(
    [2, tier],
    [2, partnerShareBps],
    [16, first],
    [16, second],
    ...totals.map((total) => [16, total] as const),
  );
}

/** A splitter that receives, releases to a payee, and receives again: what the payee can claim each time. */
function splitCase(): string {
  const share = 1n + (random() % 9_999n);
  const first = below(1n << (random() % 120n));
  const second = below(1n << (random() % 120n));
  const before = computeClaimable({ balance: first, totalReleased: 0n }, Number(share), 0n);
  const after = computeClaimable({ balance: first - before + second, totalReleased: before }, Number(share), before);
  return pack([2, share], [16, first], [16, second], [16, before], [16, after]);
}

/** A price and the tick that a pool of it stands at; every second one is a tick's very boundary or just below. */
function priceCase(): string {
  const range = random() % 4n === 0n ? EXACT_TICKS : maxTick;
  const tick = Number(random() % BigInt(2 * range - 1)) - range + 1;
  const lower = sqrtPriceX96AtTick(Math.max(tick, minTick));
  const upper = sqrtPriceX96AtTick(tick + 1);
  const price =
    [lower, upper - 1n, lower + below(upper - lower), lower + below(upper - lower)][Number(random() % 4n)] ?? lower;
  if (Math.abs(tick) < EXACT_TICKS && exactTickOf(price, tick) !== tick) {
    throw new Error(`tick ${tick} of price ${price} is not the exact one`);
  }
  return pack([20, price], [3, BigInt.asUintN(24, BigInt(tick))]);
}

/** A first buy of either token order: what comes out. */
function buyCase(): string {
  const amountIn = 1n + below(10n ** (random() % 20n));
  const out0 = initialBuyOut(amountIn, constants.liquidityIfToken0, constants.sqrtPriceX96IfToken0, true);
  const out1 = initialBuyOut(amountIn, constants.liquidityIfToken1, constants.sqrtPriceX96IfToken1, false);
  return pack([16, amountIn], [16, out0], [16, out1]);
}

function many(makeCase: () => string): string {
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

function below(limit: bigint): bigint {
  return ((random() << 128n) | (random() << 64n) | random()) % limit;
}

/** splitmix64: the same cases on every machine. */
function random(): bigint {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let mixed = state;
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}
