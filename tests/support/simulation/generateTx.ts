import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Abi } from "viem";
import { encodeLog, erc20Abi, type GeneratedLog, poolAbi } from "./encodeLog.ts";
import { generateOpening } from "./generateOpening.ts";
import { generateRouted } from "./generateRouted.ts";
import type { Random } from "./random.ts";
import { cloneHead, getCloneCode, simulatedManifest } from "./simulatedManifest.ts";

export type SimulatedToken = {
  address: string;
  pool: string;
  splitter: string;
  locker: string;
  balances: Record<string, bigint>;
};
/** A pool that is initialized before its token exists. */
export type EarlyPool = { address: string; pool: string };
export type ChainState = {
  tokens: SimulatedToken[];
  /** The addresses of the pool and its future token. */
  splitters: string[];
  earlyPools: EarlyPool[];
  openings: string[];
  ethUsd: number;
};
export type GeneratedTx = {
  hash: string;
  from: string;
  to: string | null;
  input: string;
  created: string | null;
  /** The code that the transaction leaves at an address. */
  deployed: { address: string; code: string } | null;
  logs: GeneratedLog[];
  /** The tokens that must exist for the transaction to succeed again after a reorganisation. */
  needs: string[];
  /** Applies the transaction's effect to another state; false if that is impossible. */
  apply(state: ChainState): boolean;
};

export const emptyState = (): ChainState => ({ tokens: [], splitters: [], earlyPools: [], openings: [], ethUsd: 3000 });

const zero = `0x${"0".repeat(40)}`;
const dead = `0x${"0".repeat(36)}dead`;
const weth = simulatedManifest.wrapped_native.address;
const people = Array.from({ length: 12 }, (_, i) => `0xaaaa${(i + 1).toString(16).padStart(36, "0")}`);
const supply = 10n ** 27n;
const minSqrt = 4295128739n;
const maxSqrt = 1461446703485210103287273052203988822378723970342n;

/** Creates a random transaction and applies it to the state; null if the state allows none. */
export function generateTx(random: Random, state: ChainState, number: number, nonce: number): GeneratedTx | null {
  const from = random.pick(people);
  const hash = `0x${nonce.toString(16).padStart(24, "0")}${random.hex(20).slice(2)}`;
  const base = { hash, from, to: random.pick(people), input: "0x", created: null, deployed: null };
  const kind = random.next();
  const made: Made | null =
    kind > 0.97
      ? generateOpening(random, state, pickDeployment(random), people)
      : state.tokens.length === 0 || kind < 0.08
        ? launch(random, state, number)
        : act(random, state, kind, from);
  if (!made) return null;
  const tx: GeneratedTx = { ...base, ...made.tx, logs: made.logs, needs: made.needs, apply: made.apply };
  return made.apply(state) ? tx : null;
}

type Made = Pick<GeneratedTx, "logs" | "needs" | "apply"> & { tx?: Partial<GeneratedTx> };

