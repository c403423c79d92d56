import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gate, type GateProcess, startGate } from "../support/security/startGate.ts";
import { type Cuttable, startCuttable } from "../support/conformance/startCuttable.ts";

const [burst, perSecond] = [200, 1];
/** What each process may admit before it has told the others: docs/limits.md. */
const advance = burst / 10;

/** A read that is counted, and then refused for its form: it needs neither chain nor index. */
const read = "/tokens/0x12";

/** Asks so often at once, over real sockets; how many were admitted. */
async function admitted({ base }: GateProcess, address: string, count: number): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(base + read, { headers: { "x-forwarded-for": address } });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status !== 400 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 400).length;
}

/** What has grown back since, with the twentieth for each process that is never told. */
const grown = (since: number) => Math.ceil(((performance.now() - since) / 1000) * perSecond * 1.1);

describe("two API processes on one database", () => {
  let gate: Gate;
  let way: Cuttable;
  let one: GateProcess;
  let other: GateProcess;

  beforeAll(async () => {
    gate = await startGate();
    way = await startCuttable(gate.databaseUrl);
    const settings = {
      DATABASE_URL: way.url,
      READ_LIMIT_PER_SECOND: String(perSecond),
      READ_LIMIT_BURST: String(burst),
      TRUST_PROXY: "loopback",
    };
    [one, other] = await Promise.all([gate.open(settings), gate.open(settings)]);
  });
  afterAll(async () => {
    await gate?.close();
    await way?.cut();
  });

  it("admit one limit together: no less than it, and no more than an advance above for each", async () => {
    const since = performance.now();
    const counts = await Promise.all([admitted(one, "192.0.2.1", 250), admitted(other, "192.0.2.1", 250)]);
    const total = counts[0]! + counts[1]!;
    expect(total).toBeGreaterThanOrEqual(burst);
    expect(total).toBeLessThanOrEqual(burst + 2 * advance + grown(since));
  });

  it("admit one limit together also when one is asked after the other", async () => {
    const since = performance.now();
    const first = await admitted(one, "192.0.2.2", 300);
    const second = await admitted(other, "192.0.2.2", 300);
    expect(first).toBeGreaterThanOrEqual(burst);
    expect(first + second).toBeLessThanOrEqual(burst + 2 * advance + grown(since));
  });

  it("go on without the database, each with the limit for itself", async () => {
    await way.cut();
    for (const process of [one, other]) {
      const since = performance.now();
      const count = await admitted(process, "192.0.2.3", 300);
      expect(count).toBeGreaterThanOrEqual(burst);
      expect(count).toBeLessThanOrEqual(burst + grown(since));
    }
  });
});
