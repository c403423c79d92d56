import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { startDeployedChain } from "../tests/support/startDeployedChain.ts";
import { buildahOptions, buildImage, imageArchive, imageName, imageSbom, runBuildah } from "./buildImage.ts";
import { repositoryRoot } from "./sourceFiles.ts";

/** Bounds of the image, in bytes: of all files, half of which is Node, and of the compressed layer. */
const maxFileBytes = 250e6;
const maxLayerBytes = 100e6;

/** The user of the image, and the only folders that it may write. */
const user = "65532";
const writable = ["var/lib/slipway/", "tmp/"];

/** Variables of the image's configuration: each is public, and all others come from the operator. */
const variables = ["PATH", "NODE_ENV", "DATA_DIR", "WEB_DIST", "HOST", "METRICS_HOST", "METRICS_PORT"];

/** Files that can contain a secret of the machine that builds. */
const secretFile = /(^|\/)(\.env[^/]*|\.npmrc|\.netrc|\.git|\.slipway|id_(rsa|ed25519)|[^/]*\.key)(\/|$)/;

const readyTimeoutMs = 120_000;

type Entry = { mode: string; owner: string; bytes: number; path: string };
type Descriptor = { digest: string; size: number };

const tar = (...args: string[]) => execFileSync("tar", args, { encoding: "utf8", maxBuffer: 2 ** 28 });

function assert(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}

/** Checks the configuration and the files of the archive. @returns A line with the sizes */
function checkArchive(folder: string): string {
  tar("-xf", imageArchive, "-C", folder);
  const getPath = ({ digest }: Descriptor) => join(folder, "blobs", digest.replace(":", "/"));
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const index = read(join(folder, "index.json")) as { manifests: Descriptor[] };
  const manifest = read(getPath(index.manifests[0]!)) as { config: Descriptor; layers: Descriptor[] };
  const { config } = read(getPath(manifest.config)) as { config: { User: string; Env: string[] } };
  assert(config.User === `${user}:${user}`, `the image runs as the user ${config.User}`);
  const others = config.Env.filter((variable) => !variables.includes(variable.split("=")[0]!));
  assert(others.length === 0, `the image sets ${others.map((variable) => variable.split("=")[0]).join(", ")}`);

  const entries = manifest.layers.flatMap((layer) => listEntries(getPath(layer)));
  const isWritable = ({ mode, owner }: Entry) => !mode.startsWith("l") && (owner.startsWith(user) || mode[8] === "w");
  const list = (problem: string, isProblem: (entry: Entry) => boolean) => {
    const found = entries.filter(isProblem).map(({ path }) => path);
    assert(found.length === 0, `${found.length} ${problem}: ${found.slice(0, 10).join(", ")}`);
  };
  list("files can be written by the server", (entry) => isWritable(entry) && !writable.includes(entry.path));
  list("files can contain a secret", ({ path }) => secretFile.test(path));
  const dev = listDevelopmentPackages();
  list("files of development packages", ({ path }) => dev.has(path.replace(/^opt\/slipway\/|\/$/g, "")));
  list("tests", ({ path }) => /\.test\.tsx?$/.test(path));

  checkSbom(entries);
  const fileBytes = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const layerBytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  const sizes = `${Math.round(fileBytes / 1e6)} MB of files, ${Math.round(layerBytes / 1e6)} MB compressed`;
  assert(fileBytes <= maxFileBytes && layerBytes <= maxLayerBytes, `the image is too large: ${sizes}`);
  return sizes;
}

function listEntries(layer: string): Entry[] {
  const lines = tar("--numeric-owner", "-tvzf", layer).trim().split("\n");
  return lines.map((line) => {
    const [mode, owner, bytes, , , path] = line.split(/\s+/);
    return { mode: mode!, owner: owner!, bytes: Number(bytes), path: path! };
  });
}

