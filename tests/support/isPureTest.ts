import { readFileSync } from "node:fs";

/** Imports or calls of a test with real parts: a harness, a process, a socket, a database. */
const realParts = [
  /from "[./]+\/tests\/support\/(?!web\/)/,
  /from "(?:\.\.?\/[\w./]*[tT]est\w*\.ts|@slipway\/dev\/.*|pg|ws|fastify)"/,
  /from "node:(?:child_process|http|https|net|tls|worker_threads|cluster|dgram)"/,
  /\bprocess\.execPath\b|\bfetch\(/,
];

/**
 * Whether a test file has no real parts, by its imports. Such a test always gives the same result, so it has no retry.
 * Tests of `compute` start processes and threads.
 */
export function isPureTest(path: string): boolean {
  if (path.includes("/compute/")) return false;
  const source = readFileSync(path, "utf8");
  return !realParts.some((part) => part.test(source));
}
