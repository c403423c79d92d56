// Checks the vendored artifacts: each stored hash must equal the hash of the bytecode. `--pack` also compares ABI and
// bytecode with the published npm package (downloads it with `npm pack`; does not install or run it). `--write` writes the
// files from the packages.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem";

/** `abi_path`: where the ABI is, if `path` has only the bytecode. */
type Source = { package: string; version: string; path: string; abi_path?: string };
type Row = { file: string; licence: string; source: Source };
type Artifact = {
  contractName: string;
  abi: unknown[];
  bytecode: `0x${string}`;
  source: Source;
  licence: string;
  sha256: string;
};

const core: [string, string] = ["@uniswap/v3-core", "1.0.1"];
const periphery: [string, string] = ["@uniswap/v3-periphery", "1.4.4"];
const swapRouters: [string, string] = ["@uniswap/swap-router-contracts", "1.3.1"];
const coreLicence = "BUSL-1.1, converted to GPL-2.0-or-later on 2023-04-01";
const gpl2 = "GPL-2.0-or-later";

const rows: Row[] = [
  createUniswapRow("UniswapV3Factory", core, coreLicence),
  createUniswapRow("UniswapV3Pool", core, coreLicence),
  createUniswapRow("SwapRouter", periphery, gpl2),
  createUniswapRow("SwapRouter02", swapRouters, gpl2),
  createUniswapRow("QuoterV2", periphery, gpl2, "lens/"),
  createUniswapRow("NonfungiblePositionManager", periphery, gpl2),
  {
    file: "wrapped-native/WETH9.json",
    licence: "GPL-3.0",
    source: { package: "canonical-weth", version: "1.4.0", path: "build/contracts/WETH9.json" },
  },
  {
    file: "multicall3/Multicall3.json",
    licence: "MIT",
    source: {
      package: "@eth-optimism/contracts-bedrock",
      version: "0.17.3",
      path: "src/libraries/Preinstalls.sol",
      abi_path: "forge-artifacts/IMulticall3.sol/IMulticall3.0.8.25.json",
    },
  },
];

/** keccak-256 of the pool's creation code. Genuine Uniswap v3 deployments derive pool addresses from it. */
const poolInitCodeHash = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";

/** keccak-256 of Multicall3's runtime code, at 0xcA11bde05977b3631167028862bE2a173976CA11 on other chains. */
const multicall3CodeHash = "0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891";

/**
 * What the creation transaction of Multicall3 has in front of its runtime code: a constructor that returns the 3,808
 * bytes behind it.
 */
const multicall3Constructor = "0x608060405234801561001057600080fd5b50610ee0806100206000396000f3fe";

const vendorFolder = dirname(fileURLToPath(import.meta.url));
const isWriting = process.argv.includes("--write");
const isPacking = isWriting || process.argv.includes("--pack");
const packFolder = isPacking ? mkdtempSync(join(tmpdir(), "slipway-vendor-")) : undefined;
const unpacked = new Map<string, string>();
let failures = 0;

try {
  for (const row of rows) check(row);
} finally {
  if (packFolder !== undefined) rmSync(packFolder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function check(row: Row): void {
  const path = join(vendorFolder, row.file);
  const published = packFolder === undefined ? undefined : readPublishedArtifact(row, packFolder);
  if (isWriting) writeFileSync(path, `${JSON.stringify(published, null, 2)}\n`);

  const artifact = JSON.parse(readFileSync(path, "utf8")) as Artifact;
  report(row.file, "bytecode hash", artifact.sha256 === hashHex(artifact.bytecode));
  if (artifact.contractName === "UniswapV3Pool") {
    report(row.file, "pool init code hash", keccak256(artifact.bytecode) === poolInitCodeHash);
  }
  if (artifact.contractName === "Multicall3") {
    const runtimeCode: `0x${string}` = `0x${artifact.bytecode.slice(multicall3Constructor.length)}`;
    report(row.file, "runtime code hash", keccak256(runtimeCode) === multicall3CodeHash);
  }
  if (published !== undefined) {
    const { package: name, version } = row.source;
    report(row.file, `equal to ${name}@${version}`, JSON.stringify(artifact) === JSON.stringify(published));
  }
}

function report(file: string, what: string, ok: boolean): void {
  console.log(`${ok ? "ok    " : "FAILED"} ${file}: ${what}`);
  if (!ok) failures++;
}

function readPublishedArtifact(row: Row, folder: string): Artifact {
  const read = (path: string) => readFileSync(join(unpack(row.source, folder), path), "utf8");
  const text = read(row.source.path);
  const { abi_path: abiPath } = row.source;
  const { contractName, abi, bytecode } =
    abiPath === undefined
      ? (JSON.parse(text) as Artifact)
      : { contractName: "Multicall3", abi: JSON.parse(read(abiPath)).abi, bytecode: readMulticall3(text) };
  return { contractName, abi, bytecode, source: row.source, licence: row.licence, sha256: hashHex(bytecode) };
}

/** Reads the runtime code from the constant of a Solidity library. */
function readMulticall3(text: string): `0x${string}` {
  const runtimeCode = /MultiCall3Code\s*=\s*hex"([0-9a-f]+)"/.exec(text)?.[1];
  if (runtimeCode === undefined) throw new Error("the library has no MultiCall3Code");
  return `${multicall3Constructor}${runtimeCode}` as `0x${string}`;
}

function unpack(source: Source, folder: string): string {
  const specifier = `${source.package}@${source.version}`;
  const existing = unpacked.get(specifier);
  if (existing !== undefined) return existing;
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder, specifier], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // npm 10 prints a list, npm 11.19 an object by package name.
  const [packed] = Object.values(JSON.parse(printed) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error(`npm pack ${specifier} printed no package`);
  const target = join(folder, String(unpacked.size));
  mkdirSync(target);
  execFileSync("tar", ["xzf", join(folder, packed.filename), "-C", target]);
  unpacked.set(specifier, join(target, "package"));
  return join(target, "package");
}

function createUniswapRow(name: string, [packageName, version]: [string, string], licence: string, folder = ""): Row {
  return {
    file: `uniswap-v3/${name}.json`,
    licence,
    source: { package: packageName, version, path: `artifacts/contracts/${folder}${name}.sol/${name}.json` },
  };
}

function hashHex(hex: string): string {
  return createHash("sha256")
    .update(Buffer.from(hex.slice(2), "hex"))
    .digest("hex");
}