/** The folders of packages that only development needs, by the lock file. */
function listDevelopmentPackages(): Set<string> {
  const lock = readFileSync(join(repositoryRoot, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, { dev?: boolean }> };
  return new Set(Object.keys(packages).filter((path) => packages[path]!.dev === true));
}

/** Checks that the list of packages has every package that is in the image, and no other. */
function checkSbom(entries: readonly Entry[]): void {
  const { components } = JSON.parse(readFileSync(imageSbom, "utf8")) as {
    components: { type: string; name: string }[];
  };
  const listed = new Set(components.filter(({ type }) => type === "library").map(({ name }) => name));
  const isPackage = /^opt\/slipway\/(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;
  const found = new Set(entries.flatMap(({ path }) => isPackage.exec(path)?.[1] ?? []));
  const differing = [...found.symmetricDifference(listed)];
  assert(found.size > 100 && differing.length === 0, `the SBOM and the image differ: ${differing.join(", ")}`);
}

/** Checks the syntax of deploy/compose.yaml with docker-compose, which needs no running engine for this. */
function checkCompose(): void {
  const args = ["-f", join(repositoryRoot, "deploy/compose.yaml"), "config", "--quiet"];
  const env = { ...process.env, SLIPWAY_ENV_FILE: "slipway.env.example" };
  const run = (program: string, first: string[]) => spawnSync(program, [...first, ...args], { encoding: "utf8", env });
  let result = run("docker-compose", []);
  if (result.error !== undefined) result = run("docker", ["compose"]);
  assert(
    result.error === undefined,
    "docker-compose was not found: install it (Debian: apt-get install -y docker-compose)",
  );
  assert(result.status === 0, `deploy/compose.yaml is wrong:\n${result.stdout}${result.stderr}`);
}

/** Waits until an address answers 200. @throws Error with the output of the server if it ends or takes too long */
async function waitFor(url: string, server: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  let last = "no response";
  while (Date.now() < deadline && server.exitCode === null) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      if (response.status === 200) return;
      last = `${response.status} ${await response.text()}`;
    } catch (error) {
      last = (error as Error).message;
    }
    await sleep(200);
  }
  throw new Error(`${url}: ${last}\n${output()}`);
}

/** Runs the image with all roles against a real database and chain, until it is ready and serves the site. */
async function checkServer(folder: string): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const { chain, deployed } = await startDeployedChain({ dir: folder, heartbeatMs: 1_000 });
  resources.defer(() => chain.stop());
  const postgres = await startPostgres({ dir: folder, durable: false });
  resources.defer(() => postgres.stop());
  const container = runBuildah("from", "--pull-never", imageName);
  resources.defer(() => void runBuildah("rm", container));
  const [port, metricsPort] = ["18787", "19100"];
  const settings = {
    PORT: port,
    METRICS_PORT: metricsPort,
    HOST: "127.0.0.1",
    METRICS_HOST: "127.0.0.1",
    DATABASE_URL: postgres.url,
    RPC_URL: chain.rpcUrl,
    MANIFEST_PATH: "/etc/slipway/manifest.json",
    MANIFEST_SHA256: deployed.sha256,
  };
  const env = Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const mount = ["--volume", `${deployed.path}:/etc/slipway/manifest.json:ro`];
  const program = [container, "--", "/usr/local/bin/node", "apps/server/src/server.ts"];
  const run = ["run", "--isolation", "chroot", ...env, ...mount, ...program];
  // In a process group of its own, which contains the server: buildah passes no signal on to it.
  const server = spawn("buildah", [...buildahOptions, ...run], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(server, "exit");
  resources.defer(async () => {
    if (server.exitCode === null && server.signalCode === null) process.kill(-server.pid!, "SIGTERM");
    await exited;
  });
  await waitFor(`http://127.0.0.1:${metricsPort}/healthz`, server, () => output);
  await waitFor(`http://127.0.0.1:${port}/readyz`, server, () => output);
  await waitFor(`http://127.0.0.1:${port}/`, server, () => output);
}

/** Draws a card with emoji, as a module of the server's folder, and prints the hash of its picture. */
const cardProgram = `
  import { createHash } from "node:crypto";
  import { createCardPainter } from "./apps/server/src/compute/createCardPainter.ts";
  import { systemClock } from "./apps/server/src/systemClock.ts";
  const painter = createCardPainter({ clock: systemClock });
  const symbol = String.fromCodePoint(0x1f525, 0x1f468, 0x200d, 0x1f680, 0x1f1eb, 0x1f1f7, 0x1f44d, 0x1f3fe, 0x2764, 0xfe0f);
  const card = { name: symbol, symbol, price: null, change: null, image: null, hue: 1, line: [] };
  process.stdout.write(createHash("sha256").update(await painter.draw(card)).digest("hex"));
  await painter.stop();`;

/** Checks that the image draws emoji as this checkout does, whose font has every table. */
function checkCard(): void {
  const args = ["--input-type=module", "--eval", cardProgram];
  const own = execFileSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8" });
  const container = runBuildah("from", "--pull-never", imageName);
  try {
    const drawn = runBuildah("run", "--isolation", "chroot", container, "--", "/usr/local/bin/node", ...args);
    assert(
      drawn === own && own.length === 64,
      `the image draws a card with emoji in another way: ${drawn}, not ${own}`,
    );
  } finally {
    runBuildah("rm", container);
  }
}

const folder = temporaryFolder();
try {
  checkCompose();
  const digest = await buildImage();
  assert(digest === (await buildImage()), "two builds of the same sources differ");
  mkdirSync(join(folder.path, "archive"));
  const sizes = checkArchive(join(folder.path, "archive"));
  rmSync(join(folder.path, "archive"), { recursive: true });
  checkCard();
  await checkServer(folder.path);
  process.stdout.write(`${digest}: ${sizes}; the server is ready\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  folder.remove();
}