function launch(random: Random, state: ChainState, number: number): Made | null {
  if (state.splitters.length === 0 || random.chance(0.4)) return createSplitter(random);
  if (random.chance(0.2)) return earlyPool(random, state);
  if (number < 6 || state.tokens.length >= 6) return null;
  const deployment = pickDeployment(random);
  const early = state.earlyPools.find((known) => state.tokens.every((token) => token.address !== known.address));
  const isEarly = early !== undefined && random.chance(0.7);
  const { address, pool } = isEarly ? early : { address: newTokenAddress(random), pool: random.hex(20) };
  const isToken0 = address < weth;
  const token: SimulatedToken = {
    address,
    pool,
    splitter: random.pick(state.splitters),
    locker: deployment.fee_locker.address,
    balances: {},
  };
  const tick = isToken0 ? -203400 : 203400;
  const [tickLower, tickUpper] = isToken0 ? [-203400, 886800] : [-886800, 203400];
  const liquidity = 38321803801799492990105n;
  const logs = [
    ...(isEarly ? [] : [initializeLog(pool, tick)]),
    encodeLog(erc20Abi, address, "Transfer", { from: zero, to: token.locker, value: supply }),
    encodeLog(erc20Abi, address, "Transfer", { from: token.locker, to: token.pool, value: supply - 19n }),
    encodeLog(poolAbi, token.pool, "Mint", {
      sender: token.locker,
      owner: token.locker,
      tickLower,
      tickUpper,
      amount: liquidity,
      amount0: isToken0 ? supply : 0n,
      amount1: isToken0 ? 0n : supply,
    }),
    encodeLog(launchFactoryAbi as Abi, deployment.launch_factory.address, "Launched", {
      token: address,
      creator: random.pick(people),
      splitter: token.splitter,
      pool: token.pool,
      name: random.pick(["Alpha", "Über", "a\u0000b", "\u202eevil", "x".repeat(300).slice(0, 200), "emoji 🚀", ""]),
      symbol: random.pick(["AAA", "BBB", "C\u0000"]),
      contractURI: random.pick([
        "",
        'data:application/json,{"description":"d"}',
        "data:application/json;base64,!!",
        "ipfs://x",
      ]),
      tickStart: tick,
      tickLower,
      tickUpper,
      liquidity,
      totalFeeBps: random.pick([100, 50, 30, 10]),
      protocolFeeBps: 10,
      partner: zero,
      partnerShareBps: 0,
      salt: random.hex(32),
    }),
  ];
  const needed = token.splitter;
  const initial = random.chance(0.5) ? buyLogs(random, token, random.pick(people)) : null;
  if (initial) {
    logs.push(...initial.logs);
    logs.push(
      encodeLog(launchFactoryAbi as Abi, deployment.launch_factory.address, "InitialBuy", {
        token: address,
        recipient: initial.to,
        amountIn: initial.quote,
        amountOut: initial.amount,
        refunded: 0n,
      }),
    );
  }
  return {
    logs,
    needs: [],
    apply: (target) => {
      const hasSplitter = target.splitters.includes(needed);
      if (!hasSplitter || target.tokens.some((known) => known.address === address)) return false;
      if (isEarly && !target.earlyPools.some((known) => known.address === address)) return false;
      const created = { ...token, balances: { [token.locker]: 19n, [token.pool]: supply - 19n } };
      target.tokens.push(created);
      return initial ? move(created, created.pool, initial.to, initial.amount) : true;
    },
  };
}

/** Chooses the current deployment more often than the earlier one. */
function pickDeployment(random: Random): LaunchDeployment {
  return random.chance(0.8) ? simulatedManifest.current : simulatedManifest.history[0]!;
}

function newTokenAddress(random: Random): string {
  return `0x${random.chance(0.5) ? "1" : "f"}${random.hex(20).slice(3)}`;
}

function initializeLog(pool: string, tick: number): GeneratedLog {
  return encodeLog(poolAbi, pool, "Initialize", { sqrtPriceX96: 1n << 96n, tick });
}

/**
 * Initializes the pool of a future token, or acts on such a pool: adds and removes liquidity inside and outside of the
 * range of the start price, or switches Uniswap's own fee.
 */
function earlyPool(random: Random, state: ChainState): Made {
  const waiting = state.earlyPools.find((known) => state.tokens.every((token) => token.address !== known.address));
  const { address, pool } = waiting ?? { address: newTokenAddress(random), pool: random.hex(20) };
  const isToken0 = address < weth;
  const start = isToken0 ? -203400 : 203400;
  const owner = random.pick(people);
  const logs: GeneratedLog[] = waiting ? [] : [initializeLog(pool, start)];
  for (let i = random.integer(0, 3); i > 0; i--) {
    const tickLower = start + random.pick([-200, 0, 200]);
    const range = { owner, tickLower, tickUpper: tickLower + 400, amount0: 1n, amount1: 0n };
    logs.push(
      random.chance(0.8)
        ? encodeLog(poolAbi, pool, "Mint", {
            sender: owner,
            ...range,
            amount: BigInt(random.integer(10 ** 6, 10 ** 9)),
          })
        : encodeLog(poolAbi, pool, "Burn", { ...range, amount: BigInt(random.integer(0, 1000)) }),
    );
  }
  if (random.chance(0.2)) {
    const old = { feeProtocol0Old: 0, feeProtocol1Old: 0 };
    logs.push(encodeLog(poolAbi, pool, "SetFeeProtocol", { ...old, feeProtocol0New: 4, feeProtocol1New: 6 }));
  }
  return {
    logs,
    needs: [],
    apply: (target) => {
      const isOpen = target.earlyPools.some((known) => known.pool === pool);
      if (isOpen !== (waiting !== undefined)) return false;
      if (!isOpen) target.earlyPools.push({ address, pool });
      return true;
    },
  };
}

