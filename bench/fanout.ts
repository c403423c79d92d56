import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startLiveService } from "../tests/support/security/startLiveService.ts";
import type { Arrivals, ClientsOrder } from "./fanoutClients.ts";
import { percentile } from "./percentile.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * `npm run bench -- fanout`: the time from a commit of the index to each of many WebSocket clients, compared with a
 * bare `ws` server that broadcasts the same bytes in the same run. Server and clients are separate processes. Rows are
 * written and notified as the indexer does it, and the time starts before the rows are sent to the database. `node
 * bench/fanout.ts [--load 2000x20] [--load 10000x2] [--seconds 10]` (clients x messages a second).
 */
const { values } = parseArgs({
  options: {
    load: { type: "string", multiple: true, default: ["2000x20", "10000x2"] },
    seconds: { type: "string", default: "10" },
  },
});
const aims: Record<string, number> = { "2000x20": 60, "10000x2": 250 };
const clientProcesses = 2;
const warmUpSeconds = 2;
const token = `0x${"a".repeat(40)}`;
const subscription = JSON.stringify({ type: "subscribe_live", channels: ["trades"], tokens: [token] });

type Outcome = { p50: number; p99: number; received: number; expected: number };

/** Starts the clients of a server in a few processes. */
async function startClients(order: ClientsOrder): Promise<ChildProcess[]> {
  const processes = Array.from({ length: clientProcesses }, () =>
    fork(new URL("./fanoutClients.ts", import.meta.url), { serialization: "advanced" }),
  );
  const joined = processes.map((child) => {
    child.send({ ...order, clients: order.clients / clientProcesses });
    return Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error("the clients could not join"))),
    ]);
  });
  await Promise.all(joined);
  return processes;
}

/** Sends messages at a rate to connected clients and measures the arrival of each message at each client. */
async function measure(
  clients: number,
  perSecond: number,
  processes: ChildProcess[],
  send: () => Promise<number>,
): Promise<Outcome> {
  const sentAt = new Map<number, number>();
  const total = (Number(values.seconds) + warmUpSeconds) * perSecond;
  const started = performance.now();
  for (let n = 0; n < total; n++) {
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, started + (n * 1_000) / perSecond - performance.now())),
    );
    const at = performance.timeOrigin + performance.now();
    const number = await send();
    if (n >= warmUpSeconds * perSecond) sentAt.set(number, at);
  }
  const delays: number[] = [];
  const expected = sentAt.size * clients;
  const deadline = performance.now() + 30_000;
  while (delays.length < expected && performance.now() < deadline) {
    for (const child of processes) {
      child.send("report");
      const [arrivals] = (await once(child, "message")) as [Arrivals];
      for (const { number, at } of arrivals) {
        const sent = sentAt.get(number);
        if (sent !== undefined) delays.push(at - sent);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const child of processes) child.kill();
  return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), received: delays.length, expected };
}

const service = await startLiveService();
const { key } = await service.createSubscriber();
const server = await startServerProcess({
  DATABASE_URL: service.databaseUrl,
  RPC_URL: "http://127.0.0.1:1",
  ROLES: "api",
  MAX_CONNECTIONS: "100000",
  // No indexer updates the status of this service's index.
  WS_RECHECK_MS: "600000",
});
process.stdout.write(
  `Fan-out over WebSocket; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n`,
);
const show = (name: string, { p50, p99, received, expected }: Outcome) =>
  process.stdout.write(
    `  ${name.padEnd(8)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${received} of ${expected} received\n`,
  );

for (const load of values.load) {
  const [clients, perSecond] = load.split("x").map(Number) as [number, number];
  process.stdout.write(`${clients} clients, ${perSecond} messages/s each\n`);
  const template = await serializeTrade();

  const bareServer = fork(new URL("./fanoutBare.ts", import.meta.url));
  const [{ port }] = (await once(bareServer, "message")) as [{ port: number }];
  let number = 0;
  const bareClients = await startClients({ port, path: "/", key, clients, subscription: null });
  const bare = await measure(clients, perSecond, bareClients, async () => {
    bareServer.send(template.replace(/0x[0-9a-f]{64}/g, `0x${(++number).toString(16).padStart(64, "0")}`));
    return number;
  });
  bareServer.kill();
  show("bare ws", bare);

  const order = { port: Number(new URL(server.siteUrl).port), path: "/ws", key, clients, subscription };
  const ours = await measure(clients, perSecond, await startClients(order), async () => {
    await service.publishTrades(token, 1);
    return service.published();
  });
  show("slipway", ours);
  const aim = aims[load];
  process.stdout.write(
    `ratio: p99 ${(ours.p99 / bare.p99).toFixed(2)} x the bare broadcast${aim === undefined ? "" : `; aim: p99 below ${aim} ms`}\n`,
  );
}
await server.stop();
await service.close();

/** Returns a trade's message in the server's format. */
async function serializeTrade(): Promise<string> {
  const socket = new WebSocket(`${server.siteUrl.replace("http", "ws")}/ws`, {
    headers: { authorization: `Bearer ${key}` },
  } as never);
  const trade = new Promise<string>((resolve) => {
    socket.onmessage = ({ data }) => {
      if (String(data).includes('"trade"')) resolve(String(data));
      else void service.publishTrades(token, 1);
    };
  });
  socket.onopen = () => socket.send(subscription);
  const text = await trade;
  socket.close();
  return text;
}
