// Measures the gas of contracts/test/gas, stores it in contracts/snapshots and writes the tables of contracts/GAS.md.
//
//   node contracts/tools/gasTable.ts            measures and writes
//   node contracts/tools/gasTable.ts --check    fails if a figure or the document differs from the repository
//
// The gas tests are compiled with the release profile and separately from the other tests, so that the floors are
// optimised like the contracts and do not depend on other sources.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getForgePath } from "./getForgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const snapshotFolder = join(root, "contracts", "snapshots");
const document = join(root, "contracts", "GAS.md");
const FLOOR_SUFFIX = ", floor";

type Section = { title: string; snapshot: string; floor: string; rows: { name: string; published?: string }[] };

const rows = (...names: string[]) => names.map((name) => ({ name }));

const sections: Section[] = [
  {
    title: "Launch",
    snapshot: "Launch",
    floor:
      "one transaction that creates the same token by CREATE2, creates and initialises the pool and mints the position " +
      "directly on it, without checks, storage and events. The tests require a ratio of at most 1.10. With an initial " +
      "buy, the floor includes the same swap directly on the pool, by a caller that already holds wrapped native.",
    rows: [
      {
        name: "launch, 200 bytes of metadata, token0",
        published: "Doppler v3 create 7,275,685; Bags launch 1,731,956, without a v3 pool",
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
      "the same call on a plain v3 pool with the same token, price and position. The tests require less than 427,700 " +
      "gas and a difference of at most 1% from the floor.",
    rows: [
      { name: "first buy, token0", published: "Doppler v3 first buy 427,700" },
      ...rows("first buy, token1", "next buy, token0", "next buy, token1"),
    ],
  },
  {
    title: "Splitter deployment",
    snapshot: "Splitter",
    floor:
      "the creation of a contract with the same runtime code, without a constructor. Each payee adds an entry of the " +
      "data contract, an entry of the creation event and a check for duplicates.",
    rows: rows("splitter deployment, 1 payee", "splitter deployment, 5 payees", "splitter deployment, 20 payees"),
  },
  {
    title: "Collect",
    snapshot: "Fees",
    floor:
      "burn with zero liquidity and collect, by a contract that owns an equal position with the same fees and keeps no " +
      "ledger. The first collection writes an empty tally for each asset; later ones update it.",
    rows: [
      ...rows("first collect, token0", "first collect, token1"),
      { name: "next collect, token0", published: "Uniswap v4 fee collect 174,256" },
      ...rows("next collect, token1"),
    ],
  },
  {
    title: "Settle",
    snapshot: "Fees",
    floor: "the transfers that `settle` makes, two for each asset, from a contract with the same balances.",
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
      "the transfer to the payee, from a contract with the same balances. The difference is the payee's two tallies for " +
      "each asset (22,100 gas each for the first write) and reading the allocations.",
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
      "transferFrom and the native payment by a contract without checks, after the token's permit if there is one. The " +
      "difference is the slot of the used quote (22,100 gas) and the signature check.",
    rows: rows("top-up, allowance", "top-up, permit"),
  },
];

const introduction = `# Gas

Written by \`contracts/tools/gasTable.ts\` from \`contracts/snapshots\`. Do not edit: run \`npm run contracts:gas\`.

Each figure is the gas of a whole transaction, as on a receipt: with base cost and calldata, every account and slot cold,
refunds deducted. The measured bytecode is the released bytecode. The floor is the gas of the minimal operation with the
same effect. It is measured in the same test, in the same state, with contracts compiled with the same settings. token0
and token1 name the order of the launch token in its pool.
`;

const isCheck = process.argv.includes("--check");
if (!isCheck) for (const file of readdirSync(snapshotFolder)) rmSync(join(snapshotFolder, file));
const isMeasured = measure();
const table = render();
const isTableCurrent = existsSync(document) && readFileSync(document, "utf8") === table;
if (!isCheck) writeFileSync(document, table);
else if (!isTableCurrent) console.error("contracts/GAS.md differs from the snapshots: run npm run contracts:gas");
process.exitCode = isMeasured && (isTableCurrent || !isCheck) ? 0 : 1;

/** @returns whether every test passed, and with `--check` no figure differs from the snapshots. */
function measure(): boolean {
  const { status } = spawnSync(getForgePath(), ["test", "--match-path", "contracts/test/gas/*"], {
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
  const remaining = new Map<string, Map<string, number>>();
  for (const file of readdirSync(snapshotFolder)) {
    const figures = JSON.parse(readFileSync(join(snapshotFolder, file), "utf8")) as Record<string, string>;
    remaining.set(
      file.replace(/\.json$/, ""),
      new Map(Object.entries(figures).map(([name, gas]) => [name, Number(gas)])),
    );
  }
  const take = (snapshot: string, name: string) => {
    const gas = remaining.get(snapshot)?.get(name);
    if (gas === undefined) throw new Error(`contracts/snapshots/${snapshot}.json has no "${name}"`);
    remaining.get(snapshot)?.delete(name);
    return gas;
  };
  const parts = sections.map((section) => {
    const lines = section.rows.map(({ name, published }) => {
      const gas = take(section.snapshot, name);
      const floor = remaining.get(section.snapshot)?.has(name + FLOOR_SUFFIX)
        ? take(section.snapshot, name + FLOOR_SUFFIX)
        : null;
      const comparison = floor === null ? "| " : `${floor.toLocaleString("en")} | ${(gas / floor).toFixed(3)}`;
      return `| ${name} | ${gas.toLocaleString("en")} | ${comparison} | ${published ?? ""} |`;
    });
    const head = "| | gas | floor | ratio | published by others |\n|---|---:|---:|---:|---|";
    return `## ${section.title}\n\nFloor: ${section.floor}\n\n${head}\n${lines.join("\n")}\n`;
  });
  const unlisted = [...remaining.values()].flatMap((figures) => [...figures.keys()]);
  if (unlisted.length > 0) throw new Error(`figures that are missing in the table: ${unlisted.join("; ")}`);
  return `${introduction}\n${parts.join("\n")}`;
}
