import { type ChildProcess, fork } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { encodeImage } from "@slipway/server/compute/encodeImage";
import pg from "pg";
import sharp from "sharp";
import { uploadTo } from "../tests/support/images/uploadTo.ts";
import { startUntrustedServer } from "../tests/support/security/untrustedServer.ts";
import { percentile } from "./percentile.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seedRandom } from "./seedRandom.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * Measures uploads of pictures against the same work of sharp in this process, reads during uploads, and the job that
 * processes the pictures of launched tokens against sharp. Figures are ratios of one run. `node bench/catalogue.ts
 * [--uploads 12] [--pictures 300] [--dir <folder>]`. Exit code 1 if a goal is missed.
 */
const { values } = parseArgs({
  options: {
    uploads: { type: "string", default: "12" },
    pictures: { type: "string", default: "300" },
    dir: { type: "string", default: ".cache/bench-database" },
  },
});
const uploads = Number(values.uploads);
const pictures = Number(values.pictures);
const goals = { upload: 1.3, reads: 2, fill: 0.8 };
const workerProgram = new URL("../tests/support/images/tokenImageWorker.ts", import.meta.url);
const maxFileBytes = 4 * 1024 * 1024;

const random = seedRandom(5);
/** Colours with some noise, like a camera picture, so that the picture does not compress to almost nothing. */
async function drawPhoto(width: number, height: number, noise: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  const a = random() * 9;
  const b = random() * 9;
  const c = random() * 9;
  for (let at = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const wave = 90 * Math.sin((x * a + y * b) / 300) + 128;
      pixels[at++] = wave + noise * random();
      pixels[at++] = (x * c) % 256;
      pixels[at++] = (y * a + noise * random()) % 256;
    }
  }
  return await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** A JPEG just below the maximum upload size. */
async function drawLargest(): Promise<Buffer> {
  for (let height = 3_000; ; height -= 200) {
    const file = await drawPhoto(2_800, height, 60);
    if (file.length <= maxFileBytes) return file;
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const results: { what: string; figure: number; goal: string; isMet: boolean; detail: string }[] = [];
const median = (numbers: readonly number[]) => percentile(numbers, 0.5);

const folder = temporaryFolder();
const database = await startSeededDatabase(values.dir, { tokens: 1_000, trades: 20_000 });
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
// The pictures are the same in each run, so results of an earlier run must be deleted.
await pool.query("truncate app.images, app.token_images, app.gallery, app.gallery_total cascade");
// The seeded index has no indexer, so its status is updated here to stay live.
const keepLive = setInterval(
  () => void pool.query("update chain.status set updated_at = now()").catch(() => undefined),
  1_000,
);
const server = await startServerProcess({
  ROLES: "api",
  DATABASE_URL: database.url,
  RPC_URL: "http://127.0.0.1:9",
  CHAIN_ID: "46630",
  LOG_LEVEL: "fatal",
  DATA_DIR: folder.path,
  SITE_URL: "https://site.example",
  UPLOAD_LIMIT_PER_SECOND: "1000",
  UPLOAD_LIMIT_BURST: "1000",
});
try {
  const { key, ...stored } = createApiKeySecret({ bytes: randomBytes });
  const owner = { accountId: randomUUID(), name: "bench", keyId: randomUUID(), keyName: "bench" };
  await createAccount(pool, { ...owner, ...stored, scopes: ["read", "write"] });
  const upload = async (file: Uint8Array) => {
    const { status, body } = await uploadTo(server.baseUrl, key, file);
    if (status !== 200) throw new Error(`an upload: ${status} ${JSON.stringify(body)}`);
  };

  process.stdout.write(
    `${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n`,
  );
  await upload(await drawLargest());
  const ratios: number[] = [];
  const times: number[] = [];
  let bytes = 0;
  for (let n = 0; n < uploads; n++) {
    const file = await drawLargest();
    bytes += file.length / uploads;
    const [first, second] = n % 2 === 0 ? [upload, encodeImage] : [encodeImage, upload];
    const one = await timed(() => first(file));
    const two = await timed(() => second(file));
    const [own, bare] = n % 2 === 0 ? [one, two] : [two, one];
    times.push(own);
    ratios.push(own / bare);
  }
  results.push({
    what: `upload of a JPEG of ${(bytes / 2 ** 20).toFixed(1)} MiB / sharp's own time`,
    figure: median(ratios),
    goal: `<= ${goals.upload}`,
    isMet: median(ratios) <= goals.upload,
    detail: `${median(times).toFixed(0)} ms`,
  });

  const read = async () => {
    const response = await fetch(`${server.baseUrl}/tokens`);
    if (!response.ok) throw new Error(`GET /tokens: ${response.status}`);
    await response.arrayBuffer();
  };
  const readUntil = async (isDone: () => boolean) => {
    const found: number[] = [];
    while (!isDone()) found.push(await timed(read));
    return found;
  };
  const after = (ms: number) => {
    const end = performance.now() + ms;
    return () => performance.now() > end;
  };
  await readUntil(after(2_000));
  const quiet = await readUntil(after(4_000));
  const files = await Promise.all(Array.from({ length: 8 }, drawLargest));
  let running = true;
  const storm = Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      await upload(files[index]!);
      await upload(files[index + 4]!);
    }),
  ).finally(() => {
    running = false;
  });
  const busy = await readUntil(() => !running);
  await storm;
  const p99Quiet = percentile(quiet, 0.99);
  const p99Busy = percentile(busy, 0.99);
  results.push({
    what: "p99 of GET /tokens during four uploads / alone",
    figure: p99Busy / p99Quiet,
    goal: `< ${goals.reads}`,
    isMet: p99Busy / p99Quiet < goals.reads,
    detail: `${p99Busy.toFixed(2)} ms and ${p99Quiet.toFixed(2)} ms, ${busy.length} and ${quiet.length} reads`,
  });

  const fill = await measureFill();
  results.push({
    what: `pictures a second of the job / of sharp, ${pictures} of 512 px`,
    figure: fill.ratio,
    goal: `>= ${goals.fill}`,
    isMet: fill.ratio >= goals.fill,
    detail: `${fill.perSecond.toFixed(1)} a second`,
  });
} finally {
  clearInterval(keepLive);
  await server.stop();
  await pool.end();
  await database.stop();
  folder.remove();
}

