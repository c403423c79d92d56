/** A measured figure, its required range, and the published results of others. */
export type Goal = { name: string; value: number; low?: number; high?: number; anchors?: string };

const format = (value: number) => (Number.isInteger(value) ? String(value) : value.toPrecision(4));

function isMet({ value, low, high }: Goal): boolean {
  return !Number.isNaN(value) && value >= (low ?? -Infinity) && value <= (high ?? Infinity);
}

/** Limits the goals for generated data to matching names, because the other goals are for real series. */
export function withoutAnchors(goals: readonly Goal[], judged: RegExp): Goal[] {
  return goals.map((goal) => (judged.test(goal.name) ? goal : { name: goal.name, value: goal.value }));
}

/** Prints goals as a Markdown table and returns the exit code: 1 if a goal is missed. */
export function printGoals(goals: readonly Goal[]): number {
  process.stdout.write("\n| what | measured | goal | met | anchors |\n|---|---|---|---|---|\n");
  for (const goal of goals) {
    const { name, value, low, high, anchors } = goal;
    const range = [low !== undefined ? `>= ${low}` : "", high !== undefined ? `<= ${high}` : ""].filter(Boolean);
    const met = range.length === 0 ? "" : isMet(goal) ? "yes" : "MISSED";
    process.stdout.write(`| ${name} | ${format(value)} | ${range.join(", ")} | ${met} | ${anchors ?? ""} |\n`);
  }
  const judged = goals.filter(({ low, high }) => low !== undefined || high !== undefined);
  const missed = judged.filter((goal) => !isMet(goal));
  process.stdout.write(`\n${judged.length - missed.length} goals met, ${missed.length} missed\n`);
  return missed.length === 0 ? 0 : 1;
}
