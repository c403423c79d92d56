import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startReadModel } from "@slipway/server/cache/startReadModel";
import pg from "pg";
import { seedCatalogue } from "./catalogueSeed.ts";
import { percentile } from "./percentile.ts";
import { createBenchApp } from "./queryApp.ts";
import { forgetPages } from "./queryCold.ts";
import { getPlans, pagesTouched } from "./queryPlan.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seedRandom } from "./seedRandom.ts";

/**
 * Gallery, businesses, directory and token searches at a million rows each: uncached requests through the server's own
 * stack, one at a time, and cached requests compared with the token list. `node bench/catalogueReads.ts [--rows
 * 1000000] [--requests 300] [--dir <folder>] [--cold] [--only <text>]`. `pages` is the number of pages that the
 * statements of one request touch. `--cold` removes the database's pages from memory before each kind of request. Exit
 * code 1 if the p99 of an uncached kind is above 25 ms. Tokens have no goal here, and neither do searches with
 * thousands of matches, because their cost grows with the matches. The folder keeps the seeded database.
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    requests: { type: "string", default: "300" },
    dir: { type: "string", default: ".cache/bench-database" },
    cold: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const aimMs = 25;
const hasAim = (kind: string) => !kind.startsWith("tokens") && !kind.includes("wide");
const rows = Number(values.rows);
const requests = Number(values.requests);
const random = seedRandom(11);
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
const anyPlace = () => `${(random() * 160 - 80).toFixed(3)},${(random() * 340 - 170).toFixed(3)}`;
const anyLetter = () => String.fromCharCode(97 + Math.floor(random() * 26));
/** Three digits, which occur in some thousands of the names and addresses. */
const anyDigits = () => 100 + Math.floor(random() * 900);
const anyNumber = () => 1 + Math.floor(random() * rows);

const database = await startSeededDatabase(values.dir, { tokens: rows, trades: Math.min(rows, 200_000) });
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
// `end` does not wait until the connections close, and the database's stop ends connections that are still open.
pool.on("error", () => undefined);
await seedCatalogue(pool, rows);
const env = { SITE_URL: "https://site.example", PARTNER_A_URL: "https://partner.example/feed" };
const uncached = await createBenchApp(database.url, { ...env, READ_CACHE_BYTES: "0" });

type Bench = typeof uncached;
const ask = async ({ app }: Bench, path: string) => {
  const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
  return answer.json() as { next_cursor: string | null };
};
const time = async (bench: Bench, path: string) => {
  const started = performance.now();
  const answer = await ask(bench, path);
  return { ms: performance.now() - started, answer };
};

/** Yields the path of the first page, then of each next page. */
async function* pages(path: string): AsyncGenerator<string> {
  let next: string | null = null;
  for (;;) {
    const at: string = next === null ? path : `${path}&cursor=${encodeURIComponent(next)}`;
    next = (await ask(uncached, at)).next_cursor;
    yield at;
  }
}
async function* repeat(path: () => string): AsyncGenerator<string> {
  for (;;) yield path();
}

