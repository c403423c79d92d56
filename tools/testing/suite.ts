/** How many checks of a suite passed and failed. */
export type Counts = {
  passed: number;
  failed: number;
  /** The files that hold what failed, where the suite knows them. */
  failedFiles?: readonly string[];
  /** Every test by its whole name, where the suite knows them. */
  tests?: readonly TestOutcome[];
};

export type TestOutcome = { name: string; passed: boolean };

/** One heading of `npm test`: a command, and how its counts are read from what it left behind. */
export type Suite = {
  name: string;
  title: string;
  /** Program and arguments; programs of the dependencies are found in `node_modules/.bin`. */
  command: readonly [string, ...string[]];
  /**
   * Reads the counts after the command ended.
   *
   * @returns null when there is nothing to read, which fails the suite.
   */
  count: (run: { output: string; exitCode: number }) => Counts | null;
  /**
   * The same suite for some of its files alone. A suite of real processes has it: what fails beside everything else is
   * run once more alone, and is called unsteady when it passes then.
   */
  alone?: (files: readonly string[]) => Suite;
};