/** Runs the job over tokens whose pictures are served here, and the same files through sharp in this process. */
async function measureFill(): Promise<{ ratio: number; perSecond: number }> {
  const files: Buffer[] = [];
  while (files.length < pictures) files.push(await drawPhoto(512, 512, 20));
  const outside = await startUntrustedServer((request, response) => {
    response.writeHead(200, { "content-type": "image/jpeg" }).end(files[Number(request.url!.slice(1))]);
  });
  let worker: ChildProcess | null = null;
  try {
    await pool.query("update chain.tokens set image = null");
    await pool.query("update chain.tokens set image = $1 || (id - 1)::text where id <= $2", [
      outside.url("/"),
      pictures,
    ]);
    const bare = await timed(async () => {
      for (const file of files) await encodeImage(file);
    });
    const { PATH } = process.env;
    const env = {
      PATH,
      DATABASE_URL: database.url,
      DATA_DIR: folder.path,
      OUTSIDE_CA: outside.ca,
      OUTSIDE_PORT: String(outside.port),
    };
    worker = fork(workerProgram, { env, stdio: "inherit" });
    const count = async () => {
      const { rows } = await pool.query<{ n: number }>(
        "select count(*)::int as n from app.token_images where sha256 is not null",
      );
      return rows[0]!.n;
    };
    // Excludes the start of the process and its decoder.
    while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = await count();
    const own = await timed(async () => {
      while ((await count()) < pictures) await new Promise((resolve) => setTimeout(resolve, 10));
    });
    const perSecond = (pictures - before) / (own / 1_000);
    return { ratio: perSecond / (pictures / (bare / 1_000)), perSecond };
  } finally {
    if (worker !== null) {
      worker.kill("SIGKILL");
      await once(worker, "exit");
    }
    await outside.close();
  }
}

for (const { what, figure, goal, isMet, detail } of results) {
  process.stdout.write(
    `${isMet ? "met   " : "missed"} ${what.padEnd(62)}${figure.toFixed(2).padStart(7)}  goal ${goal}   ${detail}\n`,
  );
}
process.exit(results.every(({ isMet }) => isMet) ? 0 : 1);
