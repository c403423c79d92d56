import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { percentile } from "../percentile.ts";
import { createFaults } from "./failures/faults.ts";
import { localHosts } from "./failures/hosts.ts";
import { measureFault } from "./failures/measure.ts";
import { sampleProcesses } from "./failures/sampleProcesses.ts";
import { startDeployment } from "./failures/startDeployment.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";

export const description = "the faults of `failures` in turn for 90 minutes, and memory, handles and lag at the end";

/** The time without a fault after each fault. */
const healthyMs = 20_000;
/** The maximum growth of the lag from the first to the last third of the run. */
const maxLagGrowth = 1.5;
const minLagGrowthMs = 500;
/** The drafts of this load; an account can have 1,000. */
const draftsPerMinute = 150;
const draftsPerAccount = 500;

/** `npm run drill -- soak [--minutes 90] [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  const { values } = parseArgs({
    args: options,
    options: { minutes: { type: "string", default: "90" }, keep: { type: "boolean", default: false } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error("--minutes must be a positive number");
  const createHosts = async () => localHosts;
  const accounts = Math.ceil((minutes * draftsPerMinute) / draftsPerAccount);
  const deployment = await startDeployment({ createHosts, keepsLogs: values.keep, load: 0.5, accounts, signal });
  const { service, clients, load, trader } = deployment;
  try {
    const services = [...service.apis, ...service.indexers, service.worker, ...service.balancers];
    const sampler = sampleProcesses(services.map(({ program }) => program));
    const faults = createFaults(deployment.database, service);
    const startedAtMs = clients.now();
    const endsAtMs = startedAtMs + minutes * 60_000;
    const problems: string[] = [];
    /** The periods without a fault, in which the lag is measured. */
    const healthy: { fromMs: number; untilMs: number }[] = [];
    let injected = 0;
    while (clients.now() < endsAtMs) {
      const fromMs = clients.now();
      await sleep(healthyMs, undefined, { signal });
      healthy.push({ fromMs, untilMs: clients.now() });
      const fault = faults[injected++ % faults.length]!;
      const { missed } = await measureFault(fault, { ...deployment, signal });
      const passed = ((clients.now() - startedAtMs) / 60_000).toFixed(0);
      process.stdout.write(`${passed.padStart(4)} min  ${fault.name.padEnd(10)}${missed.join("; ") || "ok"}\n`);
      problems.push(...missed.map((text) => `${fault.name}: ${text}`));
    }
    await load.stopRequests();
    await trader.stop();
    const truth = await verifyTruth({ ...deployment, signal });
    const usage = sampler.stop();
    for (const line of usage.lines) process.stdout.write(`${line}\n`);

    /** The times from a block to its trade on the first stream, by the time of the block. */
    const lags = [...trader.minedAtMs]
      .filter(([, atMs]) => healthy.some(({ fromMs, untilMs }) => atMs > fromMs && atMs < untilMs))
      .flatMap(([hash]) => load.streams[0]!.lagMs.get(hash) ?? []);
    const third = Math.floor(lags.length / 3);
    const [first, last] = [percentile(lags.slice(0, third), 0.9), percentile(lags.slice(-third), 0.9)];
    if (last > first * maxLagGrowth && last - first > minLagGrowthMs) problems.push("the lag of a stream grew");
    process.stdout.write(
      `${injected} faults in ${values.minutes} minutes; lag of a stream without a fault, p90: ${first.toFixed(0)} -> ${last.toFixed(0)} ms; ` +
        `${truth.trades} trades, ${truth.drafts} acknowledged drafts, ${clients.records.length} requests\n`,
    );
    problems.push(...truth.problems, ...usage.problems);
    for (const text of problems) process.stdout.write(`MISSED ${text}\n`);
    return problems.length === 0;
  } finally {
    await deployment.stop();
  }
}