/** Deploys a splitter: mostly a genuine one; sometimes through a contract, from other code, or without its event. */
function createSplitter(random: Random): Made {
  const address = random.hex(20);
  const payees = people.slice(0, random.integer(1, 4));
  const shares = payees.map((_, i) => (i === 0 ? 10000 - 100 * (payees.length - 1) : 100));
  const way = random.next();
  const make = random.chance(0.4) ? makeFactorySplitter : makeOwnSplitter;
  return {
    ...make(random, way, address, payees, shares),
    needs: [],
    apply: (state) => {
      if (state.splitters.includes(address)) return false;
      state.splitters.push(address);
      return true;
    },
  };
}

type MakeSplitter = (
  random: Random,
  way: number,
  address: string,
  payees: readonly string[],
  shares: readonly number[],
) => Pick<Made, "tx" | "logs">;

/**
 * Creates a clone by a creation transaction: also with code in front that could write storage, or with bytes behind.
 */
const makeOwnSplitter: MakeSplitter = (random, way, address, payees, shares) => {
  const log = encodeLog(feeSplitterAbi as Abi, address, "SplitterCreated", { payees, shares });
  const code = getCloneCode(pickDeployment(random).splitter_implementation.address, payees, shares);
  const head = way < 0.1 ? `0x6001${cloneHead.slice(2)}` : cloneHead;
  const tx = {
    to: way > 0.9 ? random.pick(people) : null,
    created: way > 0.9 ? null : address,
    deployed: { address, code },
    input: `${head}${code.slice(2)}${way > 0.2 && way < 0.3 ? "00" : ""}`,
  };
  return { tx, logs: way > 0.1 && way < 0.2 ? [] : [log] };
};

/** Creates a clone by the factory, or by a stranger's factory with the same event. */
const makeFactorySplitter: MakeSplitter = (random, way, address, payees, shares) => {
  const { splitter_factory, splitter_implementation } = pickDeployment(random);
  const emitter = way < 0.2 ? random.hex(20) : splitter_factory.address;
  const made = { splitter: address, salt: random.hex(32), payees, shares };
  return {
    tx: { to: emitter, deployed: { address, code: getCloneCode(splitter_implementation.address, payees, shares) } },
    logs: [encodeLog(splitterFactoryAbi as Abi, emitter, "SplitterCreated", made)],
  };
};

function buyLogs(random: Random, token: SimulatedToken, to: string) {
  const amount = BigInt(random.integer(1, 1_000_000)) * 10n ** BigInt(random.integer(0, 17));
  const quote = BigInt(random.integer(1, 1_000_000)) * 10n ** BigInt(random.integer(0, 14));
  const isToken0 = token.address < weth;
  const logs = [
    encodeLog(erc20Abi, token.address, "Transfer", { from: token.pool, to, value: amount }),
    swapLog(random, token.pool, to, isToken0 ? -amount : quote, isToken0 ? quote : -amount, isToken0),
  ];
  return { logs, to, amount, quote };
}

function swapLog(random: Random, pool: string, recipient: string, amount0: bigint, amount1: bigint, isToken0: boolean) {
  const drift = 1 + random.next();
  const start = isToken0 ? 3066678542806029913637481n : 2046873073838085973375944779044050n;
  const way = random.next();
  const sqrtPriceX96 =
    way < 0.02 ? minSqrt : way < 0.04 ? maxSqrt - 1n : (start * BigInt(Math.round(drift * 1e6))) / 1000000n;
  return encodeLog(poolAbi, pool, "Swap", {
    sender: random.pick(people),
    recipient,
    amount0,
    amount1,
    sqrtPriceX96,
    liquidity: random.chance(0.1) ? 0n : 38321803801799492990105n,
    tick: random.integer(-887272, 887272),
  });
}

