import { expect, test } from "vitest";
import { parseStackPorts } from "./stackPorts.ts";

test("uses the default port for the site and chooses the others, unless they are configured", () => {
  expect(parseStackPorts({})).toEqual({ site: 8787, chain: undefined, database: undefined });
  const named = { PORT: "8788", CHAIN_PORT: "8600", DATABASE_PORT: "5433" };
  expect(parseStackPorts(named)).toEqual({ site: 8788, chain: 8600, database: 5433 });
});

test.each(["PORT", "CHAIN_PORT", "DATABASE_PORT"])("rejects a malformed %s with advice", (name) => {
  for (const value of ["abc", "0", "65536", "-1", "1.5", "", " 8600", "0x21", "1e3"]) {
    const error = getError({ [name]: value });
    expect(error.message, value).toBe(`${name} is ${JSON.stringify(value)}.`);
    expect(error.whatToDo).toMatch(new RegExp(`^Give a number from 1 to 65535: ${name}=\\d+ npm start$`));
  }
});

test("rejects equal ports, also a port equal to the site's default", () => {
  expect(getError({ CHAIN_PORT: "8600", DATABASE_PORT: "8600" }).message).toBe(
    "CHAIN_PORT and DATABASE_PORT are both 8600.",
  );
  expect(getError({ PORT: "8600", CHAIN_PORT: "8600" }).message).toBe("PORT and CHAIN_PORT are both 8600.");
  expect(getError({ DATABASE_PORT: "8787" }).message).toBe("PORT and DATABASE_PORT are both 8787.");
});

function getError(environment: Record<string, string>): { message: string; whatToDo: string } {
  try {
    parseStackPorts(environment);
  } catch (error) {
    return error as never;
  }
  throw new Error("it was accepted");
}
