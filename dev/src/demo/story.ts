import pc from "picocolors";

/** A step of the demo that did not turn out as promised. */
export class DemoFailure extends Error {
  override readonly name = "DemoFailure";
}

/** How the demo tells what happens: chapters, facts, and checks that end it when they fail. */
export type Story = {
  chapter: (title: string, explanation: string) => void;
  /** A named value: an address, a hash, an amount. */
  fact: (name: string, value: string) => void;
  /** @throws DemoFailure when the two differ */
  same: (what: string, actual: unknown, expected: unknown) => void;
  /** Equal but for the last digits of a float. @throws DemoFailure */
  close: (what: string, actual: number | null, expected: number | null, tolerance?: number) => void;
  /** @throws DemoFailure when it does not hold */
  holds: (what: string, condition: boolean, detail?: string) => void;
  /** How many checks were made. */
  checks: () => number;
};

/** Tells it as lines of text. */
export function printedStory(write: (text: string) => void): Story {
  let chapters = 0;
  let checks = 0;
  const passed = (what: string) => {
    checks += 1;
    write(`   ${pc.green("✓")} ${what}\n`);
  };
  return {
    chapter: (title, explanation) => {
      chapters += 1;
      write(`\n${pc.bold(`${chapters}. ${title}`)}\n   ${pc.dim(explanation)}\n`);
    },
    fact: (name, value) => write(`   ${name.padEnd(20)}${value}\n`),
    same: (what, actual, expected) => {
      const [left, right] = [plain(actual), plain(expected)];
      if (left !== right) throw new DemoFailure(`${what}: found ${left}, expected ${right}`);
      passed(what);
    },
    close: (what, actual, expected, tolerance = 1e-9) => {
      const apart = actual === null || expected === null ? (actual === expected ? 0 : 1) : relative(actual, expected);
      if (apart > tolerance) throw new DemoFailure(`${what}: found ${actual}, expected ${expected}`);
      passed(what);
    },
    holds: (what, condition, detail = "") => {
      if (!condition) throw new DemoFailure(`${what} does not hold${detail ? `: ${detail}` : ""}`);
      passed(what);
    },
    checks: () => checks,
  };
}

/** Text by which values are compared: addresses and hashes in one case, big integers as digits. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") return inner.toString();
    return typeof inner === "string" && /^0x[0-9a-fA-F]+$/.test(inner) ? inner.toLowerCase() : inner;
  });
}

function relative(actual: number, expected: number): number {
  if (actual === expected) return 0;
  return Math.abs(actual - expected) / Math.max(Math.abs(actual), Math.abs(expected));
}
