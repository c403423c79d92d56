import { SlipwayError } from "@slipway/protocol/errors";
import type { Clock } from "../clock.ts";

export type FairQueue = {
  /**
   * Runs work when one of the places is free. Clients take turns: the work of a client waits for work in progress and for
   * the turns of other clients, not for all work that other clients sent earlier.
   *
   * @param clients - The names that the work counts for, such as an address and an account, because one client may have
   *   many of either. Empty for background work, which waits for the work of clients.
   * @throws SlipwayError `overloaded`: too much work waits, or the work of a client waited too long.
   */
  run<Result>(clients: readonly string[], work: () => Promise<Result>): Promise<Result>;
};

type Job = { clients: readonly string[]; start: () => void; refuse: (reason: SlipwayError) => void };

/** While background work waits, at most this number of jobs of clients start in a row: clients cannot stop it. */
const maxStartsInARow = 8;
/** The number of clients whose last start is known. A client that is not among them counts as new. */
const maxKnownClients = 1_000;

/**
 * Creates a queue in which the client whose last start is the oldest is next, and a new client before all others.
 *
 * @param options.places - The number of jobs that run concurrently.
 * @param options.maxWaiting - The maximum waiting jobs of all clients, and of background work. Above it, the job that
 *   would start last is refused, which is the last job of the client with the most waiting jobs.
 * @param options.maxWaitMs - The maximum wait of a client's job.
 * @param options.refusal - The message of a refusal.
 */
export function createFairQueue(options: {
  clock: Pick<Clock, "sleep">;
  places: number;
  maxWaiting: number;
  maxWaitMs: number;
  refusal: string;
}): FairQueue {
  /** Waiting jobs in the order of their arrival. */
  const waiting: Job[] = [];
  const background: Job[] = [];
  let running = 0;
  let startsInARow = 0;
  const lastStarts = createLastStarts();

  const refuse = (jobs: Job[], job: Job) => {
    if (remove(jobs, job)) job.refuse(new SlipwayError("overloaded", options.refusal));
  };

  const wait = async (clients: readonly string[]): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const job = { clients, start: resolve, refuse: reject };
    const jobs = clients.length === 0 ? background : waiting;
    jobs.push(job);
    if (jobs.length > options.maxWaiting) refuse(jobs, sortByTurn(jobs, lastStarts.get).at(-1)!);
    if (jobs === background) return await promise;
    const done = new AbortController();
    options.clock.sleep(options.maxWaitMs, done.signal).then(
      () => refuse(jobs, job),
      () => undefined,
    );
    try {
      await promise;
    } finally {
      done.abort();
    }
  };

  const takeNext = (): Job | undefined => {
    const [first] = sortByTurn(waiting, lastStarts.get);
    const job = startsInARow < maxStartsInARow ? (first ?? background[0]) : (background[0] ?? first);
    if (job !== undefined) remove(job === first ? waiting : background, job);
    return job;
  };

  const countStart = (clients: readonly string[]) => {
    startsInARow = clients.length === 0 || background.length === 0 ? 0 : startsInARow + 1;
    for (const client of clients) lastStarts.add(client);
  };

  return {
    run: async (clients, work) => {
      if (running < options.places) {
        running++;
        countStart(clients);
      } else {
        await wait(clients);
      }
      try {
        return await work();
      } finally {
        // The place passes to the next job, so that no job that arrives now overtakes it.
        const next = takeNext();
        if (next === undefined) {
          running--;
        } else {
          countStart(next.clients);
          next.start();
        }
      }
    },
  };
}

/**
 * Sorts waiting jobs by their start: first the first job of each client, then the second of each, and so on. Clients with
 * equally many jobs before are sorted by their last start, then by arrival. A job with several names has the latest turn of
 * its names.
 */
function sortByTurn(jobs: readonly Job[], getLastStart: (client: string) => number): Job[] {
  const before = new Map<string, number>();
  const turns = jobs.map((job) => {
    const turn = Math.max(0, ...job.clients.map((client) => before.get(client) ?? 0));
    for (const client of job.clients) before.set(client, (before.get(client) ?? 0) + 1);
    return { job, turn, lastStart: Math.max(0, ...job.clients.map(getLastStart)) };
  });
  return turns.toSorted((one, other) => one.turn - other.turn || one.lastStart - other.lastStart).map(({ job }) => job);
}

/** Numbers the starts of clients from 1; 0 is a client that is new or forgotten. */
function createLastStarts() {
  let starts = 0;
  const numbers = new Map<string, number>();
  return {
    get: (client: string) => numbers.get(client) ?? 0,
    add: (client: string) => {
      numbers.delete(client);
      numbers.set(client, ++starts);
      if (numbers.size > maxKnownClients) numbers.delete(numbers.keys().next().value!);
    },
  };
}

function remove(jobs: Job[], job: Job): boolean {
  const index = jobs.indexOf(job);
  if (index !== -1) jobs.splice(index, 1);
  return index !== -1;
}
