/** The document that the calibration parses and serializes: an ordinary JSON document of 64 kB. */
const document = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => ({
    id,
    name: `Token ${id}`,
    symbol: "KITE",
    price: id / 7,
    is_listed: id % 2 === 0,
    description: "A kite that flies over the harbour, and an ordinary sentence.",
  })),
);
const passes = 400;

/**
 * Returns the CPU time of this thread while `work` runs, in milliseconds. Some systems count in steps of 10 ms: measure
 * work of at least ten times that.
 */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns the CPU time in which this machine currently parses and serializes an ordinary document of 64 kB, in
 * milliseconds. Limits of CPU time are multiples of this time, so that they also hold on a slower machine.
 */
export async function calibrateCpuMs(): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const total = await measureCpuMs(() => {
      for (let pass = 0; pass < passes; pass++) JSON.stringify(JSON.parse(document));
    });
    times.push(total / passes);
  }
  return Math.min(...times);
}
