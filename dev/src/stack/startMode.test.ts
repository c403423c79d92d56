import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeManifest } from "@slipway/deploy/readManifest";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { testManifest } from "../../../tests/support/server/testManifest.ts";
import { startPostgres } from "../postgres/startPostgres.ts";
import { getFreePort } from "../process/getFreePort.ts";
import { parseStartMode } from "./startMode.ts";

const externalChain = {
  DATABASE_URL: "postgres://x",
  RPC_URL: "http://x",
  MANIFEST_PATH: "m.json",
  MANIFEST_SHA256: "00",
};

test("starts the local stack with its demo by default", () => {
  const ports = { site: 8787, chain: undefined, database: undefined };
  expect(parseStartMode([], {})).toEqual({ kind: "local", demo: true, watch: false, ports });
  expect(parseStartMode(["--watch"], {})).toEqual({ kind: "local", demo: true, watch: true, ports });
});

test.each([
  ["npm start -- --no-demo", ["--no-demo"], {}],
  ["npm start --no-demo, which npm keeps to itself", [], { npm_config_demo: "" }],
])("omits the demo: %s", (_, args, environment) => {
  expect(parseStartMode(args, environment)).toMatchObject({ kind: "local", demo: false });
});

test("serves an external chain when all four settings are set", () => {
  expect(parseStartMode([], externalChain)).toEqual({ kind: "external-chain" });
});

test.each(Object.keys(externalChain))("names %s when only this setting is missing", (name) => {
  expect(() => parseStartMode([], { ...externalChain, [name]: undefined })).toThrow(`but ${name} is not.`);
});

test("names all missing settings", () => {
  expect(() => parseStartMode([], { RPC_URL: "http://x" })).toThrow(
    "RPC_URL is set but DATABASE_URL, MANIFEST_PATH, MANIFEST_SHA256 are not.",
  );
});

test("rejects malformed ports of the local stack, but leaves ports to the server with an external chain", () => {
  expect(() => parseStartMode([], { PORT: "abc" })).toThrow("PORT is");
  expect(() => parseStartMode([], { CHAIN_PORT: "0" })).toThrow("CHAIN_PORT is");
  expect(parseStartMode([], { ...externalChain, PORT: "abc" })).toEqual({ kind: "external-chain" });
});

test.each([["--help"], ["-h"], ["--no-demo", "--help"]])("shows the help even with invalid settings: %j", (...args) => {
  expect(parseStartMode(args, { PORT: "abc", RPC_URL: "http://x" })).toEqual({ kind: "help" });
});

test("rejects an unknown argument", () => {
  expect(() => parseStartMode(["--nodemo"], {})).toThrow("Unknown argument: --nodemo");
});

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts the server on an external chain from a shell, as npm does; the chain does not respond. */
async function startedByNpm() {
  const postgres = await startPostgres({ dir: createTestFolder(), durable: false });
  onTestFinished(() => postgres.stop());
  const port = String(await getFreePort());
  const manifest = join(createTestFolder(), "manifest.json");
  // Two commands, so that the shell keeps running beside the first one.
  const shell = spawn("sh", ["-c", '"$0" "$1" & echo $!; wait; true', process.execPath, program], {
    env: {
      ...process.env,
      npm_lifecycle_event: "start",
      PORT: port,
      DATABASE_URL: postgres.url,
      RPC_URL: "http://127.0.0.1:1",
      MANIFEST_PATH: manifest,
      MANIFEST_SHA256: writeManifest(manifest, testManifest),
      ROLES: "api",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  shell.stdout.on("data", (chunk) => (output += chunk));
  const answers = async () =>
    await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answers).toBe(200);
  return { shell, main: Number.parseInt(output, 10), answers };
}

describe("npm start on an external chain", () => {
  test("ends when npm's shell ends without passing the signal on", async () => {
    const { shell, answers } = await startedByNpm();
    shell.kill("SIGTERM");
    await expect.poll(answers).toBe(0);
  });

  test("leaves no server running when it is killed", async () => {
    const { main, answers } = await startedByNpm();
    process.kill(main, "SIGKILL");
    await expect.poll(answers).toBe(0);
  });
});
