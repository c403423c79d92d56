// Measures the gas of contracts/test/gas, stores it in contracts/snapshots and writes the tables of contracts/GAS.md.
//
//   node contracts/tools/gasTable.ts            measures and writes
//   node contracts/tools/gasTable.ts --check    fails if a figure or the document differs from the repository; measures the
//                                               other settings of the optimiser only with TEST_VOLUME=full
//
// The floors are compiled with the release profile and separately from the tests, so that they are optimised like the
// contracts and do not depend on other sources. The tests themselves need no optimisation, which would take a minute.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileUnit, units } from "./compileUnit.ts";
import { renderGoals } from "./gasGoals.ts";
import { getForgePath } from "./getForgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const snapshotFolder = join(root, "contracts", "snapshots");
const document = join(root, "contracts", "GAS.md");
const FLOOR_SUFFIX = ", floor";
/** Relative to the repository's root. */
const floorFolder = join(".cache", "forge-gas", "floors");

/** `limit`: the limit of the tests, or a published figure of another project. */
type Row = { name: string; limit?: string };
type Section = { title: string; snapshot: string; text: string; rows: Row[] };

const rows = (...names: string[]): Row[] => names.map((name) => ({ name }));

const sections: Section[] = [
  {
    title: "Launch",
    snapshot: "Launch",
    text:
      "Floor: one transaction that creates the same token by CREATE2, creates and initialises the pool and mints the " +
      "position directly on it, without checks, storage and events. The tests require a ratio of at most 1.10, and " +
      "1.02 for 200 bytes of metadata. The pool's fee is 1% where no tier is named. With an initial buy, the floor " +
      "includes the same swap directly on the pool, by a caller that already holds wrapped native.",
    rows: [
      {
        name: "launch, 200 bytes of metadata, token0",
        limit: "5,596,286; Doppler v3 create 7,275,685; Bags launch 1,731,956, without a v3 pool",
      },
      { name: "launch, 200 bytes of metadata, token1", limit: "5,574,651" },
      ...["50", "30", "10"].flatMap((tier) => [
        { name: `launch, 200 bytes of metadata, ${tier} bp, token0`, limit: "5,596,286" },
        { name: `launch, 200 bytes of metadata, ${tier} bp, token1`, limit: "5,574,651" },
      ]),
      ...rows(
        "launch, longest metadata in ASCII",
        "launch, longest metadata in bytes",
        "launch with initial buy",
        "launch with partner",
      ),
      { name: "launch with 20 payees", limit: "30,000 more than with 2" },
      { name: "launch by signature", limit: "20,000 more than by the creator" },
    ],
  },
  {
    title: "First buy, through SwapRouter02 with native",
    snapshot: "FirstBuy",
    text:
      "Floor: the same call on a plain v3 pool with the same token, price and position. The tests require less than " +
      "427,700 gas and a difference of at most 1% from the floor.",
    rows: [
      { name: "first buy, token0", limit: "Doppler v3 first buy 427,700" },
      ...rows("first buy, token1", "next buy, token0", "next buy, token1"),
    ],
  },
  {
    title: "Creation of a splitter",
    snapshot: "Splitter",
    text:
      "Includes the event. Floor: the creation of the same runtime code, without event and record. The factory " +
      "records the splitter (22,100 gas) and takes ABI-encoded arguments.",
    rows: [
      { name: "splitter by a creation transaction, 1 payee", limit: "80,000" },
      { name: "splitter by a creation transaction, 5 payees", limit: "110,000" },
      { name: "splitter by a creation transaction, 20 payees", limit: "245,000" },
      ...rows("splitter by the factory, 1 payee", "splitter by the factory, 5 payees"),
      { name: "splitter by the factory, 20 payees", limit: "245,000" },
      ...rows("splitter by the factory, existing, 5 payees"),
    ],
  },
  {
    title: "Collect",
    snapshot: "Fees",
    text:
      "Floor: burn with zero liquidity and collect, by a contract that owns an equal position with the same fees " +
      "and keeps no ledger. `next` follows a collection that was not settled: the locker holds both assets. With " +
      "`next after a settle` the locker holds no wrapped native, so the transaction pays for this balance slot " +
      "again.",
    rows: [
      { name: "first collect, token0", limit: "174,256: a fee collection of Uniswap v4" },
      { name: "first collect, token1", limit: "174,256" },
      ...rows("next collect, token0", "next collect, token1"),
      { name: "next collect after a settle, token0", limit: "174,256" },
      { name: "next collect after a settle, token1", limit: "174,256" },
    ],
  },
  {
    title: "Settle",
    snapshot: "Fees",
    text:
      "Floor: the transfers that `settle` makes, two for each asset, from a contract with the same balances. The first " +
      "settlement of a launch writes the slot of the settled amounts of both assets.",
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
    text:
      "Floor: the transfer to the payee, from a contract with the same balances. The difference is the slot of the " +
      "released amounts (22,100 gas for the first write; two amounts share a slot), the payout and the entries.",
    rows: rows(
      "first release, one asset",
      "first release, both assets",
      "first release, native",
      "next release, one asset",
      "first release, unwrapped",
      "next release, unwrapped",
      "setting a payout",
      "first release, one asset, to a payout",
    ),
  },
  {
    title: "Vesting",
    snapshot: "Vesting",
    text:
      "Floor of a creation: the creation of the same runtime code, without event and record. Floor of a release: the " +
      "transfer to the beneficiary, from a contract with the same balance. The difference is the slot of the released " +
      "amount (22,100 gas for the first write) and the terms in the code.",
    rows: [
      { name: "creation of a vesting", limit: "350,000" },
      { name: "creation of a vesting, existing", limit: "35,000" },
      ...rows("first release of a vesting", "next release of a vesting"),
    ],
  },
  {
    title: "Opening at one price",
    snapshot: "Opening",
    text:
      "Floor of a creation: the creation of the same runtime code, without event and record. Floor of a deposit: the same " +
      "payment to an account without code. Floor of an opening: the same launch with the same buy by `launchFor`. Floor of " +
      "a claim: both payments, from a contract with the same balances. The first deposit of an opening writes one more slot " +
      "(17,100 gas). A claim deletes the entry of its account, for which the chain refunds 4,800 gas (EIP-3529).",
    rows: [
      { name: "creation of an opening", limit: "900,000" },
      { name: "creation of an opening, existing", limit: "50,000" },
      { name: "first deposit", limit: "75,000" },
      { name: "first deposit of another account", limit: "55,000" },
      { name: "next deposit of an account", limit: "40,000" },
      { name: "opening with the launch, token0", limit: "120,000 more than its floor" },
      { name: "opening with the launch, token1", limit: "120,000 more than its floor" },
      { name: "first claim", limit: "75,000" },
      { name: "next claim", limit: "75,000" },
    ],
  },
  {
    title: "Whole claim, in one transaction of Multicall3",
    snapshot: "Fees",
    text:
      "Collect, settle and the releases of two payees, each of both assets. Floor: collect and six transfers, to " +
      "the treasury and two payees. If the splitter has no remainder of an asset (one claim in ten for shares of " +
      "70% and 30%), the claim pays for a new slot.",
    rows: [
      ...rows("first whole claim, token0", "first whole claim, token1"),
      { name: "next whole claim, token0", limit: "260,000" },
      { name: "next whole claim, token1", limit: "260,000" },
      ...rows("next whole claim, splitter without remainders"),
    ],
  },
  {
    title: "Gas top-up",
    snapshot: "TopUp",
    text:
      "Floor: transferFrom and the native payment by a contract without checks, after the token's permit if there " +
      "is one. Each used quote is one bit: the first quote of a word of 256 quotes writes a new slot, the other " +
      "quotes do not. The difference is this slot and the signature check.",
    rows: [
      { name: "top-up, allowance", limit: "17,000 less than the first of a word" },
      ...rows("top-up, allowance, first of a word", "top-up, permit"),
    ],
  },
];

