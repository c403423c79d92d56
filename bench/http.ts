import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { load } from "./httpLoad.ts";
import type { ServerOrder } from "./httpServer.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seededAddress } from "./seedModel.ts";

/**
 * Hot reads: the whole server against a bare node:http that sends the same bytes, each in a process of its own, in
 * turns, from one client. `node bench/http.ts [--tokens 1000] [--trades 200000] [--rounds 5] [--seconds 2]
 * [--dir <folder>]`.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "1000" },
    trades: { type: "string", default: "200000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "32" },
    dir: { type: "string", default: ".cache/bench-database" },
  },
});
const aim = 0.8;
const root = "/api/v1/launchpad";
const paths = {
  "GET /tokens": `${root}/tokens`,
  "GET /tokens/{address}/candles": `${root}/tokens/${seededAddress(1)}/candles`,
  "GET /tokens/{address}": `${root}/tokens/${seededAddress(1)}`,
};

type Server = { child: ChildProcess; port: number };

/** The next message of a server; an error when it ends instead. */
async function messageOf<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  try {
    const ended = once(child, "exit", { signal: heard.signal }).then(([code]) => {
      throw new Error(`a server ended with ${code}`);
    });
    ended.catch(() => undefined);
    const [message] = await Promise.race([once(child, "message", { signal: heard.signal }), ended]);
    return message as T;
  } finally {
    heard.abort();
  }
}

async function start(order: ServerOrder): Promise<Server> {
  const child = fork(new URL("./httpServer.ts", import.meta.url), { stdio: "inherit" });
  child.send(order);
  return { child, port: (await messageOf<{ port: number }>(child)).port };
}

async function cpuMicros({ child }: Server): Promise<number> {
  child.send("cpu");
  return (await messageOf<{ cpuMicros: number }>(child)).cpuMicros;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const database = await startSeededDatabase(values.dir, {
  tokens: Number(values.tokens),
  trades: Number(values.trades),
});
const slipway = await start({ kind: "slipway", databaseUrl: database.url });
const answers: Record<string, string> = {};
for (const path of Object.values(paths)) {
  const answer = await fetch(`http://127.0.0.1:${slipway.port}${path}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  answers[path] = Buffer.from(await answer.arrayBuffer()).toString("base64");
}
const bare = await start({ kind: "bare", answers });

process.stdout.write(
  `Hot reads, ${values.connections} connections; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n`,
);
const milliseconds = Number(values.seconds) * 1000;
const connections = Number(values.connections);
for (const [name, path] of Object.entries(paths)) {
  const seen = { slipway: [] as number[], bare: [] as number[] };
  const cost = { slipway: [] as number[], bare: [] as number[] };
  let p99 = 0;
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const [kind, server] of [
      ["bare", bare],
      ["slipway", slipway],
    ] as const) {
      const before = await cpuMicros(server);
      const result = await load(server.port, path, connections, round < 0 ? 500 : milliseconds);
      const used = (await cpuMicros(server)) - before;
      if (round < 0) continue;
      seen[kind].push(result.requests / result.seconds);
      cost[kind].push(used / result.requests);
      if (kind === "slipway") p99 = Math.max(p99, result.p99Ms);
    }
  }
  const [ours, theirs] = [median(seen.slipway), median(seen.bare)];
  const [ourCost, theirCost] = [median(cost.slipway), median(cost.bare)];
  process.stdout.write(
    `${name.padEnd(32)} ${(Buffer.from(answers[path]!, "base64").length / 1024).toFixed(1)} kB   ` +
      `slipway ${ours.toFixed(0)}/s (${ourCost.toFixed(1)} us CPU each, worst p99 ${p99.toFixed(1)} ms)   ` +
      `bare ${theirs.toFixed(0)}/s (${theirCost.toFixed(1)} us CPU)\n` +
      `ratio: ${(ours / theirs).toFixed(2)} of bare node:http by requests, ${(theirCost / ourCost).toFixed(2)} by CPU; aim ${aim}\n`,
  );
}
slipway.child.kill();
bare.child.kill();
await database.stop();
process.exit(0);
