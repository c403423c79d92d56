import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { barFaults, type ExchangeFault, requestFaults, streamFaults } from "@slipway/dev/exchange/exchangeFault";
import { readChildren } from "@slipway/dev/process/childRecords";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { startStack } from "@slipway/dev/startStack";
import { Client } from "pg";
import { listProcesses } from "./index/processUsage.ts";
import { createChecks, type PairState, pairs } from "./soakChecks.ts";

/**
 * `npm run bench -- soak [-- --minutes 60] [--only html,missing]`: runs the local stack while its exchange fails in
 * every way, one fault after the other, with a healthy time after each. Prints every change of a market's state. Exit
 * code 1 if an invariant is violated: prices equal the exchange's prices or are missing, old prices are marked stale
 * and then withheld, no bar stays missing, no answer is an error other than a 503 with its code, and no process ends or
 * grows.
 *
 * Two pairs have no trading from 2 and 6 hours before the next full hour on: one then becomes stale, the other
 * unavailable.
 */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, only: { type: "string" } },
});
const minutes = Number(values.minutes);
const pollMs = 3_000;
const leastSlotSeconds = 45;
/**
 * The share of a fault's time in which the fault is on; and the maximum time without requests to an exchange after it.
 */
const faultShare = 0.55;
const maxBackOffSeconds = 240;
/** The time within which repairs request missing bars again. */
const repairSeconds = 8 * 60;
/** The maximum growth of a process's memory since its first samples after the start, as a factor and in MB. */
const maxGrowth = 1.3;
const leastGrowthMb = 100;
const warmUpSamples = 5;

/** Further problems are counted but not shown. */
const maxProblems = 100;
const statuses = [429, 418, 403, 500, 503];
const allFaults: ExchangeFault[] = [
  // Faults that need repairs come first, because repairs take minutes.
  ...barFaults.map((kind) => ({ kind })),
  ...requestFaults.map((kind) => ({ kind })),
  ...statuses.map((status) => ({ kind: "status" as const, status })),
  ...streamFaults.map((kind) => ({ kind })),
];
const getName = (fault: ExchangeFault | null) =>
  fault === null ? "none" : fault.kind === "status" ? `status ${fault.status}` : fault.kind;
const only = values.only?.split(",");
const wanted = allFaults.filter((fault) => only === undefined || only.includes(getName(fault).replace(" ", "_")));

const problems = new Map<string, number>();
const startedAt = Math.floor(Date.now() / 1000);
const toClock = (seconds: number | null) =>
  seconds === null ? "-" : new Date(seconds * 1000).toISOString().slice(11, 19);
let faultName = "start";
const print = (text: string) => process.stdout.write(`${text}\n`);
const log = (text: string) => print(`${toClock(Math.floor(Date.now() / 1000))}  ${faultName.padEnd(18)}${text}`);
const report = (problem: string) => {
  if (!problems.has(problem) && problems.size < maxProblems) log(`WRONG  ${problem}`);
  problems.set(problem, (problems.get(problem) ?? 0) + 1);
};

const nextHour = Math.ceil(startedAt / 3600) * 3600;
const endsAt = startedAt + minutes * 60;
const tailSeconds = Math.min(repairSeconds, minutes * 5);
/** The pairs without trading, and the start of the halt; trading resumes some minutes after the full hour. */
const halts = new Map([
  ["XRP_USDT", nextHour - 6 * 3600],
  ["DOGE_USDT", nextHour - 2 * 3600],
]);
const resumeAt = nextHour + 180;
const hasFullHour = resumeAt + 60 < endsAt - tailSeconds / 2;

const folder = temporaryFolder();
const stack = await startStack({ dir: folder.path, exchange: { halted: Object.fromEntries(halts) } });
const exchange = stack.exchange!;
const database = new Client({ connectionString: stack.databaseUrl });
await database.connect();
const checks = createChecks(stack, exchange, startedAt, report);
let serverPid = stack.serverPid();
stack.failed.then((error) => report(`a part of the stack ended: ${error.message}`)).catch(() => undefined);

/**
 * Returns the memory of a process of the stack and its children, in MB; shared pages are divided among the processes.
 */
