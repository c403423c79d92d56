// Installs the packages of package-lock.json if one is missing or has changed.
//
// npm runs this before `npm start` and `npm test`, on a bare clone with any Node version: plain JavaScript for Node 20,
// no dependency. A stamp in node_modules identifies the installed lock file. The stamp is removed first and written
// last, so that an interrupted install is repeated.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampPath = join(root, "node_modules", ".slipway-install");
const lockPath = join(root, ".cache", "install.lock");
const minimumNodeMajor = 20;
/** The version that runs the programs of the checkout. npm installs it as an optional package of the platform. */
const ownNodeMajor = 26;

/** Ends the process with a message and advice. */
function fail(message, whatToDo) {
  process.stderr.write(`\nslipway: ${message}\n         ${whatToDo}\n`);
  process.exit(1);
}

/** Returns the inputs of node_modules: the lock file's hash, the platform and the processor. */
function createStamp(lockFile) {
  const hash = createHash("sha256").update(lockFile).digest("hex");
  return `${hash} ${process.platform} ${process.arch}\n`;
}

/**
 * Whether npm itself has installed exactly this lock file (npm writes its hidden lock file last). Avoids a second
 * install after a manual `npm ci` or `npm install`.
 */
function installedByNpm(lockFile) {
  let installed;
  try {
    installed = JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")).packages;
  } catch {
    return false;
  }
  const wanted = JSON.parse(lockFile).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) return true;
    const found = installed[path];
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity && existsSync(join(root, path));
  });
}

/**
 * Returns the environment for npm, without node_modules/.bin, because the install replaces the `node` in that folder.
 */
function environmentOutsideNodeModules() {
  const environment = { ...process.env };
  const name = Object.keys(environment).find((key) => key.toLowerCase() === "path") ?? "PATH";
  const inNodeModules = `${sep}node_modules${sep}`;
  environment[name] = (environment[name] ?? "")
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.includes(inNodeModules))
    .join(delimiter);
  return environment;
}

/**
 * The programs that `npm test` runs, by Debian's package. A test installs a missing one itself (findProgram.ts), while
 * other tests wait; beside `npm ci`, which leaves half of two cores idle, the installation takes no time.
 */
const testPrograms = {
  "chromium-headless-shell": [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
  ],
  haproxy: ["haproxy"],
  pgbouncer: ["pgbouncer"],
};

/**
 * Installs the programs of `npm test` that are missing, if this process may. If that fails, the test that needs a program
 * reports it.
 */
function installTestPrograms() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const isMissing = (name) => !folders.some((folder) => existsSync(join(folder, name)));
  const missing = Object.entries(testPrograms)
    .filter(([, names]) => names.every(isMissing))
    .map(([name]) => name)
    .filter((name) => name !== "chromium-headless-shell" || !process.env.CHROMIUM_PATH);
  const isAllowed = process.env.npm_lifecycle_event === "pretest" && process.getuid?.() === 0;
  if (!isAllowed || missing.length === 0 || isMissing("apt-get")) return Promise.resolve();
  process.stdout.write(`slipway: installing ${missing.join(", ")} with apt-get, which tests run\n`);
  const aptGet = "apt-get -qq -o DPkg::Lock::Timeout=300";
  const install = `${aptGet} install -y --no-install-recommends ${missing.join(" ")}`;
  // Package lists are missing in a container image.
  const child = spawn("sh", ["-c", `${install} || { ${aptGet} update; ${install}; }`], {
    // Does not start the services of the packages.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", SYSTEMD_OFFLINE: "1" },
    stdio: "ignore",
    timeout: 600_000,
  });
  return new Promise((resolve) => child.once("close", resolve).once("error", resolve));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Waits for another install of the same checkout (concurrent npm start and npm test), then takes the lock. */
