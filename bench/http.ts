import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { load } from "./httpLoad.ts";
import type { ServerOrder } from "./httpServer.ts";
import { percentile } from "./percentile.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seededAddress } from "./seedModel.ts";

/**
 * Hot reads: the whole server with its rate limits against a bare node:http server that sends the same headers and
 * bytes, each in its own process, in turns, from one client. A ratio is the median of the ratios of the rounds, because
 * other load on the machine changes more slowly. `node bench/http.ts [--tokens 1000] [--trades 200000] [--rounds 20]
 * [--seconds 0.5] [--dir <folder>]`.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "1000" },
    trades: { type: "string", default: "200000" },
    rounds: { type: "string", default: "20" },
    seconds: { type: "string", default: "0.5" },
    connections: { type: "string", default: "32" },
    dir: { type: "string", default: ".cache/bench-database" },
  },
});
const target = 0.85;
/** The time until a server's code is compiled, also on a busy machine. */
const warmUpMs = 3_000;
const root = "/api/v1/launchpad";
const paths = {
  "GET /tokens": `${root}/tokens`,
  "GET /tokens/{address}/candles": `${root}/tokens/${seededAddress(1)}/candles`,
  "GET /tokens/{address}": `${root}/tokens/${seededAddress(1)}`,
};

type Answers = Extract<ServerOrder, { kind: "bare" }>["answers"];

/** Headers that node:http writes itself. */
const nodeHeaders = new Set(["date", "connection", "keep-alive"]);

type Server = { child: ChildProcess; port: number };

/** Returns the next message of a server; throws if the server ends first. */
async function receiveMessage<T>(child: ChildProcess): Promise<T> {
  const received = new AbortController();
  try {
    const ended = once(child, "exit", { signal: received.signal }).then(([code]) => {
      throw new Error(`a server ended with ${code}`);
    });
    ended.catch(() => undefined);
    const [message] = await Promise.race([once(child, "message", { signal: received.signal }), ended]);
    return message as T;
  } finally {
    received.abort();
  }
}

async function start(order: ServerOrder): Promise<Server> {
  const child = fork(new URL("./httpServer.ts", import.meta.url), { stdio: "inherit" });
  child.send(order);
  return { child, port: (await receiveMessage<{ port: number }>(child)).port };
}

async function cpuMicros({ child }: Server): Promise<number> {
  child.send("cpu");
  return (await receiveMessage<{ cpuMicros: number }>(child)).cpuMicros;
}

/** Headers whose values differ from response to response. */
const volatileHeaders = new Set(["date", "x-request-id"]);

type Answer = { headers: [name: string, value: string][]; body: Buffer };

async function getAnswer({ port }: Server, path: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return { headers: [...answer.headers], body: Buffer.from(await answer.arrayBuffer()) };
}

/** @throws Error when the two servers do not send the same headers and bytes, except the request's id and date. */
async function requireSameAnswer(path: string): Promise<void> {
  const [expected, actual] = await Promise.all([getAnswer(servers.slipway, path), getAnswer(servers.bare, path)]);
  const comparable = ({ headers }: Answer) =>
    JSON.stringify(headers.map(([name, value]) => [name, volatileHeaders.has(name) ? value.length : value]));
  if (comparable(actual) !== comparable(expected)) throw new Error(`${path}: the bare server sends other headers`);
  if (!actual.body.equals(expected.body)) throw new Error(`${path}: the bare server sends another body`);
}

const median = (numbers: number[]) => percentile(numbers, 0.5);

const database = await startSeededDatabase(values.dir, {
  tokens: Number(values.tokens),
  trades: Number(values.trades),
});
const slipway = await start({ kind: "slipway", databaseUrl: database.url });
const answers: Answers = {};
for (const path of Object.values(paths)) {
  // The framework sends the first answer, the hot path the next ones.
  await getAnswer(slipway, path);
  const { headers, body } = await getAnswer(slipway, path);
  const sent = Object.fromEntries(headers.filter(([name]) => !nodeHeaders.has(name)));
  answers[path] = { body: body.toString("base64"), headers: sent };
}
const servers = { slipway, bare: await start({ kind: "bare", answers }) };
for (const path of Object.values(paths)) await requireSameAnswer(path);
type Kind = keyof typeof servers;
const kinds = Object.keys(servers) as Kind[];

process.stdout.write(
  `Hot reads, ${values.connections} connections; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n`,
);
const milliseconds = Number(values.seconds) * 1000;
const connections = Number(values.connections);
for (const [name, path] of Object.entries(paths)) {
  const of = () => Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  const rates = of();
  const costs = of();
  const p99s = of();
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const before = await cpuMicros(servers[kind]);
      const result = await load(servers[kind].port, path, connections, round < 0 ? warmUpMs : milliseconds);
      const used = (await cpuMicros(servers[kind])) - before;
      if (round < 0) continue;
      rates[kind].push(result.requests / result.seconds);
      costs[kind].push(used / result.requests);
      p99s[kind].push(result.p99Ms);
    }
  }
  const kilobytes = Buffer.from(answers[path]!.body, "base64").length / 1024;
  process.stdout.write(`${name}, ${kilobytes.toFixed(1)} kB\n`);
  for (const kind of kinds) {
    const rate = median(rates[kind]);
    const cost = median(costs[kind]);
    const p99 = median(p99s[kind]);
    process.stdout.write(
      `  ${kind.padEnd(20)}${rate.toFixed(0).padStart(7)}/s${cost.toFixed(1).padStart(8)} us CPU each, p99 ${p99.toFixed(1)} ms\n`,
    );
  }
  const byRequests = median(rates.slipway.map((rate, round) => rate / rates.bare[round]!));
  const byCpu = median(costs.slipway.map((cost, round) => costs.bare[round]! / cost));
  process.stdout.write(
    `ratio: ${byRequests.toFixed(2)} of bare by requests, ${byCpu.toFixed(2)} by CPU; target ${target}\n`,
  );
}
for (const { child } of Object.values(servers)) child.kill();
await database.stop();
process.exit(0);
