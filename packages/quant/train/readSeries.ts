import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The series of a folder by file, and the SHA-256 over the files' names and contents in order of their names. */
export type Input = { files: { name: string; series: number[][] }[]; sha256: string };

/** Rows `id,value,value...` of different lengths, without a header. */
function parseSeries(text: string): number[][] {
  return text
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split(",")
        .slice(1)
        .filter((cell) => cell !== "")
        .map(Number),
    );
}

/** The closes of a file of bars with the header `time,open,high,low,close,...`, before `until` (Unix seconds). */
function parseCloses(text: string, until: number): number[][] {
  const [header, ...lines] = text.trim().split("\n");
  const close = header!.split(",").indexOf("close");
  const rows = lines.map((line) => line.split(",").map(Number));
  return [rows.filter((row) => row[0]! < until).map((row) => row[close]!)];
}

/**
 * Reads the files of a folder whose names match: M4's rows of series, or bars by their header.
 *
 * @throws when no file matches
 */
export function readInput(folder: string, pattern: RegExp, until = Number.POSITIVE_INFINITY): Input {
  const hash = createHash("sha256");
  const names = readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort();
  if (names.length === 0) throw new Error(`${folder} has no file that matches ${pattern}`);
  const files = names.map((name) => {
    const bytes = readFileSync(join(folder, name));
    hash.update(`${name}\n`).update(bytes);
    const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    return { name, series: text.startsWith("time,") ? parseCloses(text, until) : parseSeries(text) };
  });
  return { files, sha256: hash.digest("hex") };
}
