import { expect, test } from "vitest";
import { askedMode } from "../src/stack/askedMode.ts";

const ownChain = { DATABASE_URL: "postgres://x", RPC_URL: "http://x", MANIFEST_PATH: "m.json", MANIFEST_SHA256: "00" };

test("starts the local stack with its demo by default", () => {
  expect(askedMode([], {})).toEqual({ kind: "local", demo: true });
});

test.each([
  ["npm start -- --no-demo", ["--no-demo"], {}],
  ["npm start --no-demo, which npm keeps to itself", [], { npm_config_demo: "" }],
])("leaves the demo out: %s", (_, args, environment) => {
  expect(askedMode(args, environment)).toEqual({ kind: "local", demo: false });
});

test("serves a chain of your own when all four settings are there", () => {
  expect(askedMode([], ownChain)).toEqual({ kind: "own-chain" });
});

test.each(Object.keys(ownChain))("names %s when it alone is missing", (name) => {
  expect(() => askedMode([], { ...ownChain, [name]: undefined })).toThrow(`but ${name} is not.`);
});

test("names all that are missing", () => {
  expect(() => askedMode([], { RPC_URL: "http://x" })).toThrow(
    "RPC_URL is set but DATABASE_URL, MANIFEST_PATH, MANIFEST_SHA256 are not.",
  );
});

test.each(["abc", "0", "65536", "-1", "1.5", ""])("refuses PORT=%j", (PORT) => {
  expect(() => askedMode([], { PORT })).toThrow("PORT is");
});

test("refuses an unknown argument", () => {
  expect(() => askedMode(["--nodemo"], {})).toThrow("Unknown argument: --nodemo");
});
