import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchedTopic } from "@slipway/protocol/launchedLog";
import type { AbiParameter } from "viem";
import { expect, test } from "vitest";
import { changeAnswers } from "../../support/indexer/changeAnswers.ts";
import { createLaggingTransport } from "../../support/indexer/createLaggingTransport.ts";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";
import { dumpIndex } from "../../support/simulation/dumpIndex.ts";
import { createRandom } from "../../support/simulation/random.ts";
import { differences } from "../../support/simulation/tables.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity } = fixture;

const nodes = (count: number) => Array.from({ length: count }, () => fixture.chain().chain.rpcUrl);

test("C2-08 the indexer refuses an empty answer for a block whose bloom has watched logs", async () => {
  const chain = fixture.chain();
  let isLying = false;
  let lies = 0;
  const transport = changeAnswers((call, answer) => {
    if (!isLying || call.method !== "eth_getBlockReceipts") return answer;
    lies++;
    return { id: call.id, result: [] };
  });
  const deps = await openDeps({ transport });
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  isLying = true;
  const before = await chain.head();
  await runSampleActivity();
  await until(() => lies >= 3);
  const { rows } = await deps.db.api.query("select block_number from chain.checkpoint");
  // The splitter's block comes first, when no launch has named the splitter yet. The launch's block is the next.
  expect(rows[0].block_number).toBeLessThan(before + 2);
  isLying = false;
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-08 the indexer requests a block from another node when one leaves out logs of its bloom", async () => {
  const asked = [0, 0];
  const transport = changeAnswers((call, answer, endpoint) => {
    if (call.method !== "eth_getBlockReceipts") return answer;
    asked[endpoint]!++;
    return endpoint === 0 ? { id: call.id, result: [] } : answer;
  });
  const deps = await openDeps({ transport, rpcUrl: nodes(2) });
  const indexer = start(deps);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect(asked[0]).toBeGreaterThan(0);
  expect(asked[1]).toBeGreaterThan(0);
});

test("C2-08 a backfill has every log although each of two nodes has holes in its log index", async () => {
  const chain = fixture.chain();
  await runSampleActivity();
  await runSampleActivity();
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(250);
  let holes = 0;
  const transport = changeAnswers((call, answer, endpoint) => {
    if (call.method !== "eth_getLogs" || !Array.isArray(answer.result)) return answer;
    const result = answer.result.filter((log) => Number(log.blockNumber) % 2 === endpoint);
    holes += answer.result.length - result.length;
    return { id: call.id, result };
  });
  const deps = await openDeps({ transport, rpcUrl: nodes(2), env: { REORG_WINDOW_SECONDS: "10" } });
  await untilCaughtUp(start(deps));
  expect(holes).toBeGreaterThan(20);
  await expectIndexEqualsChain(deps);
});

/** Keeps half of the blocks, without a period: the headers that are checked have equal distances. */
const isKept = (block: number) => (block * 2_654_435_761) % 2 ** 32 < 2 ** 31;

test("C3-08 a backfill by a single node with holes in its log index is noticed by the blooms of real headers", async () => {
  const chain = fixture.chain();
  await runSampleActivity();
  await runSampleActivity();
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(250);
  const transport = changeAnswers((call, answer) => {
    const isRange = call.method === "eth_getLogs" && call.params[0].topics?.[0].includes(launchedTopic);
    if (!isRange || !Array.isArray(answer.result)) return answer;
    return { id: call.id, result: answer.result.filter((log) => isKept(Number(log.blockNumber))) };
  });
  const deps = await openDeps({ transport, env: { REORG_WINDOW_SECONDS: "10" } });
  await untilCaughtUp(start(deps));
  await expectIndexEqualsChain(deps);
  const { values } = await deps.metrics.logChecks.get();
  const count = (wanted: string) => values.find(({ labels }) => labels.outcome === wanted && labels.check === "bloom");
  expect(count("missing")!.value).toBe(1);
  expect(count("complete")!.value).toBeGreaterThan(0);
  expect((await deps.metrics.rpcWithoutBlooms.get()).values.map(({ value }) => value)).toEqual([0]);
});