/** The figures that depend on the optimiser's setting, with the unit that contains the code. */
const settings = [200, 1_000_000] as const;
const settingRows: { name: string; unit: string }[] = [
  { name: "launch, 200 bytes of metadata", unit: "launch" },
  { name: "transfer of a token", unit: "launch" },
  { name: "collect", unit: "launch" },
  { name: "settle", unit: "launch" },
  { name: "splitter by the factory", unit: "other" },
  { name: "release", unit: "other" },
  { name: "top-up", unit: "other" },
];

const introduction = `# Gas

Written by \`contracts/tools/gasTable.ts\` from \`contracts/snapshots\`. Do not edit: run \`npm run contracts:gas\`.

Each figure is the gas of a whole transaction, as on a receipt: with base cost and calldata, every account and slot cold,
refunds deducted. The measured bytecode is the released bytecode. The floor is the gas of the minimal operation with the
same effect, measured in the same test, in the same state, with contracts compiled with the same settings. The last column
is the limit of the tests, or a figure published by another project. token0 and token1 name the order of the launch token in
its pool.
`;

const isCheck = process.argv.includes("--check");
if (!isCheck) for (const file of readdirSync(snapshotFolder)) rmSync(join(snapshotFolder, file));
const isMeasured = measure();
const table = render();
const isTableCurrent = existsSync(document) && readFileSync(document, "utf8") === table;
if (!isCheck) writeFileSync(document, table);
else if (!isTableCurrent) console.error("contracts/GAS.md differs from the snapshots: run npm run contracts:gas");
process.exitCode = isMeasured && (isTableCurrent || !isCheck) ? 0 : 1;

