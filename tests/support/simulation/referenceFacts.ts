import type { ReferenceTrade } from "./referenceCostBasis.ts";
import type { Tables } from "./tables.ts";

export type ReferenceTransfer = { block: number; logIndex: number; from: string; to: string; value: bigint };

/** The parts of a launch from which facts follow; launches, trades and transfers are in chain order. */
type ReferenceLaunch = {
  address: string;
  pool: string;
  locker: string;
  creator: string;
  launchBlock: number;
  launchTime: number;
  launchTx: string;
  balances: ReadonlyMap<string, bigint>;
  trades: readonly ReferenceTrade[];
  transfers: readonly ReferenceTransfer[];
};

const burnAddresses = [`0x${"0".repeat(40)}`, `0x${"0".repeat(36)}dead`];

const total = (amounts: readonly { amount: bigint }[]) => amounts.reduce((sum, { amount }) => sum + amount, 0n);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** Computes the facts of launches from whole lists of trades and transfers. */
export function addReferenceFacts(tables: Tables, launches: readonly ReferenceLaunch[]): void {
  for (const [i, launch] of launches.entries()) {
    const { address, creator, trades, balances } = launch;
    const moved = launch.transfers.filter(({ from, to }) => from !== to).map((t) => ({ ...t, amount: t.value }));
    const own = trades.filter(({ account }) => account === creator);
    const buyers = new Set(trades.filter(({ isBuy }) => isBuy).map(({ account }) => account));
    const holders = [...balances].filter(([account, balance]) => balance > 0n && canHold(launch, account));
    tables.facts.set(address, {
      creator_launches: BigInt(launches.slice(0, i).filter((earlier) => earlier.creator === creator).length),
      creator_received: total(moved.filter(({ to }) => to === creator)),
      creator_sent: total(moved.filter(({ from }) => from === creator)),
      creator_bought: total(own.filter(({ isBuy }) => isBuy)),
      creator_sold: total(own.filter(({ isBuy }) => !isBuy)),
      traded: total(trades),
      round_trips_block: sumRoundTrips(trades, ({ block }) => block),
      round_trips_300s: sumRoundTrips(trades, ({ time }) => Math.floor(time / 300)),
      holders_without_buy: BigInt(holders.filter(([account]) => !buyers.has(account)).length),
    });
    addFirstBuys(tables, launch);
  }
  const transfers = launches.flatMap((launch) => launch.transfers.map((transfer) => ({ ...transfer, launch })));
  transfers.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  for (const { block, logIndex, from, to, launch } of transfers) {
    const key = `${from}:${to}`;
    if (from !== launch.creator || from === to || !canHold(launch, to) || tables.creator_transfers.has(key)) continue;
    tables.creator_transfers.set(key, `${launch.address}:${block}:${logIndex}`);
  }
}

function canHold({ pool, locker }: ReferenceLaunch, account: string): boolean {
  return ![pool, locker, ...burnAddresses].includes(account);
}

/** Sums, over accounts and periods, twice the smaller of what an account bought and sold in a period. */
function sumRoundTrips(trades: readonly ReferenceTrade[], getPeriod: (trade: ReferenceTrade) => number): bigint {
  const groups = Map.groupBy(trades, (trade) => `${trade.account}:${getPeriod(trade)}`);
  return [...groups.values()].reduce((sum, group) => {
    const bought = total(group.filter(({ isBuy }) => isBuy));
    return sum + 2n * smaller(bought, total(group) - bought);
  }, 0n);
}

function addFirstBuys(tables: Tables, launch: ReferenceLaunch): void {
  const { address, launchBlock, launchTime, launchTx, balances } = launch;
  const windows: { [name: string]: (trade: ReferenceTrade) => boolean } = {
    tx: ({ tx }) => tx === launchTx,
    block: ({ block }) => block === launchBlock,
    "3_blocks": ({ block }) => block <= launchBlock + 2,
    "10_blocks": ({ block }) => block <= launchBlock + 9,
    "60s": ({ time }) => time - launchTime < 60,
  };
  const buys = launch.trades.filter(({ isBuy }) => isBuy);
  const early = buys.filter((buy) => Object.values(windows).some((isIn) => isIn(buy)));
  if (early.length === 0) return;
  const sums: { [column: string]: bigint } = {};
  for (const [name, isIn] of Object.entries(windows)) {
    const accounts = Map.groupBy(buys.filter(isIn), ({ account }) => account);
    sums[`bought_${name}`] = total(buys.filter(isIn));
    sums[`buyers_${name}`] = BigInt(accounts.size);
    sums[`held_${name}`] = [...accounts].reduce(
      (sum, [account, own]) => sum + smaller(balances.get(account) ?? 0n, total(own)),
      0n,
    );
  }
  tables.first_buys.set(address, sums);
  for (const account of new Set(early.map((buy) => buy.account))) {
    const own = buys.filter((buy) => buy.account === account);
    tables.first_buyers.set(
      `${address}:${account}`,
      Object.values(windows).map((isIn) => total(own.filter(isIn))),
    );
  }
}
