// Compiles a standard JSON with npm's solc. JavaScript, because forge starts contracts/tools/solc with any Node version.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const cache = join(dirname(fileURLToPath(import.meta.url)), "..", "..", ".cache", "solc");

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, text);
  renameSync(partial, path);
}

/**
 * Returns the version with its commit, such as `0.8.37+commit.f401782d.Emscripten.clang`. Reading it from the compiler takes a
 * second of CPU time, and forge asks for it at each start, so the file of this package's version stores it.
 */
export function getSolcVersion() {
  const path = join(cache, `version-${require("solc/package.json").version}`);
  if (existsSync(path)) return readFileSync(path, "utf8");
  const version = require("solc").version();
  write(path, version);
  return version;
}

/**
 * Compiles a standard JSON, with its sources in the order of their names, as they are published.
 *
 * @param {string} text
 * @param {{ store?: boolean, reuse?: boolean }} [options] `store`: the deployed code is stored for other processes.
 *   `reuse`: an input whose code is stored is not compiled again; the output has only the deployed code then.
 * @returns {string} the standard JSON output
 */
export function compileInput(text, { store = false, reuse = false } = {}) {
  const { language, sources, settings } = JSON.parse(text);
  const sorted = Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)));
  const input = { language, sources: sorted, settings };
  const { outputSelection: _, ...others } = settings;
  const key = createHash("sha256").update(JSON.stringify([getSolcVersion(), { ...input, settings: others }]));
  const path = join(cache, `${key.digest("hex")}.json`);
  if (reuse && existsSync(path)) return readFileSync(path, "utf8");
  const output = require("solc").compile(JSON.stringify(input));
  if (store) write(path, JSON.stringify(selectDeployedCode(JSON.parse(output))));
  return output;
}

function selectDeployedCode({ errors = [], contracts = {} }) {
  const select = ({ evm }) => {
    const { object, immutableReferences } = evm.deployedBytecode;
    return { evm: { deployedBytecode: { object, immutableReferences } } };
  };
  const mapValues = (values, change) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
  return { errors, contracts: mapValues(contracts, (file) => mapValues(file, select)) };
}
