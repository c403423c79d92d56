import { spawn } from "node:child_process";
import { join } from "node:path";

/** The benchmarks by name: the program, relative to this folder, and a description of the measurement. */
const benchmarks: Record<string, { program: string; measures: string }> = {
  index: { program: "index/run.ts", measures: "the backfill of 200 launches and 100,000 swaps, beside a bare floor" },
  peers: { program: "peers/install.ts", measures: "installs Ponder, which `index` then measures in the same run" },
  live: { program: "live.ts", measures: "from a mined block to its trade over REST, SSE and WebSocket" },
  fanout: { program: "fanout.ts", measures: "from a commit to 2,000 and 10,000 WebSocket clients" },
  http: { program: "http.ts", measures: "hot reads, beside bare node:http" },
  tx: { program: "tx.ts", measures: "unsigned transactions, beside the bare simulation" },
  burst: { program: "burst.ts", measures: "200 concurrent drafts on a busy machine" },
  seed: { program: "seed.ts", measures: "writes 10,000 tokens and 10 million trades for `query`" },
  query: { program: "query.ts", measures: "cold queries of the seeded database" },
  "real-day": { program: "realDay.ts", measures: "nothing: indexes a day of real swaps and compares it with its file" },
  engine: { program: "engine.ts", measures: "the history engine beside PostgreSQL: bytes a trade, pages, the copy" },
  history: { program: "history.ts", measures: "bytes a trade in PostgreSQL, and pages of 300 trades of a token" },
  catalogue: { program: "catalogue.ts", measures: "uploads and token pictures, beside the same work of sharp" },
  "catalogue-reads": { program: "catalogueReads.ts", measures: "gallery, businesses and directory at a million rows" },
  "market-reads": { program: "marketReads.ts", measures: "markets, bars and signals with and without their cache" },
  web: { program: "web.ts", measures: "the site in Chromium" },
  mail: { program: "mail.ts", measures: "1,000 alert mails over SMTP" },
  "risk-stream": { program: "riskStream.ts", measures: "10,000 WebSocket clients of /ws/risk" },
  processes: { program: "processes.ts", measures: "the CPU time of one and of two API processes on one host" },
  forecast: { program: "forecast.ts", measures: "forecasts, beside published results" },
  risk: { program: "risk.ts", measures: "risk figures, beside published results" },
  signals: { program: "signals.ts", measures: "strategies, beside published results" },
  growth: {
    program: "growth.ts",
    measures: "nothing: computes the machines of a large deployment from measured costs",
  },
  soak: { program: "soakMarkets.ts", measures: "the local stack for an hour while its exchange fails" },
};

const [name, ...options] = process.argv.slice(2);
const chosen = benchmarks[name ?? ""];
if (chosen === undefined) {
  const rows = Object.entries(benchmarks).map(([key, { measures }]) => `  ${key.padEnd(16)}${measures}\n`);
  process.stdout.write(`npm run bench -- NAME [options]; bench/README.md describes the options.\n\n${rows.join("")}`);
  process.exitCode = name === undefined || name === "--help" ? 0 : 64;
} else {
  const child = spawn(process.execPath, [join(import.meta.dirname, chosen.program), ...options], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 130;
  });
}
