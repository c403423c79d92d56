// The goals of the second edition for gas, with the figures that are compared with them. Figures of an operation's rarer
// forms are listed beside its typical one, also where they miss the goal: `because` says what they pay for.
import firstEditionGas from "./firstEditionGas.json" with { type: "json" };

type Goal = { snapshot: string; name: string; limit: number | { name: string }; because?: string };
type GetGas = (snapshot: string, name: string) => number;

const launches = ["launch, 200 bytes of metadata, token0", "launch, 200 bytes of metadata, token1"];
const splitterLimits = [
  { payees: "1 payee", limit: 80_000 },
  { payees: "5 payees", limit: 110_000 },
  { payees: "20 payees", limit: 245_000 },
];
const collectLimit = 174_256;
const claimLimit = 260_000;
const topUpLimit = firstEditionGas["top-up, allowance"] - 17_000;

const goals: readonly Goal[] = [
  ...launches.map((name) => ({ snapshot: "Launch", name, limit: { name: `${name}, floor of the first edition` } })),
  ...splitterLimits.map(({ payees, limit }) => ({
    snapshot: "Splitter",
    name: `splitter by a creation transaction, ${payees}`,
    limit,
  })),
  ...splitterLimits.map(({ payees, limit }) => ({
    snapshot: "Splitter",
    name: `splitter by the factory, ${payees}`,
    limit,
    because: "the record of the factory is a new slot, 22,100",
  })),
  ...["first collect", "next collect after a settle"].flatMap((name) =>
    ["token0", "token1"].map((order) => ({ snapshot: "Fees", name: `${name}, ${order}`, limit: collectLimit })),
  ),
  ...["token0", "token1"].map((order) => ({ snapshot: "Fees", name: `next whole claim, ${order}`, limit: claimLimit })),
  {
    snapshot: "Fees",
    name: "next whole claim, splitter without remainders",
    limit: claimLimit,
    because: "two balances that were zero are new slots; one claim in ten for 70% and 30%",
  },
  ...["token0", "token1"].map((order) => ({
    snapshot: "Fees",
    name: `first whole claim, ${order}`,
    limit: claimLimit,
    because: "every balance and every ledger is a new slot, once for a launch",
  })),
  { snapshot: "TopUp", name: "top-up, allowance", limit: topUpLimit },
  {
    snapshot: "TopUp",
    name: "top-up, allowance, first of a word",
    limit: topUpLimit,
    because: "a new slot for 256 quotes",
  },
];

/** The table of the goals. Throws if a figure misses its goal without a reason. */
export function renderGoals(getGas: GetGas): string {
  const lines = goals.map(({ snapshot, name, limit, because }) => {
    const gas = getGas(snapshot, name);
    const bound = typeof limit === "number" ? limit : getGas(snapshot, limit.name);
    const isMet = gas <= bound;
    if (!isMet && because === undefined) throw new Error(`${name}: ${gas} gas, more than the goal of ${bound}`);
    const format = (figure: number) => figure.toLocaleString("en");
    return `| ${name} | ${format(gas)} | ${format(bound)} | ${isMet ? "yes" : `no: ${because}`} |`;
  });
  return `## Goals

The goals that were set for this edition, and whether the figures below meet them. That of a launch is the floor of the first
edition, that of a top-up 17,000 less than in the first edition.

| | gas | goal: at most | met |
|---|---:|---:|---|
${lines.join("\n")}
`;
}
