import { launchWindowIds, type TokenFacts, tokenFacts } from "@slipway/protocol/facts";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { checksummed } from "@slipway/protocol/primitives";
import { expect, test } from "vitest";
import { createHandmadeChain } from "../../support/indexer/handmadeChain.ts";
import { serveHandmadeChain } from "../../support/indexer/serveHandmadeChain.ts";
import { encodeLog, erc20Abi, type GeneratedLog } from "../../support/simulation/encodeLog.ts";
import { createRandom } from "../../support/simulation/random.ts";
import { referenceIndex } from "../../support/simulation/reference.ts";
import { createSimulatedChain } from "../../support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../../support/simulation/simulatedManifest.ts";
import type { Tables } from "../../support/simulation/tables.ts";

const supply = 10n ** 27n;
const creator = `0x${"ab".repeat(20)}`;
const [alice, bob, carol] = ["a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

const columns = ["tx", "block", "3_blocks", "10_blocks", "60s"];

/** Computes every fact that is an amount or a number from the tables of the reference, which reads raw logs only. */
function computeFacts(tables: Tables, token: string): Record<string, { amount?: bigint; value?: number | null }> {
  const facts = tables.facts.get(token) as Record<string, bigint>;
  const launch = tables.tokens.get(token) as { creator: string; pool: string };
  const sums = (tables.first_buys.get(token) ?? {}) as Record<string, bigint>;
  const burned = [`0x${"0".repeat(40)}`, `0x${"0".repeat(36)}dead`];
  const lockers = [simulatedManifest.current, ...simulatedManifest.history].map((d) => d.fee_locker.address);
  const others = [launch.pool, ...lockers.map((address) => address.toLowerCase()), ...burned];
  const balances = [...tables.balances]
    .filter(([key]) => key.startsWith(token) && !others.includes(key.slice(token.length + 1)))
    .map(([, balance]) => balance)
    .sort((a, b) => (a < b ? 1 : -1));
  const given = [...tables.first_buyers.keys()]
    .filter((key) => key.startsWith(token))
    .filter((key) => tables.creator_transfers.has(`${launch.creator}:${key.slice(token.length + 1)}`)).length;
  const transferredOut = facts.creator_sent! - facts.creator_sold!;
  return {
    creator_share: { amount: facts.creator_received! - facts.creator_sent! },
    creator_bought: { amount: facts.creator_bought! },
    creator_sold: { amount: facts.creator_sold! },
    creator_transferred_out: { amount: transferredOut < 0n ? 0n : transferredOut },
    ...Object.fromEntries(
      launchWindowIds.flatMap((id, i) => [
        [`${id}_bought`, { amount: sums[`bought_${columns[i]}`] ?? 0n }],
        [`${id}_buyers`, { value: Number(sums[`buyers_${columns[i]}`] ?? 0n) }],
        [`${id}_held`, { amount: sums[`held_${columns[i]}`] ?? 0n }],
      ]),
    ),
    first_buyers_funded_by_creator: { value: given === 0 ? null : given },
    top_10_share: { amount: balances.slice(0, 10).reduce((sum, balance) => sum + balance, 0n) },
    holders_without_buy: { value: Number(facts.holders_without_buy) },
    round_trips_block: { amount: facts.round_trips_block! },
    round_trips_300_seconds: { amount: facts.round_trips_300s! },
    earlier_launches: { value: Number(facts.creator_launches) },
  };
}

/** Compares the response of a token with the facts computed from raw logs. @returns Ids of the facts above zero. */
function compareFacts(body: TokenFacts, tables: Tables, token: string): string[] {
  const facts = new Map<string, TokenFacts["facts"][number]>(body.facts.map((fact) => [fact.id, fact]));
  const { traded } = tables.facts.get(token) as Record<string, bigint>;
  const found: string[] = [];
  for (const [id, { amount, value }] of Object.entries(computeFacts(tables, token))) {
    const fact = facts.get(id)!;
    if (value !== undefined) expect([token, id, fact.value]).toEqual([token, id, value]);
    if (amount === undefined) continue;
    expect([token, id, fact.amount]).toEqual([token, id, amount.toString()]);
    const whole = fact.unit === "percent_of_volume" ? traded! : (tables.state.get(token)!.supply as bigint);
    const percent = whole === 0n ? null : expect.closeTo((Number(amount) / Number(whole)) * 100, 9);
    expect(fact.value).toEqual(percent);
    if (amount > 0n) found.push(id);
  }
  return found;
}

test("every fact of generated launches equals the one computed from raw logs", async () => {
  const chain = createSimulatedChain(createRandom(8));
  for (let i = 0; i < 250; i++) chain.mine(7);
  const read = await serveHandmadeChain({ chain });
  const tables = referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
  const found = new Set<string>();
  for (const [token, launch] of tables.tokens) {
    const body = tokenFacts.parse(await read(`/tokens/${token}/facts`));
    for (const id of compareFacts(body, tables, token)) found.add(id);
    for (const fact of body.facts) expect(fact.as_of_block).toBe(chain.head().number);
    expect(body.creator).toBe(checksummed(launch.creator as string));
    const earlier = [...tables.tokens].filter(
      ([, other]) => other.creator === launch.creator && (other.block as number) < (launch.block as number),
    );
    expect(body.earlier_launches.map(({ address }) => address.toLowerCase())).toEqual(
      earlier.map(([address]) => address).reverse(),
    );
  }
  // The chain has each kind of conduct, so that no comparison is of zeros only.
  const kinds = ["creator_sold", "first_60_seconds_held", "round_trips_300_seconds", "launch_transaction_bought"];
  expect(kinds.filter((id) => !found.has(id))).toEqual([]);
});

test("the facts of a launch describe its first buyers, its creator and round trips by their accounts", async () => {
  const made = createHandmadeChain();
  const { chain, mine } = made;
  const earlier = made.launch("OLD", true);
  const token = made.launch("NEW", true);
  const transfer = (from: string, to: string, value: bigint, asset = token.address): GeneratedLog =>
    encodeLog(erc20Abi, asset, "Transfer", { from, to, value });
  const swap = (isBuy: boolean, account: string, amount: bigint): GeneratedLog[] => [
    isBuy ? transfer(token.pool, account, amount) : transfer(account, token.pool, amount),
    made.swap(token.pool, {
      amount0: isBuy ? -amount : amount,
      amount1: isBuy ? 5n : -5n,
      sqrtPriceX96: 3066678542806029913637481n,
      liquidity: 38706924980797090535873n,
      tick: -203188,
    }),
  ];
  // Alice, Bob and the creator buy in the next three blocks, which are 10 s apart.
  mine(swap(true, alice, 100n));
  mine(swap(true, bob, 60n));
  mine(swap(true, creator, 40n));
  // The creator gives tokens of its earlier launch to Bob, and of this one to Carol.
  mine([transfer(earlier.pool, creator, 9n, earlier.address), transfer(creator, bob, 9n, earlier.address)]);
  mine([transfer(creator, carol, 10n)]);
  mine(swap(false, creator, 20n));
  // Alice sells 30, then buys 10 back; Bob buys in the tenth block, after the first 60 seconds.
  mine(swap(false, alice, 30n));
  mine(swap(true, alice, 10n));
  mine(swap(true, bob, 1n), {}, 400);
  const read = await serveHandmadeChain({ chain });
  const body = tokenFacts.parse(await read(`/tokens/${token.address}/facts`));
  const get = (id: string) => body.facts.find((fact) => fact.id === id)!;
  const amounts = (...ids: string[]) => ids.map((id) => get(id).amount);

  expect(amounts("creator_share", "creator_bought", "creator_sold", "creator_transferred_out")).toEqual([
    ...["10", "40", "20", "10"],
  ]);
  expect(get("creator_bought").value).toBeCloseTo(40 / Number(supply / 100n), 20);
  expect(amounts("launch_block_bought", "first_3_blocks_bought", "first_10_blocks_bought")).toEqual([
    "0",
    "160",
    "211",
  ]);
  expect(get("first_3_blocks_buyers").value).toBe(2);
  // Within 60 s: 100, 60 and 40. Alice holds 80 of her 100, the creator 10 of its 40.
  expect(amounts("first_60_seconds_bought", "first_60_seconds_held")).toEqual(["200", "150"]);
  expect(get("first_60_seconds_buyers").value).toBe(3);
  expect([get("first_buyers_funded_by_creator").value, get("first_buyers_funded_by_creator").amount]).toEqual([
    1,
    "61",
  ]);
  expect(get("holders_without_buy").value).toBe(1);
  // In one interval of 300 s Alice buys 110 and sells 30, and the creator buys 40 and sells 20.
  expect(amounts("round_trips_block", "round_trips_300_seconds")).toEqual(["0", "100"]);
  expect(get("earlier_launches").value).toBe(1);
  expect(body.earlier_launches).toMatchObject([{ symbol: "OLD", trades: 0, last_trade_at: null }]);
  expect(get("first_60_seconds_bought").window).toMatchObject({ kind: "seconds", to_block: null, complete: true });
  expect(get("privileged_functions")).toMatchObject({ value: 0, window: { kind: "fixed" } });

  const { facts } = await read(`/tokens/${token.address}`);
  expect(facts).toEqual((await read("/tokens?sort=new")).items[0].facts);
  expect(facts).toMatchObject({ launch_block_buyers: 0, holders_without_buy: 1, earlier_launches: 1 });
  expect(facts.creator_sold_pct).toBe(get("creator_sold").value);
});