test("C2-09 a node that lags behind a balancer is not taken for a reorganisation, and is not polled faster", async () => {
  const chain = fixture.chain();
  let headRequests = 0;
  const deps = await openDeps({ transport: createLaggingTransport(createRandom(9), () => headRequests++) });
  const startedAt = performance.now();
  start(deps);
  await runSampleActivity();
  for (let i = 0; i < 30; i++) await chain.mine(2);
  await fixture.untilIndexed(deps);
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBe(0);
  const { rows } = await deps.db.api.query("select count(*)::int as n from chain.outbox where kind = 'retracted'");
  expect(rows[0].n).toBe(0);
  // A request of the head is followed by progress or by a pause of at least the polling interval of 10 ms.
  expect(headRequests).toBeLessThan((performance.now() - startedAt) / 10 + (await chain.head()));
});

test("C2-10 the indexer halts while its endpoint serves another chain, and resumes afterwards", async () => {
  let isOther = false;
  const otherHash = (hash: string) => `0xdead${hash.slice(6)}`;
  const transport = changeAnswers((call, answer) => {
    if (!isOther) return answer;
    if (call.method === "eth_chainId") return { id: call.id, result: "0x1" };
    if (!call.method.startsWith("eth_getBlockBy") || !answer.result) return answer;
    const { hash, parentHash } = answer.result;
    return { id: call.id, result: { ...answer.result, hash: otherHash(hash), parentHash: otherHash(parentHash) } };
  });
  const deps = await openDeps({ transport });
  const indexer = start(deps);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  const before = await dumpIndex(deps.db.indexer);
  isOther = true;
  await fixture.chain().mine(3);
  await until(() => indexer.status().state === "halted" || JSON.stringify(indexer.status()));
  expect(differences(before, await dumpIndex(deps.db.indexer))).toEqual([]);
  isOther = false;
  await fixture.untilIndexed(deps);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBe(0);
});

test("C2-12 C2-20 duplicated and reordered logs are applied once and in chain order", async () => {
  const chain = fixture.chain();
  let changed = 0;
  const twice = (list: any[]) => [...list, ...list].reverse();
  const transport = changeAnswers((call, answer) => {
    if (!Array.isArray(answer.result)) return answer;
    if (call.method === "eth_getLogs") {
      changed += answer.result.length;
      return { id: call.id, result: twice(answer.result) };
    }
    if (call.method !== "eth_getBlockReceipts") return answer;
    changed += answer.result.length;
    return {
      id: call.id,
      result: answer.result.map((receipt) => ({ ...receipt, logs: twice(receipt.logs) })).reverse(),
    };
  });
  const live = await openDeps({ transport });
  const following = start(live);
  await untilCaughtUp(following);
  await runSampleActivity();
  await untilCaughtUp(following);
  await expectIndexEqualsChain(live);
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(250);
  const late = await openDeps({ transport, env: { REORG_WINDOW_SECONDS: "10" } });
  await untilCaughtUp(start(late));
  await expectIndexEqualsChain(late);
  expect(changed).toBeGreaterThan(50);
});

test("C2-19 no height comes from contract data or the parent chain, and no block tag decides what is final", async () => {
  const chain = fixture.chain();
  const tags = new Set<string>();
  const parent = 0x7fff_ff00;
  const transport = changeAnswers((call, answer) => {
    for (const param of call.params) if (/^(safe|finalized|pending)$/.test(String(param))) tags.add(String(param));
    const { result } = answer;
    // Like those of Arbitrum's nodes, blocks, receipts and logs also have the parent chain's height.
    const withParent = (value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, l1BlockNumber: `0x${parent.toString(16)}` }
        : value;
    return { ...answer, result: Array.isArray(result) ? result.map(withParent) : withParent(result) } as typeof answer;
  });
  const deps = await openDeps({ transport });
  const indexer = start(deps);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect([...tags]).toEqual([]);

  const { rows: columns } = await deps.db.api.query(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'chain' and column_name like '%block%' and column_name not like '%time' and data_type in ('integer', 'bigint')`,
  );
  expect(columns.length).toBeGreaterThan(10);
  const head = await chain.head();
  for (const { table_name: table, column_name: column } of columns) {
    const { rows } = await deps.db.api.query(
      `select coalesce(max(${column}), 0)::bigint as highest from chain.${table}`,
    );
    expect(rows[0].highest, `${table}.${column}`).toBeLessThanOrEqual(head);
  }
  for (const abi of [launchFactoryAbi, feeLockerAbi, feeSplitterAbi, gasStationAbi]) {
    for (const entry of abi) {
      if (entry.type !== "event") continue;
      for (const input of entry.inputs as readonly AbiParameter[])
        expect(input.name, entry.name).not.toMatch(/block|height/i);
    }
  }
});
