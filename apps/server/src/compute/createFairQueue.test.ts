import { beforeEach, describe, expect, it } from "vitest";
import { createFairQueue, type FairQueue } from "./createFairQueue.ts";

let queue: FairQueue;
/** The started jobs in the order of their start, and the refused ones. */
let started: string[];
let refused: string[];
/** Ends the job in progress. */
let endJob: () => void;
/** Ends the time of all sleeping jobs. */
let endSleeps: () => void;

beforeEach(() => {
  const wake: (() => void)[] = [];
  endSleeps = () => {
    for (const end of wake.splice(0)) end();
  };
  const sleep = (_milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wake.push(resolve);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  queue = createFairQueue({ clock: { sleep }, places: 1, maxWaiting: 6, maxWaitMs: 10_000, refusal: "Full." });
  started = [];
  refused = [];
  endJob = () => undefined;
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Sends a job; a job without clients is background work. */
async function send(name: string, ...clients: string[]): Promise<void> {
  const work = () =>
    new Promise<void>((resolve) => {
      started.push(name);
      endJob = resolve;
    });
  queue.run(clients, work).catch((error) => {
    expect(error).toMatchObject({ name: "SlipwayError", code: "overloaded", message: "Full." });
    refused.push(name);
  });
  await settle();
}

/** Ends a number of jobs, one after the other. */
async function endJobs(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    endJob();
    await settle();
  }
}

describe("C5-49 a fair queue", () => {
  it("starts the job of a new client before the waiting jobs of others", async () => {
    for (const name of ["a1", "a2", "a3", "a4"]) await send(name, "a");
    await send("b1", "b");
    await endJobs(4);
    expect(started).toEqual(["a1", "b1", "a2", "a3", "a4"]);
  });

  it("serves clients in turns, in the order of arrival of each", async () => {
    for (const name of ["a1", "a2", "a3"]) await send(name, "a");
    for (const name of ["b1", "b2"]) await send(name, "b");
    await send("c1", "c");
    await endJobs(5);
    expect(started).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("gives a client with many accounts, or an account with many addresses, one turn", async () => {
    await send("a1", "address a", "account 1");
    for (const number of [2, 3, 4]) await send(`a${number}`, "address a", `account ${number}`);
    await send("b1", "address b", "account 1");
    await send("c1", "address c", "account 5");
    await endJobs(5);
    expect(started.indexOf("c1")).toBe(1);
    expect(started.slice(2)).toEqual(["a2", "b1", "a3", "a4"]);
  });

  it("does not serve a client first again because its earlier jobs have ended", async () => {
    await send("a1", "a");
    await endJobs(1);
    await send("b1", "b");
    await send("a2", "a");
    await send("c1", "c");
    await endJobs(2);
    expect(started).toEqual(["a1", "b1", "c1", "a2"]);
  });

  it("that is full refuses the last job of the client with the most waiting jobs, not a new client", async () => {
    for (let i = 1; i <= 7; i++) await send(`a${i}`, "a");
    expect(refused).toEqual([]);
    await send("a8", "a");
    expect(refused).toEqual(["a8"]);
    await send("b1", "b");
    await send("b2", "b");
    expect(refused).toEqual(["a8", "a7", "a6"]);
    await endJobs(6);
    expect(started).toEqual(["a1", "b1", "a2", "b2", "a3", "a4", "a5"]);
  });

  it("that is full of clients with one job each refuses one that had its turn, not a new client", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
      await send(`${name}1`, name);
      await endJobs(1);
    }
    await send("x1", "x");
    for (const name of ["b", "c", "d", "e", "f", "g"]) await send(`${name}2`, name);
    await send("y1", "y");
    expect(refused).toEqual(["g2"]);
    await endJobs(1);
    expect(started.at(-1)).toBe("y1");
  });

  it("refuses a job that waits too long, and neither starts it later nor ends a job in progress", async () => {
    for (const name of ["a1", "a2", "a3"]) await send(name, "a");
    endSleeps();
    await settle();
    expect(refused).toEqual(["a2", "a3"]);
    await endJobs(1);
    await send("a4", "a");
    expect(started).toEqual(["a1", "a4"]);
  });

  it("frees the place of a job that fails", async () => {
    const failed = queue.run(["a"], async () => {
      throw new Error("planted");
    });
    await expect(failed).rejects.toThrow("planted");
    await send("a1", "a");
    expect(started).toEqual(["a1"]);
  });
});

describe("C5-50 background work of a fair queue", () => {
  it("waits for the work of clients, without a limit of time, and has places of its own", async () => {
    await send("a1", "a");
    for (let i = 1; i <= 7; i++) await send(`job${i}`);
    expect(refused).toEqual(["job7"]);
    for (let i = 2; i <= 7; i++) await send(`a${i}`, "a");
    expect(refused).toEqual(["job7"]);
    await endJobs(6);
    expect(started).toEqual(["a1", "a2", "a3", "a4", "a5", "a6", "a7"]);
    endSleeps();
    await endJobs(6);
    expect(started.slice(7)).toEqual(["job1", "job2", "job3", "job4", "job5", "job6"]);
    expect(refused).toEqual(["job7"]);
  });

  it("is not stopped by clients who always have work: it starts after eight of their jobs", async () => {
    await send("a0", "a");
    await send("job1");
    await send("job2");
    for (let i = 1; i <= 18; i++) {
      await send(`a${i}`, "a");
      await endJobs(1);
    }
    expect(started.filter((name) => name.startsWith("job"))).toEqual(["job1", "job2"]);
    expect([started.indexOf("job1"), started.indexOf("job2")]).toEqual([9, 18]);
  });
});
