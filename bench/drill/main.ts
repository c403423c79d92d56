import { readdirSync } from "node:fs";

/**
 * A drill: a file of this folder, named after the drill, with these exports. It does nothing when it is imported. Parts
 * of drills are in folders below.
 */
export type Drill = {
  /** One line for the list of drills. */
  description: string;
  /**
   * Runs the drill and prints its result.
   *
   * @param options - The arguments after the name.
   * @param signal - Aborts at SIGINT, SIGTERM and SIGHUP: the drill then ends its processes, and returns or throws.
   * @returns whether every goal was met.
   */
  run(options: string[], signal: AbortSignal): Promise<boolean>;
};

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts")
  .map((file) => file.slice(0, -".ts".length))
  .sort();
const load = async (drill: string) => (await import(`./${drill}.ts`)) as Drill;

const [name, ...options] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stdout.write("npm run drill -- NAME [options]; bench/README.md describes the options.\n\n");
  for (const one of names) process.stdout.write(`  ${one.padEnd(16)}${(await load(one)).description}\n`);
  process.exitCode = name === undefined || name === "--help" ? 0 : 64;
} else {
  const stopped = new AbortController();
  // A terminal sends the signal to this process and to npm, which sends it again: only the first one counts. The drill
  // ends its processes meanwhile.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());
  const { run } = await load(name);
  try {
    process.exitCode = (await run(options, stopped.signal)) ? 0 : 1;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    process.stderr.write("stopped by a signal; every process of the drill has ended\n");
    process.exitCode = 130;
  }
}
