// Measures the gas of contracts/test/gas into contracts/snapshots and writes the table of contracts/GAS.md from them.
//
//   node contracts/tools/gasTable.ts            measures and writes
//   node contracts/tools/gasTable.ts --check    fails when a figure or the table differs from what is kept in git
//
// The tests are compiled with the release profile and apart from all others, so that the floors are optimised like the
// contracts and do not depend on what else is compiled.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forgePath } from "./forgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const snapshotFolder = join(root, "contracts", "snapshots");
const document = join(root, "contracts", "GAS.md");
const FLOOR_SUFFIX = ", floor";

type Section = { title: string; snapshot: string; floor: string; rows: { name: string; onRecord?: string }[] };

const rows = (...names: string[]) => names.map((name) => ({ name }));

const sections: Section[] = [
  {
    title: "Launch",
    snapshot: "Launch",
    floor:
      "One transaction that creates the same token by CREATE2, creates and initialises the pool and mints the one " +
      "position straight on it; it checks, stores and emits nothing. At most 1.10 is asserted for each. With an " +
      "initial buy the same swap straight on the pool is added, by a caller that holds wrapped native already.",
    rows: [
      {
        name: "launch, 200 bytes of metadata, token0",
        onRecord: "Doppler v3 create 7,275,685; Bags launch 1,731,956, without a v3 pool",
      },
      ...rows(
        "launch, 200 bytes of metadata, token1",
        "launch, longest metadata in ASCII",
        "launch, longest metadata in bytes",
        "launch with initial buy",
        "launch with partner",
      ),
    ],
  },
  {
    title: "First buy, through SwapRouter02 with native",
    snapshot: "FirstBuy",
    floor:
      "The same call on a plain v3 pool of the same token, price and position, made by the bare launcher. Under " +
      "427,700 and within 1% of the floor are asserted.",
    rows: [
      { name: "first buy, token0", onRecord: "Doppler v3 first buy 427,700" },
      ...rows("first buy, token1", "next buy, token0", "next buy, token1"),
    ],
  },
  {
    title: "Splitter deployment",
    snapshot: "Splitter",
    floor:
      "The creation of a contract with the same runtime code and nothing else. What a payee adds is its part of the " +
      "data contract, of the creation event and of the check for duplicates.",
    rows: rows("splitter deployment, 1 payee", "splitter deployment, 5 payees", "splitter deployment, 20 payees"),
  },
  {
    title: "Collect",
    snapshot: "Fees",
    floor:
      "Burn of nothing and collect by a contract that owns such a position with the same fees and keeps no books. The " +
      "first writes a tally for each asset; every later one changes it.",
    rows: [
      ...rows("first collect, token0", "first collect, token1"),
      { name: "next collect, token0", onRecord: "Uniswap v4 fee collect 174,256" },
      ...rows("next collect, token1"),
    ],
  },
  {
    title: "Settle",
    snapshot: "Fees",
    floor: "The transfers that it has to make, two for each asset, from a contract with the same balances.",
    rows: rows(
      "first settle, wrapped native",
      "first settle, launch token",
      "first settle, both assets",
      "next settle, both assets",
    ),
  },
  {
    title: "Release",
    snapshot: "Fees",
    floor:
      "The transfer to the payee alone, likewise. Above it lie the payee's two tallies an asset (written first at " +
      "22,100 each) and the reading of the allocations.",
    rows: rows(
      "first release, one asset",
      "first release, both assets",
      "first release, native",
      "next release, one asset",
    ),
  },
  {
    title: "Gas top-up",
    snapshot: "TopUp",
    floor:
      "transferFrom and the sending of native by a contract that asks nobody, after the token's permit where there is " +
      "one. Above it lie the used quote's slot (22,100) and the signature's check.",
    rows: rows("top-up, allowance", "top-up, permit"),
  },
];

const introduction = `# Gas

Written by \`contracts/tools/gasTable.ts\` from \`contracts/snapshots\`. Do not edit: run \`npm run contracts:gas\`.

Each figure is a whole transaction as on a receipt: base cost and calldata included, every account and slot cold,
refunds deducted, of the bytecode that ships. Its floor is measured in the same test, in the same state, with contracts
compiled with the same settings. token0 and token1 tell which side of its pool the launch token is on.
`;

const isCheck = process.argv.includes("--check");
if (!isCheck) for (const file of readdirSync(snapshotFolder)) rmSync(join(snapshotFolder, file));
const isMeasured = measure();
const table = render();
const isTableKept = existsSync(document) && readFileSync(document, "utf8") === table;
if (!isCheck) writeFileSync(document, table);
else if (!isTableKept) console.error("contracts/GAS.md differs from the snapshots: run it without --check");
process.exitCode = isMeasured && (isTableKept || !isCheck) ? 0 : 1;

/** @returns whether every test passed, and with `--check` no figure differs from the snapshots. */
function measure(): boolean {
  const { status } = spawnSync(forgePath(), ["test", "--match-path", "contracts/test/gas/*"], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SLIPWAY_GAS: "true",
      FOUNDRY_PROFILE: "release",
      FOUNDRY_OUT: join(".cache", "forge-gas", "out"),
      FOUNDRY_CACHE_PATH: join(".cache", "forge-gas", "cache"),
      FORGE_SNAPSHOT_CHECK: String(isCheck),
      FORGE_SNAPSHOT_EMIT: String(!isCheck),
    },
  });
  return status === 0;
}

function render(): string {
  const left = new Map<string, Map<string, number>>();
  for (const file of readdirSync(snapshotFolder)) {
    const figures = JSON.parse(readFileSync(join(snapshotFolder, file), "utf8")) as Record<string, string>;
    left.set(file.replace(/\.json$/, ""), new Map(Object.entries(figures).map(([name, gas]) => [name, Number(gas)])));
  }
  const take = (snapshot: string, name: string) => {
    const gas = left.get(snapshot)?.get(name);
    if (gas === undefined) throw new Error(`contracts/snapshots/${snapshot}.json has no "${name}"`);
    left.get(snapshot)?.delete(name);
    return gas;
  };
  const parts = sections.map((section) => {
    const lines = section.rows.map(({ name, onRecord }) => {
      const gas = take(section.snapshot, name);
      const floor = left.get(section.snapshot)?.has(name + FLOOR_SUFFIX)
        ? take(section.snapshot, name + FLOOR_SUFFIX)
        : null;
      const comparison = floor === null ? "| " : `${floor.toLocaleString("en")} | ${(gas / floor).toFixed(3)}`;
      return `| ${name} | ${gas.toLocaleString("en")} | ${comparison} | ${onRecord ?? ""} |`;
    });
    const head = "| | gas | floor | ratio | on record elsewhere |\n|---|---:|---:|---:|---|";
    return `## ${section.title}\n\nFloor: ${section.floor}\n\n${head}\n${lines.join("\n")}\n`;
  });
  const unnamed = [...left.values()].flatMap((figures) => [...figures.keys()]);
  if (unnamed.length > 0) throw new Error(`figures that the table does not name: ${unnamed.join("; ")}`);
  return `${introduction}\n${parts.join("\n")}`;
}