async function takeLock() {
  mkdirSync(join(root, ".cache"), { recursive: true });
  for (let announced = false; ; ) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: "wx" });
      process.once("exit", () => rmSync(lockPath, { force: true }));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`cannot write ${lockPath}: ${error.message}`, "Make the checkout writable.");
    }
    let holder = Number.NaN;
    let ageMs = 0;
    try {
      holder = Number(readFileSync(lockPath, "utf8"));
      ageMs = Date.now() - statSync(lockPath).mtimeMs;
    } catch {
      continue;
    }
    // An empty file is a lock whose owner has not written its pid yet, unless the file stays empty.
    if (holder > 0 ? !isAlive(holder) : ageMs > 2_000) rmSync(lockPath, { force: true });
    else if (!announced) {
      announced = true;
      process.stdout.write(`slipway: another install is running here (process ${holder}), waiting for it\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Runs `npm ci`, prints every ten seconds that the install is running, and returns the end of its output. */
function npmCi() {
  const startedAt = Date.now();
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  return new Promise((resolve) => {
    const child = spawn(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      env: environmentOutsideNodeModules(),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    const append = (chunk) => {
      output = (output + chunk).slice(-8_000);
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    const ticking = setInterval(() => {
      process.stdout.write(`         still installing, ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
    }, 10_000);
    const stop = (signal) => child.kill(signal);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    child.once("error", (error) => {
      clearInterval(ticking);
      if (error.code === "ENOENT") {
        fail("npm was not found.", "Install Node.js with npm (https://nodejs.org) and run the command again.");
      }
      fail(`npm could not be started: ${error.message}`, "Check the Node.js installation of this machine.");
    });
    child.once("close", (code, signal) => {
      clearInterval(ticking);
      if (signal) process.exit(130);
      resolve({ code, output, seconds: (Date.now() - startedAt) / 1000 });
    });
  });
}

/** Returns the advice for a failure of npm, from its output. */
function getAdvice(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|network|ERR_SOCKET_TIMEOUT/i.test(output)) {
    return "The npm registry could not be reached: check the network, the proxy and `npm config get registry`.";
  }
  if (/EACCES|EPERM/.test(output)) return "The checkout or npm's cache is not writable by this user.";
  if (/ENOSPC/.test(output)) return "The disk is full: about 1.5 GB are needed.";
  if (/can only install packages when your package\.json and package-lock\.json/.test(output)) {
    return "package.json and package-lock.json differ: run `npm install && node tools/fixLockfile.mjs`.";
  }
  return "The lines above are npm's own. Running the command again repeats the install.";
}

/** Ends the process if neither npm nor this machine has a Node.js that runs the programs. */
function requireOwnNode() {
  if (nodeMajor >= ownNodeMajor) return;
  if (["node", "node.cmd"].some((name) => existsSync(join(root, "node_modules", ".bin", name)))) return;
  fail(
    `npm has installed no Node.js ${ownNodeMajor} for ${process.platform} ${process.arch}.`,
    `If \`npm config get omit\` prints "optional", run \`npm config delete omit\` and \`npm ci\`. Otherwise install Node.js ${ownNodeMajor}.`,
  );
}

const nodeMajor = Number(process.versions.node.split(".")[0]);
if (nodeMajor < minimumNodeMajor) {
  fail(
    `Node.js ${process.versions.node} is too old.`,
    `Install Node.js ${minimumNodeMajor} or later; the version that Slipway runs on is then installed automatically.`,
  );
}

let lockFile;
try {
  lockFile = readFileSync(join(root, "package-lock.json"), "utf8");
} catch {
  fail("package-lock.json is missing.", "Restore it: git checkout -- package-lock.json");
}
const stamp = createStamp(lockFile);
const upToDate = () => existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp;

if (!upToDate()) {
  await takeLock();
  if (upToDate()) process.exit(0);
  if (installedByNpm(lockFile)) {
    requireOwnNode();
    writeFileSync(stampPath, stamp);
    process.exit(0);
  }
  const why = existsSync(stampPath) ? "package-lock.json has changed" : "nothing is installed yet";
  rmSync(stampPath, { force: true });
  process.stdout.write(`slipway: installing dependencies with npm ci (${why}; about a minute)\n`);
  const [{ code, output, seconds }] = await Promise.all([npmCi(), installTestPrograms()]);
  if (code !== 0) {
    // Removes npm's list of its options.
    process.stderr.write(`${output.split("npm error Clean install a project")[0].trimEnd()}\n`);
    fail(`npm ci ended with code ${code}.`, getAdvice(output));
  }
  requireOwnNode();
  writeFileSync(stampPath, stamp);
  process.stdout.write(`slipway: dependencies installed in ${seconds.toFixed(0)} s\n`);
}