function move(token: SimulatedToken, from: string, to: string, value: bigint): boolean {
  if ((token.balances[from] ?? 0n) < value) return false;
  token.balances[from] = (token.balances[from] ?? 0n) - value;
  token.balances[to] = (token.balances[to] ?? 0n) + value;
  return true;
}

function act(random: Random, state: ChainState, kind: number, from: string): Made | null {
  const token = random.pick(state.tokens);
  const isToken0 = token.address < weth;
  const needs = [token.address];
  const on = (change: (own: SimulatedToken) => boolean) => (target: ChainState) =>
    change(target.tokens.find((known) => known.address === token.address)!);
  const always = () => true;

  if (random.chance(0.25)) {
    return generateRouted(random, state.tokens, people, [zero, dead], ({ address, pool }, recipient, change) => {
      const quote = change < 0n ? 1_000n : -1_000n;
      const isFirst = address < weth;
      return swapLog(random, pool, recipient, isFirst ? change : quote, isFirst ? quote : change, isFirst);
    });
  }
  if (kind < 0.4) {
    const { logs, to, amount } = buyLogs(random, token, from);
    return { logs, needs, apply: on((own) => move(own, own.pool, to, amount)) };
  }
  if (kind < 0.55) {
    const held = token.balances[from] ?? 0n;
    if (held === 0n) return null;
    const amount = held / BigInt(random.integer(1, 3)) || 1n;
    const quote = BigInt(random.integer(1, 10 ** 9)) * 10n ** 6n;
    const logs = [
      encodeLog(erc20Abi, token.address, "Transfer", { from, to: token.pool, value: amount }),
      swapLog(random, token.pool, from, isToken0 ? amount : -quote, isToken0 ? -quote : amount, isToken0),
    ];
    return { logs, needs, apply: on((own) => move(own, from, own.pool, amount)) };
  }
  if (kind < 0.63) {
    const value = (token.balances[from] ?? 0n) / BigInt(random.integer(1, 2));
    const to = random.pick([...people, zero, dead, token.pool, from]);
    const logs = [encodeLog(erc20Abi, token.address, "Transfer", { from, to, value })];
    return { logs, needs, apply: on((own) => move(own, from, to, value)) };
  }
  if (kind < 0.72) {
    const pool = simulatedManifest.eth_usd!.pool;
    const price = random.chance(0.03) ? 10 ** random.integer(10, 14) : 3000 * (0.9 + 0.2 * random.next());
    // Native is token0 here: the price of 1e18 in 1e6 units.
    const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(price * 1e-12) * 2 ** 60)) << 36n;
    const log = encodeLog(poolAbi, pool, "Swap", {
      sender: from,
      recipient: from,
      amount0: 1n,
      amount1: -1n,
      sqrtPriceX96,
      liquidity: 1n,
      tick: -196000,
    });
    return { logs: [log], needs: [], apply: always };
  }
  if (kind < 0.78) {
    const [tickLower, tickUpper] = random.pick([
      [-886800, 886800],
      [-203400, 203400],
      [0, 200],
    ] as const);
    const amount = BigInt(random.integer(0, 10 ** 9));
    const amounts = { amount0: amount * 10n ** 6n, amount1: amount, paid0: amount, paid1: 1n };
    const shared = { owner: from, sender: from, recipient: from, tickLower, tickUpper, amount, ...amounts };
    const part = random.next();
    const event = [
      { below: 0.35, name: "Mint" },
      { below: 0.65, name: "Burn" },
      { below: 0.8, name: "Collect" },
      { below: 0.9, name: "CollectProtocol" },
      { below: 1, name: "Flash" },
    ].find(({ below }) => part < below)!;
    const log = encodeLog(poolAbi, token.pool, event.name, shared);
    return { logs: [log], needs, apply: always };
  }
  if (kind < 0.81) {
    const log = encodeLog(poolAbi, token.pool, "SetFeeProtocol", {
      feeProtocol0Old: 0,
      feeProtocol1Old: 0,
      feeProtocol0New: random.pick([0, 4, 6, 10]),
      feeProtocol1New: random.pick([0, 4, 6, 10]),
    });
    return { logs: [log], needs, apply: always };
  }
  if (kind < 0.93) return { ...money(random, state, token, from), needs };
  return { ...lookAlike(random, token, from), needs, apply: always };
}

