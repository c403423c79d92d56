// The goals for gas, and the figures that are compared with them. Rarer variants of an operation are listed beside the
// typical one, even if they miss the goal. A goal may be missed only if it is below the minimum cost of the operation:
// its floor and the protocol's charges for what the floor omits. If it is above that minimum, `because` explains the
// rest.
type Goal = { snapshot: string; name: string; limit: number; least?: Least; because?: string };
/** The name of a measured floor, and the unavoidable charges of the operation beyond it, by gas. */
type Least = { floor: string; additions: readonly { gas: number; what: string }[] };
type GetGas = (snapshot: string, name: string) => number;

const splitterLimits = [
  { payees: "1 payee", limit: 80_000 },
  { payees: "5 payees", limit: 110_000 },
  { payees: "20 payees", limit: 245_000 },
];
const collectLimit = 174_256;
const claimLimit = 260_000;

/**
 * EIP-2929 and EIP-3529: the cost of writing a cold zero slot, and its difference to the cost of writing a non-zero
 * slot.
 */
const newSlot = 22_100;
const newInsteadOfChangedSlot = 17_100;
/** The cost of the splitter factory's event: three topics, and two arrays of n words with their offsets and lengths. */
const splitterEvent = (payees: number) => 375 + 3 * 375 + 8 * 32 * (4 + 2 * payees);

const topUpLimit = 87_595;

const goals: readonly Goal[] = [
  { snapshot: "Launch", name: "launch, 200 bytes of metadata, token0", limit: 5_596_286 },
  { snapshot: "Launch", name: "launch, 200 bytes of metadata, token1", limit: 5_574_651 },
  ...splitterLimits.map(({ payees, limit }) => ({
    snapshot: "Splitter",
    name: `splitter by a creation transaction, ${payees}`,
    limit,
  })),
  ...splitterLimits.map(({ payees, limit }) => ({
    snapshot: "Splitter",
    name: `splitter by the factory, ${payees}`,
    limit,
    least: {
      floor: `splitter by the factory, ${payees}, floor`,
      additions: [
        { gas: newSlot, what: "the record, a new slot" },
        { gas: splitterEvent(Number.parseInt(payees, 10)), what: "the event" },
      ],
    },
  })),
  ...["first collect", "next collect after a settle"].flatMap((name) =>
    ["token0", "token1"].map((order) => ({ snapshot: "Fees", name: `${name}, ${order}`, limit: collectLimit })),
  ),
  ...["token0", "token1"].map((order) => ({ snapshot: "Fees", name: `next whole claim, ${order}`, limit: claimLimit })),
  {
    snapshot: "Fees",
    name: "next whole claim, splitter without remainders",
    limit: claimLimit,
    least: {
      floor: "next whole claim, token0, floor",
      additions: [{ gas: 2 * newInsteadOfChangedSlot, what: "two balances of the splitter that were zero" }],
    },
    because:
      "the rest pays for the ledgers of the locker and of the splitter for both assets. Only a permanent remainder in " +
      "the splitter would avoid the new slots; one claim in ten for 70% and 30% finds no remainder",
  },
  ...["token0", "token1"].map((order) => ({
    snapshot: "Fees",
    name: `first whole claim, ${order}`,
    limit: claimLimit,
    least: { floor: `first whole claim, ${order}, floor`, additions: [] },
  })),
  { snapshot: "Opening", name: "creation of an opening", limit: 900_000 },
  { snapshot: "Opening", name: "first deposit of another account", limit: 55_000 },
  ...["first claim", "next claim"].map((name) => ({ snapshot: "Opening", name, limit: 75_000 })),
  { snapshot: "TopUp", name: "top-up, allowance", limit: topUpLimit },
  {
    snapshot: "TopUp",
    name: "top-up, allowance, first of a word",
    limit: topUpLimit,
    least: {
      floor: "top-up, allowance, floor",
      additions: [
        { gas: newSlot, what: "the new slot for 256 quotes" },
        { gas: 3_000, what: "the recovery of the signature" },
      ],
    },
  },
];

/** Returns the table of the goals. Throws if a figure misses its goal without a reason. */
export function renderGoals(getGas: GetGas): string {
  const format = (figure: number) => figure.toLocaleString("en");
  const explainMiss = ({ snapshot, name, limit, least, because }: Goal): string => {
    const floor = least === undefined ? 0 : getGas(snapshot, least.floor);
    const sum = (least?.additions ?? []).reduce((total, { gas }) => total + gas, floor);
    if (sum <= limit && because === undefined)
      throw new Error(`${name}: misses its goal of ${limit}, which is possible`);
    const parts = (least?.additions ?? []).map(({ gas, what }) => ` + ${format(gas)} for ${what}`);
    const reason = because === undefined ? "" : `; ${because}`;
    return `no: at least ${format(sum)}${parts.length === 0 ? ", its floor" : `: floor ${format(floor)}${parts.join("")}`}${reason}`;
  };
  const lines = goals.map((goal) => {
    const { snapshot, name, limit } = goal;
    const gas = getGas(snapshot, name);
    return `| ${name} | ${format(gas)} | ${format(limit)} | ${gas <= limit ? "yes" : explainMiss(goal)} |`;
  });
  return `## Goals

This table lists the goals and whether the figures below meet them. A missed goal shows the minimum cost of the operation:
its measured floor plus the protocol's charges for the parts that the floor omits.

| | gas | goal: at most | met |
|---|---:|---:|---|
${lines.join("\n")}
`;
}