function readMemory(): Map<string, number> {
  const parents = listProcesses();
  const listTree = (pid: number): number[] => [
    pid,
    ...parents.filter((one) => one.parent === pid).flatMap((one) => listTree(one.pid)),
  ];
  const getPss = (pid: number): number => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  };
  return new Map(
    readChildren(folder.path).map(({ name, pid }) => [name, listTree(pid).reduce((sum, one) => sum + getPss(one), 0)]),
  );
}

const samples: Map<string, number>[] = [];
let states = new Map<string, PairState>();
let sampledAt = 0;
let exchangeState = "";
const transitions = new Map<string, string[]>();

const describe = (state: PairState) => {
  const minutesBehind = state.lastMinute === null ? null : Math.floor((Date.now() / 1000 - state.lastMinute) / 60) - 1;
  return {
    // The compared state: the progress of a clock is not a change.
    key: [
      state.status,
      state.reason,
      state.missing.length === 0,
      Math.min(2, minutesBehind ?? 9),
      state.gaps30d,
    ].join(),
    text:
      `${state.status.padEnd(12)}${(state.reason ?? "").padEnd(12)}hour ${toClock(state.lastHour)}  ` +
      `minute ${toClock(state.lastMinute)}  missing ${String(state.missing.length).padEnd(4)}` +
      `gaps_30d ${state.gaps30d ?? "-"}  ${state.source}`,
  };
};

/** Runs one round of all checks; logs the changes. */
async function poll(): Promise<void> {
  const next = await checks.readStates(halts);
  for (const [pair, state] of next) {
    const earlier = states.get(pair);
    const now = describe(state);
    if (earlier === undefined || describe(earlier).key !== now.key || earlier.lastHour !== state.lastHour) {
      log(`${pair.padEnd(10)}${now.text}`);
    }
    if (earlier?.status !== state.status) transitions.set(pair, [...(transitions.get(pair) ?? []), state.status]);
  }
  states = next;
  await checks.checkDerived(states);
  const { rows } = await database.query("select error, failures from app.market_exchanges");
  const text = rows
    .map(({ error, failures }) => (error === null ? "answers" : `${error}, ${failures} failures`))
    .join();
  if (text !== exchangeState) log(`exchange  ${text}`);
  exchangeState = text;
  if (stack.serverPid() !== serverPid) {
    serverPid = stack.serverPid();
    report("the server ended and was started again");
  }
  if (Date.now() - sampledAt > 60_000) {
    sampledAt = Date.now();
    samples.push(readMemory());
  }
}

const isWhole = () =>
  states.size === pairs.length &&
  exchangeState === "answers" &&
  [...states].every(([pair, { lastMinute, missing }]) => {
    const until = Math.min(Date.now() / 1000, halts.get(pair) ?? Number.POSITIVE_INFINITY);
    return missing.length === 0 && lastMinute !== null && until - lastMinute < 180;
  });

/** Polls until a time, or a condition. @returns whether the condition was met */
async function pollUntil(until: number, condition: () => boolean = () => false): Promise<boolean> {
  while (Date.now() / 1000 < until) {
    if (halts.size > 0 && Date.now() / 1000 >= resumeAt) {
      for (const pair of halts.keys()) exchange.halt(pair, null);
      halts.clear();
      log("the two halted pairs are traded again");
    }
    const began = Date.now();
    await poll();
    if (condition()) return true;
    await sleep(Math.max(0, pollMs - (Date.now() - began)));
  }
  return false;
}

print(`time      fault             pair      state`);
if (!(await pollUntil(startedAt + 420, isWhole))) report("the first bars were not stored within seven minutes");
const endRisk = checks.watchRisk("BTC_USDT");
const left = endsAt - tailSeconds - Date.now() / 1000;
const count = Math.max(1, Math.min(wanted.length, Math.floor(left / leastSlotSeconds)));
const slot = left / count;
const chosen = wanted.filter(
  (_, at) => Math.floor((at * count) / wanted.length) !== Math.floor(((at - 1) * count) / wanted.length),
);
log(`${chosen.length} of ${wanted.length} faults, ${slot.toFixed(0)} s each: ${chosen.map(getName).join(", ")}`);

