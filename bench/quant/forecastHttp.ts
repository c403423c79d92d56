import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { bookCredits } from "@slipway/server/accounts/credits";
import { startLiveService } from "../../tests/support/security/startLiveService.ts";
import { percentile } from "../percentile.ts";
import { startServerProcess } from "../serverProcess.ts";
import type { Goal } from "./goals.ts";

/**
 * The lengths of the series. A forecast of the longest one takes more than a tenth of a second: measured separately,
 * without a goal.
 */
const lengths = [50, 168, 350, 700, 960];
const longest = 4_096;
const perSecond = 20;
const warmUpSeconds = 5;
const longestSeconds = 10;
/** One account can compute at most four forecasts at once. */
const accounts = 8;

type Body = { length: number; text: string };
type Answer = { length: number; status: number; ms: number };

/** Creates request bodies from the ends of series; repeats the short ones if a series is too short. */
function createBodies(series: readonly number[][], length: number): Body[] {
  return series.map((values) => {
    const all = values.length >= length ? values : Array.from({ length }, (_, i) => values[i % values.length]!);
    const horizon = Math.min(48, length);
    return {
      length,
      text: JSON.stringify({ series: all.slice(-length), prediction_length: horizon, interval: "HOUR_1" }),
    };
  });
}

/**
 * Measures the HTTP latency of forecasts with new series at a constant rate, from the moment at which each request is
 * due: requests do not wait for earlier ones. The server, its thread pool and its database are real; the server is a
 * separate process.
 *
 * @param series - Hourly values for the requests.
 * @param seconds - The duration of the evaluated part.
 */
export async function measureForecastHttp(series: readonly number[][], seconds: number): Promise<Goal[]> {
  const service = await startLiveService();
  const server = await startServerProcess({
    DATABASE_URL: service.databaseUrl,
    RPC_URL: "http://127.0.0.1:1",
    ROLES: "api",
    LOG_LEVEL: "fatal",
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const port = Number(new URL(server.siteUrl).port);
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) {
    const { id, key } = await service.createSubscriber();
    const grant = {
      accountId: id,
      kind: "grant",
      amount: 1_000_000,
      reason: "bench",
      requestId: randomUUID(),
    } as const;
    await bookCredits(service.db.api, grant);
    keys.push(key);
  }

  const send = (n: number, { length, text }: Body, dueAt: number) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${keys[n % accounts]}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      };
      const options = { host: "127.0.0.1", port, agent, method: "POST", path: "/api/forecast/line", headers };
      const sent = request(options, (response) => {
        response.resume();
        response.on("end", () => resolve({ length, status: response.statusCode!, ms: performance.now() - dueAt }));
      });
      sent.on("error", reject);
      sent.end(text);
    });

  /** Sends bodies in order, each when it is due. */
  const sendAll = async (bodies: readonly Body[], duration: number): Promise<Answer[]> => {
    const answers: Promise<Answer>[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < duration * perSecond; n++) {
      const dueAt = startedAt + (1_000 * n) / perSecond;
      const wait = dueAt - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      answers.push(send(n, bodies[n % bodies.length]!, dueAt));
    }
    return await Promise.all(answers);
  };
  const readCpuMs = async () => {
    const text = await (await fetch(`${server.siteUrl}/metrics`)).text();
    return 1_000 * Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  };

  try {
    const byLength = lengths.map((length) => createBodies(series, length));
    // Uses the lengths in turn, each time with another series.
    const mixed = series.flatMap((_, i) => byLength.map((bodies) => bodies[i]!));
    await sendAll(mixed, warmUpSeconds);
    const before = await readCpuMs();
    const judged = await sendAll(mixed, seconds);
    const cpuMs = ((await readCpuMs()) - before) / judged.length;
    const long = await sendAll(createBodies(series, longest), longestSeconds);
    const ms = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).map((one) => one.ms);
    const p = (share: number, answers: readonly Answer[] = judged) => percentile(ms(answers), share);
    const failures = (answers: readonly Answer[]) => answers.length - ms(answers).length;
    return [
      { name: `HTTP at ${perSecond}/s: forecasts of ${lengths.join(", ")} values`, value: judged.length },
      { name: "HTTP: failures", value: failures(judged), high: 0 },
      { name: "HTTP: p50 ms", value: p(0.5) },
      { name: "HTTP: p95 ms", value: p(0.95), high: 80 },
      { name: "HTTP: p99 ms", value: p(0.99) },
      ...lengths.map((length): Goal => {
        const own = judged.filter((answer) => answer.length === length);
        return { name: `HTTP: p95 ms of ${length} values`, value: p(0.95, own) };
      }),
      { name: "HTTP: CPU ms of the server a forecast", value: cpuMs },
      { name: `HTTP: p95 ms of ${longest} values alone`, value: p(0.95, long) },
      { name: `HTTP: failures of ${longest} values alone`, value: failures(long) },
    ];
  } finally {
    agent.destroy();
    await server.stop();
    await service.close();
  }
}
