import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { clear, insert, insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { parseConfig } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { createMetrics } from "../../metrics.ts";
import { systemClock } from "../../systemClock.ts";
import { verifySources } from "./verifySources.ts";

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());
beforeEach(() => clear(database.db));

const jobId = "72d12273-0723-448e-a9f6-f7957128efa5";
type Answers = { find: [number, object]; submit: [number, object]; check: [number, object] };

/** Starts the job and a verifier of Sourcify's API with these answers, which a test changes. */
async function startJob(answers: Partial<Answers>) {
  const counts = { find: 0, submit: 0, check: 0 };
  const answer: RequestListener = (request, response) => {
    const kind = request.method === "POST" ? "submit" : request.url!.startsWith("/v2/verify") ? "check" : "find";
    counts[kind]++;
    const [status, body] = answers[kind] ?? [404, {}];
    const address = request.url!.split("/").at(-1);
    const filled = JSON.stringify(body).replaceAll("ADDRESS", address!);
    request.resume().once("end", () => response.writeHead(status).end(filled));
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const metrics = createMetrics();
  const job = verifySources({
    config: parseConfig({
      DATABASE_URL: database.url,
      RPC_URL: "http://127.0.0.1:1",
      VERIFIER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      VERIFIER_POLL_MS: "10",
    }),
    db: database.db,
    chain: { manifestState: () => ({ manifest: testManifest, verified: true }) } as unknown as Deps["chain"],
    clock: systemClock,
    log: pino({ level: "silent" }),
    metrics,
  });
  onTestFinished(async () => {
    await job.stop();
    server.closeAllConnections();
    server.close();
  });
  const rows = async () =>
    (await database.db.api.query("select * from app.source_verifications where contract = 'FeeLocker'")).rows[0];
  return {
    counts,
    job,
    rows,
    until: async (expected: object) => await expect.poll(rows).toMatchObject(expected),
    /** Makes the contracts due again. A result that is stored afterwards has a reason. */
    makeDue: async () => {
      await database.db.api.query(
        "update app.source_verifications set next_at = now(), reason = null where next_at is not null",
      );
    },
  };
}

const contract = (match: string | null) => ({ runtimeMatch: match, chainId: "46630", address: "ADDRESS" });
const submitted: [number, object] = [202, { verificationId: jobId }];

test("each contract of the manifest and each final token is submitted once", async () => {
  const { db } = database;
  await insertIndex(db);
  const headers = { block_hash: "0x", block_time: 1, batch_id: 1, is_batch_end: true };
  await insert(db, "chain.headers", { block_number: 150, ...headers });
  await insertToken(db, 1, { block_number: 150 });
  await insertToken(db, 2, { block_number: 151 });
  const { counts, until } = await startJob({ submit: submitted });
  await until({ job_id: jobId, submissions: 1, attempts: 0, is_verified: null });
  await expect.poll(() => counts.submit).toBe(9);
  const { rows } = await db.api.query(
    "select contract, count(*)::int from app.source_verifications group by 1 order by 1",
  );
  expect(rows.map(({ contract: name, count }) => `${name} ${count}`)).toEqual([
    "FeeLocker 1",
    "FeeSplitter 1",
    "LaunchFactory 1",
    "LaunchToken 1",
    "Opening 1",
    "OpeningFactory 1",
    "SplitterFactory 1",
    "Vesting 1",
    "VestingFactory 1",
  ]);
});

test("a contract that is verified already is not submitted", async () => {
  const { counts, until } = await startJob({ find: [200, contract("match")] });
  await until({ is_verified: true, next_at: null, reason: null });
  expect(counts.submit).toBe(0);
});

test("other code is false, and is not submitted again", async () => {
  const answers: Partial<Answers> = { submit: submitted };
  answers.check = [200, { isJobCompleted: true, verificationId: jobId, error: { customCode: "no_match" } }];
  const { counts, until, makeDue } = await startJob(answers);
  await until({ submissions: 1 });
  await makeDue();
  await until({ is_verified: false, next_at: null, reason: "code_differs" });
  expect(counts.submit).toBe(8);
});

test("C5-74 a verifier without a usable answer is asked after growing delays, and a bounded number of times", async () => {
  const { counts, until, makeDue, rows } = await startJob({ find: [500, {}] });
  const reason = "verifier_unavailable";
  await until({ attempts: 1, reason, is_verified: null });
  const { next_at: next } = await rows();
  expect(next.getTime() - Date.now()).toBeGreaterThan(30_000);
  for (let attempt = 2; attempt <= 10; attempt++) {
    await makeDue();
    await until({ attempts: attempt, reason });
  }
  await until({ next_at: null, is_verified: null });
  await makeDue();
  expect(await rows()).toMatchObject({ attempts: 10, next_at: null });
  expect(counts.submit).toBe(0);
});

test("C5-74 a job that never ends or always fails is submitted three times, and gives no result", async () => {
  const answers: Partial<Answers> = { submit: submitted };
  answers.check = [200, { isJobCompleted: true, verificationId: jobId, error: { customCode: "compiler_error" } }];
  const { until, makeDue, rows } = await startJob(answers);
  await until({ submissions: 1 });
  for (let i = 0; (await rows()).next_at !== null && i < 100; i++) {
    await makeDue();
    if (i === 4) answers.check = [200, { isJobCompleted: false, verificationId: jobId }];
    await expect
      .poll(async () => {
        const row = await rows();
        return row.next_at === null || row.next_at.getTime() > Date.now() + 5_000;
      })
      .toBe(true);
  }
  expect(await rows()).toMatchObject({ submissions: 3, is_verified: null, next_at: null });
});

test("nothing is submitted without a URL", async () => {
  const config = parseConfig({ DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1" });
  const job = verifySources({ config } as Deps);
  await job.stop();
  expect((await database.db.api.query("select from app.source_verifications")).rowCount).toBe(0);
});