const summary: { name: string; seconds: number; recovered: number | null; counted: string }[] = [];
let metrics = await checks.readMetrics();
for (const fault of chosen) {
  const began = Date.now() / 1000;
  faultName = getName(fault);
  exchange.setFault(fault);
  log("on");
  await pollUntil(began + slot * faultShare);
  exchange.setFault(null);
  const offAt = Date.now() / 1000;
  faultName = `after ${getName(fault)}`.slice(0, 17);
  log("off");
  // Skipped bars are requested again minutes later.
  const isAnswering = () =>
    exchangeState === "answers" &&
    [...states].every(([pair, { lastMinute }]) => halts.has(pair) || Date.now() / 1000 - (lastMinute ?? 0) < 180);
  const isBack = await pollUntil(offAt + maxBackOffSeconds, isAnswering);
  const recovered = isBack ? Date.now() / 1000 - offAt : null;
  if (!isBack) report(`after ${getName(fault)}: no current bars ${maxBackOffSeconds} s later`);
  await pollUntil(began + slot);
  const now = await checks.readMetrics();
  const counted = [...now].map(([name, value]) => [name, value - (metrics.get(name) ?? 0)] as const);
  metrics = now;
  const text = counted.filter(([, value]) => value > 0).map(([name, value]) => `${toLabel(name)} ${value}`);
  summary.push({ name: getName(fault), seconds: offAt - began, recovered, counted: text.join(", ") });
}

/** `market_requests_total{exchange="binance",outcome="answered"}`: `requests answered`. */
function toLabel(name: string): string {
  const [, kind, label] = /^market_(\w+)_total\{.*(?:outcome|fault)="(\w+)"/.exec(name) ?? [];
  return `${kind} ${label}`.replaceAll("_", " ");
}

faultName = "none";
if (!(await pollUntil(Math.max(endsAt, Date.now() / 1000 + tailSeconds), isWhole))) {
  for (const [pair, { missing }] of states) {
    if (missing.length > 0)
      report(`${pair}: ${missing.length} bars are missing at the end: ${missing.map(toClock).join()}`);
  }
  if (!isWhole()) report("not every market was complete at the end");
}
endRisk();
samples.push(readMemory());
if (hasFullHour) {
  const expected = { XRP_USDT: ["stale", "unavailable", "fresh"], DOGE_USDT: ["fresh", "stale", "fresh"] };
  for (const [pair, states] of Object.entries(expected)) {
    const found = transitions.get(pair)?.filter((status, at, all) => status !== all[at - 1]) ?? [];
    if (found.slice(-3).join() !== states.join())
      report(`${pair} was ${found.join(", ")}; it must be ${states.join(", ")}`);
  }
}

print(`\nfault               on for  current again after  counted meanwhile`);
for (const { name, seconds, recovered, counted } of summary) {
  const after = recovered === null ? "never" : `${recovered.toFixed(0)} s`;
  print(`${name.padEnd(20)}${`${seconds.toFixed(0)} s`.padStart(6)}${after.padStart(21)}  ${counted}`);
}
const { seen } = checks;
print(
  `\n${((Date.now() / 1000 - startedAt) / 60).toFixed(1)} minutes: ${seen.requests} requests (${seen.unavailable} answered ` +
    `503 with a code), ${seen.bars} bars and ${seen.signals} signals equal to the exchange's, ${seen.messages} messages of ` +
    `WS /ws/risk, at most ${seen.longestSilence.toFixed(1)} s between two.`,
);
print(`states: ${[...transitions].map(([pair, states]) => `${pair} ${states.join(" > ")}`).join("; ")}`);
if (!hasFullHour) print("No full hour was within this run: stale and unavailable were not reached.");
print(`\nmemory, MB          start  after warm-up     end`);
for (const name of samples[0]!.keys()) {
  const series = samples.map((sample) => sample.get(name) ?? 0);
  const settled = Math.min(...series.slice(Math.min(warmUpSamples, series.length - 1), warmUpSamples + 5));
  const end = Math.min(...series.slice(-5));
  const isJudged = series.length > 4 * warmUpSamples;
  print(`${name.padEnd(16)}${[series[0]!, settled, series.at(-1)!].map((mb) => mb.toFixed(0).padStart(9)).join("")}`);
  if (isJudged && end > Math.max(settled * maxGrowth, settled + leastGrowthMb)) {
    report(`${name} grew from ${settled.toFixed(0)} to ${end.toFixed(0)} MB`);
  }
}
await database.end();
await stack.stop();
folder.remove();
for (const [problem, times] of [...problems].slice(0, maxProblems)) print(`WRONG ${times} times: ${problem}`);
print(problems.size === 0 ? "\nAll invariants hold." : `\n${problems.size} invariants are violated.`);
process.exit(problems.size === 0 ? 0 : 1);
