// Completes the lock file. Run this after every `npm install`.
//
// npm writes no entry for an optional dependency that it cannot find, and `npm ci` then rejects the lock file
// ("Missing: ... from lock file"). With the setting `omit-lockfile-registry-resolved`, it writes no addresses of packages, and
// `npm ci` then reads the metadata of each package, which doubles its CPU time. An address at registry.npmjs.org means the
// registry that npm is configured with (`replace-registry-host`).
import { readFileSync, writeFileSync } from "node:fs";

const lockPath = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(lockPath, "utf8"));
const cpuNames = { amd64: "x64" };

/** Returns the lock field of a package's C library. Without this field, npm installs the packages of both libraries. */
function getLibc(name) {
  if (name.includes("musl")) return { libc: ["musl"] };
  return /linux.*gnu/.test(name) ? { libc: ["glibc"] } : {};
}

let added = 0;

for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key]) continue;
    const platform = /(android|darwin|freebsd|linux|openharmony|win32)-(\w+)/.exec(name);
    if (!platform) continue;
    lock.packages[key] = {
      version: version.replace(/^[\^~]/, ""),
      os: [platform[1]],
      cpu: [cpuNames[platform[2]] ?? platform[2]],
      ...getLibc(name),
      optional: true,
    };
    added += 1;
  }
}

let addresses = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes("node_modules/") || entry.link || !entry.integrity || entry.resolved) continue;
  const { name: alias, version, ...others } = entry;
  const name = alias ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const resolved = `https://registry.npmjs.org/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
  // In the order of npm.
  lock.packages[path] = { ...(alias && { name: alias }), version, resolved, ...others };
  addresses += 1;
}

if (added + addresses > 0) writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`lock file: ${added} platform entries and ${addresses} addresses added\n`);