/** Compiles the contracts whose own gas is part of a floor, with the release profile. */
function buildFloors(): void {
  const sources = ["gas/BareLauncher", "gas/BarePayer", "gas/Creator", "utils/Trader"].map(
    (path) => `contracts/test/${path}.sol`,
  );
  const options = ["--force", "--out", join(floorFolder, "out"), "--cache-path", join(floorFolder, "cache")];
  execFileSync(getForgePath(), ["build", ...sources, ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, FOUNDRY_PROFILE: "release" },
  });
}

/** @returns whether every test passed and, with `--check`, no figure differs from the snapshots. */
function measure(): boolean {
  buildFloors();
  const released = runGasTests({});
  // Half of the check's time, for figures that only a change of the settings needs.
  if (isCheck && process.env.TEST_VOLUME !== "full") return released;
  return settings.map(measureSetting).every(Boolean) && released;
}

/** Measures test/gas/Runs.t.sol with all contracts compiled with one setting. */
function measureSetting(runs: number): boolean {
  const artifacts = join(".cache", "mutants", "runs");
  mkdirSync(join(root, artifacts), { recursive: true });
  for (const unit of units) {
    for (const [name, { evm }] of Object.entries(compileUnit({ ...unit, runs }).contracts))
      writeFileSync(join(root, artifacts, `${name}.json`), JSON.stringify({ bytecode: `0x${evm.bytecode.object}` }));
  }
  return runGasTests({ SLIPWAY_RUNS: String(runs), SLIPWAY_ARTIFACTS: artifacts });
}

function runGasTests(environment: Record<string, string>): boolean {
  const path = `contracts/test/gas/${"SLIPWAY_RUNS" in environment ? "Runs.t.sol" : "*"}`;
  const { status } = spawnSync(getForgePath(), ["test", "--match-path", path], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SLIPWAY_GAS: "true",
      SLIPWAY_FLOORS: join(floorFolder, "out"),
      FORGE_SNAPSHOT_CHECK: String(isCheck),
      FORGE_SNAPSHOT_EMIT: String(!isCheck),
      ...environment,
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
  const get = (snapshot: string, name: string) => {
    const gas = remaining.get(snapshot)?.get(name);
    if (gas === undefined) throw new Error(`contracts/snapshots/${snapshot}.json has no "${name}"`);
    return gas;
  };
  const take = (snapshot: string, name: string) => {
    const gas = get(snapshot, name);
    remaining.get(snapshot)?.delete(name);
    return gas;
  };
  const parts = [renderGoals(get)];
  for (const section of sections) {
    parts.push(renderSection(section, take, (name) => remaining.get(section.snapshot)?.has(name)));
  }
  parts.push(renderSettings(take));
  const unlisted = [...remaining.values()].flatMap((figures) => [...figures.keys()]);
  if (unlisted.length > 0) throw new Error(`figures that are missing in the table: ${unlisted.join("; ")}`);
  return `${introduction}\n${parts.join("\n")}`;
}

type Take = (snapshot: string, name: string) => number;

function renderSection(
  { title, snapshot, text, rows }: Section,
  take: Take,
  has: (name: string) => boolean | undefined,
): string {
  const lines = rows.map(({ name, limit }) => {
    const gas = take(snapshot, name);
    const floor = has(name + FLOOR_SUFFIX) ? take(snapshot, name + FLOOR_SUFFIX) : null;
    const cells = [
      name,
      gas.toLocaleString("en"),
      floor?.toLocaleString("en") ?? "",
      floor === null ? "" : (gas / floor).toFixed(3),
      limit ?? "",
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const head = "| | gas | floor | ratio | limit, or figure published by others |\n|---|---:|---:|---:|---|";
  return `## ${title}\n\n${text}\n\n${head}\n${lines.join("\n")}\n`;
}

function renderSettings(take: Take): string {
  const figures = new Map(
    settingRows.map(({ name }) => [name, settings.map((setting) => take(`Runs${setting}`, name))]),
  );
  const lines = settingRows.map(({ name, unit }) => {
    const chosen = units.find(({ name: other }) => other === unit)?.runs.toLocaleString("en") ?? "";
    return `| ${name} | ${figures
      .get(name)
      ?.map((gas) => gas.toLocaleString("en"))
      .join(" | ")} | ${chosen} |`;
  });
  const withTransfers = settings.map((_, index) => {
    const at = (name: string) => figures.get(name)?.[index] ?? 0;
    return (at("launch, 200 bytes of metadata") + 1_000 * at("transfer of a token")).toLocaleString("en");
  });
  lines.push(`| a launch and its first thousand transfers | ${withTransfers.join(" | ")} | |`);
  return `## Settings of the optimiser

The factory contains the locker and the token's code, which each launch deploys, so these contracts share one setting. The
splitters' implementation and the station are deployed once.

| | runs = 200 | runs = 1,000,000 | released |
|---|---:|---:|---:|
${lines.join("\n")}
`;
}