const sorts = ["new", "volume", "market_cap"] as const;
const tokenSorts = ["volume", "market_cap", "new", "gainers"] as const;
const kinds: Record<string, AsyncGenerator<string>> = {
  "tokens, rare search": repeat(() => `/tokens?sort=${pick(tokenSorts)}&q=${anyNumber()}`),
  "tokens, wide search": repeat(() => `/tokens?sort=${pick(tokenSorts)}&q=${anyDigits()}`),
  "tokens, common search": repeat(() => `/tokens?sort=${pick(tokenSorts)}&q=${pick(["amber", "boat", "a", "0x"])}`),
  "tokens, two letters": repeat(() => `/tokens?sort=${pick(tokenSorts)}&q=z${anyLetter()}`),
  ...Object.fromEntries(sorts.map((sort) => [`gallery ${sort}`, repeat(() => `/gallery?sort=${sort}&limit=60`)])),
  "gallery random": repeat(() => `/gallery?sort=random&seed=${Math.floor(random() * 2 ** 32)}&limit=60`),
  "gallery new, later pages": pages("/gallery?sort=new&limit=100"),
  "gallery random, later pages": pages("/gallery?sort=random&seed=7&limit=100"),
  "gallery, rare search": repeat(() => `/gallery?q=${anyNumber()}&limit=60`),
  "gallery, common search": repeat(() => `/gallery?q=${pick(["amber", "boat", "keel"])}&limit=60`),
  "gallery, wide search": repeat(() => `/gallery?q=${anyDigits()}&limit=60`),
  "gallery volume, wide search": repeat(() => `/gallery?sort=volume&q=${anyDigits()}&limit=60`),
  "gallery, two letters": repeat(() => `/gallery?sort=volume&q=z${anyLetter()}&limit=60`),
  "businesses newest": repeat(() => "/businesses?limit=50"),
  "businesses of a category": repeat(() => `/businesses?category=${pick(["games", "health"])}&limit=50`),
  "businesses of a country": repeat(() => `/businesses?country=${pick(["DE", "JP"])}&limit=50`),
  "businesses, rare search": repeat(() => `/businesses?q=${anyNumber()}&limit=50`),
  "businesses, common search": repeat(() => `/businesses?q=${pick(["amber", "books"])}&limit=50`),
  "businesses, two letters": repeat(() => `/businesses?q=z${anyLetter()}&limit=50`),
  "businesses near": repeat(() => `/businesses?near=${anyPlace()}&radius_km=50&limit=50`),
  "businesses near, the whole Earth": repeat(() => `/businesses?near=${anyPlace()}&radius_km=20038&limit=50`),
  "businesses, later pages": pages("/businesses?limit=100"),
  "directory newest": repeat(() => "/directory?limit=50"),
  "directory of a source": repeat(() => "/directory?source=partner_a&limit=50"),
  "directory, rare search": repeat(() => `/directory?q=${anyNumber()}&limit=50`),
  "directory, common search": repeat(() => `/directory?q=${pick(["amber", "books"])}&limit=50`),
  "directory, two letters": repeat(() => `/directory?q=z${anyLetter()}&limit=50`),
  "directory, later pages": pages("/directory?limit=100"),
};

process.stdout.write(
  `Catalogue at ${rows} pictures and ${rows} listings; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n`,
);
process.stdout.write(
  `${"uncached".padEnd(32)}${["p50 ms", "p99 ms", "max ms", "pages"].map((text) => text.padStart(10)).join("")}\n`,
);
const client = await pool.connect();
let missed = 0;
for (const [name, paths] of Object.entries(kinds).filter(([name]) => name.includes(values.only))) {
  const times: number[] = [];
  if (values.cold) await forgetPages(client);
  for (let n = -10; n < requests; n++) {
    const { value } = await paths.next();
    const { ms } = await time(uncached, value as string);
    if (n >= 0) times.push(ms);
  }
  const { value } = await paths.next();
  const plans = await getPlans(client, uncached.deps.db.read, () => ask(uncached, value as string));
  const touched = plans.reduce((sum, plan) => sum + pagesTouched(plan), 0);
  const figures = [0.5, 0.99, 1].map((share) => percentile(times, share));
  const isMissed = hasAim(name) && figures[1]! > aimMs;
  if (isMissed) missed++;
  const shown = [...figures.map((ms) => ms.toFixed(2)), String(touched)].map((text) => text.padStart(10)).join("");
  process.stdout.write(`${name.padEnd(32)}${shown}${isMissed ? `   above ${aimMs} ms` : ""}\n`);
}
client.release();
await uncached.close();

const cached = await createBenchApp(database.url, env);
const readModel = startReadModel(cached.deps);
process.stdout.write(`\n${"cached, ms a request".padEnd(32)}${"p50 ms".padStart(10)}${"of /tokens".padStart(12)}\n`);
const hot = ["/tokens", "/gallery", "/businesses", "/directory"];
const medians = new Map<string, number[]>(hot.map((path) => [path, []]));
for (let round = 0; round < 40; round++) {
  for (const path of hot) {
    const times: number[] = [];
    for (let n = 0; n < 50; n++) times.push((await time(cached, path)).ms);
    if (round >= 5) medians.get(path)!.push(percentile(times, 0.5));
  }
}
const base = medians.get("/tokens")!;
for (const [path, own] of medians) {
  const ratio = percentile(
    own.map((ms, index) => ms / base[index]!),
    0.5,
  );
  process.stdout.write(
    `${path.padEnd(32)}${percentile(own, 0.5).toFixed(3).padStart(10)}${ratio.toFixed(2).padStart(12)}\n`,
  );
}
await readModel.stop();
await cached.close();
await pool.end();
await database.stop();
process.exit(missed > 0 ? 1 : 0);
