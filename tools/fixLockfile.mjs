// Adds lock entries for optional platform packages that the registry does not list.
//
// npm writes no entry for an optional dependency that it cannot find, and `npm ci` then rejects the lock file
// ("Missing: ... from lock file"). Run this after every `npm install`.
import { readFileSync, writeFileSync } from "node:fs";

const lockPath = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(lockPath, "utf8"));
const cpuNames = { amd64: "x64" };
/** Without it, npm installs the packages of both C libraries. */
const getLibc = (name) =>
  name.includes("musl") ? { libc: ["musl"] } : /linux.*gnu/.test(name) ? { libc: ["glibc"] } : {};
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

if (added > 0) writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`lock file: ${added} platform entries added\n`);