function money(random: Random, state: ChainState, token: SimulatedToken, from: string): Pick<Made, "logs" | "apply"> {
  const amount = BigInt(random.integer(0, 10 ** 12));
  const abi = feeLockerAbi as Abi;
  const splitter = random.pick(state.splitters);
  const asset = random.pick([zero, weth]);
  const makers: (() => GeneratedLog)[] = [
    () =>
      encodeLog(abi, token.locker, "Collected", {
        token: token.address,
        tokenAmount: amount,
        quoteAmount: amount * 2n,
      }),
    () =>
      encodeLog(abi, token.locker, "Settled", {
        token: token.address,
        asset: random.pick([token.address, weth]),
        collaboratorsAmount: amount,
        protocolAmount: amount / 9n,
        partnerAmount: 0n,
      }),
    () => encodeLog(abi, token.locker, "TreasuryChanged", { previous: from, treasury: random.pick(people) }),
    () =>
      encodeLog(feeSplitterAbi as Abi, splitter, "Released", {
        asset,
        payee: from,
        receiver: random.pick(people),
        amount,
        unwrapped: asset === weth && random.chance(0.3),
      }),
    () => encodeLog(feeSplitterAbi as Abi, splitter, "PayoutChanged", { payee: from, payout: random.pick(people) }),
    () => encodeLog(abi, token.locker, "PaymentOwed", { token: token.address, asset, party: splitter, amount }),
    () => encodeLog(abi, token.locker, "OwedPaid", { asset, party: splitter, amount }),
    () =>
      encodeLog(launchFactoryAbi as Abi, simulatedManifest.current.launch_factory.address, "PartnerShareChanged", {
        partner: from,
        previousShareBps: 0,
        shareBps: random.integer(0, 5000),
      }),
    () => encodeLog(feeSplitterAbi as Abi, splitter, "NativeReceived", { from, amount }),
    () =>
      encodeLog(gasStationAbi as Abi, simulatedManifest.gas_station!.address, "ToppedUp", {
        quoteId: random.hex(32),
        wallet: from,
        token: weth,
        tokenAmount: amount,
        nativeAmount: amount,
      }),
  ];
  // A contract that a reorganisation removed emits nothing.
  const apply = (target: ChainState) => target.splitters.includes(splitter);
  return { logs: [random.pick(makers)()], apply };
}

/** Logs with our topics from foreign addresses, and with our addresses: too short logs, extreme and empty swaps. */
function lookAlike(random: Random, token: SimulatedToken, from: string): Pick<Made, "logs"> {
  const isToken0 = token.address < weth;
  const stranger = random.hex(20);
  const swap = swapLog(random, token.pool, from, 5n, -5n, isToken0);
  const extreme = random.pick([2n ** 255n - 1n, -(2n ** 255n)]);
  return {
    logs: [
      random.pick<GeneratedLog>([
        { ...swap, address: stranger },
        { ...swap, data: swap.data.slice(0, 66) },
        { ...swap, topics: swap.topics.slice(0, 1) },
        swapLog(random, token.pool, from, 0n, 0n, isToken0),
        swapLog(random, token.pool, from, 7n, 0n, isToken0),
        // Extreme in wrapped native only: a swap of more tokens than exist is refused (C3-91).
        swapLog(random, token.pool, from, isToken0 ? -1n : extreme, isToken0 ? extreme : -1n, isToken0),
        encodeLog(erc20Abi, stranger, "Transfer", { from, to: token.pool, value: 5n }),
        { address: stranger, topics: [], data: "0x" },
      ]),
    ],
  };
}
