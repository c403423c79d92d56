import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { advisoryLocks } from "./advisoryLocks.ts";

const source = new URL("../", import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ts|sql)$/.test(name));
const read = (name: string) => readFileSync(new URL(name, source), "utf8");

test("every lock has a different number", () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("the table contains every lock number of the migrations", () => {
  const migrations = files.filter((name) => name.endsWith(".sql"));
  const used = migrations.flatMap((name) =>
    [...read(name).matchAll(/pg_advisory\w*\((\d+)\)/g)].map((match) => match[1]),
  );
  expect(used.length).toBeGreaterThan(0);
  expect(Object.values(advisoryLocks)).toEqual(expect.arrayContaining([...new Set(used)].map(Number)));
});

test("no program contains a lock number", () => {
  const programs = files.filter((name) => name.endsWith(".ts") && !/test\.ts$|advisoryLocks\.ts$/.test(name));
  expect(programs.filter((name) => /7_?416_?033_?5\d\d/.test(read(name)))).toEqual([]);
});
