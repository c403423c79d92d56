import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { startPostgres } from "../postgres/startPostgres.ts";
import getPort from "get-port";
import { parseStartMode } from "./startMode.ts";

const externalChain = {
  DATABASE_URL: "postgres://x",
  RPC_URL: "http://x",
  MANIFEST_PATH: "m.json",
  MANIFEST_SHA256: "00",
};

test("starts the local stack with its demo by default", () => {
  expect(parseStartMode([], {})).toEqual({ kind: "local", demo: true });
});

test.each([
  ["npm start -- --no-demo", ["--no-demo"], {}],
  ["npm start --no-demo, which npm keeps to itself", [], { npm_config_demo: "" }],
])("leaves the demo out: %s", (_, args, environment) => {
  expect(parseStartMode(args, environment)).toEqual({ kind: "local", demo: false });
});

test("serves an external chain when all four settings are set", () => {
  expect(parseStartMode([], externalChain)).toEqual({ kind: "external-chain" });
});

test.each(Object.keys(externalChain))("names %s when it alone is missing", (name) => {
  expect(() => parseStartMode([], { ...externalChain, [name]: undefined })).toThrow(`but ${name} is not.`);
});

test("names all missing settings", () => {
  expect(() => parseStartMode([], { RPC_URL: "http://x" })).toThrow(
    "RPC_URL is set but DATABASE_URL, MANIFEST_PATH, MANIFEST_SHA256 are not.",
  );
});

test.each(["abc", "0", "65536", "-1", "1.5", ""])("refuses PORT=%j", (PORT) => {
  expect(() => parseStartMode([], { PORT })).toThrow("PORT is");
});

test("refuses an unknown argument", () => {
  expect(() => parseStartMode(["--nodemo"], {})).toThrow("Unknown argument: --nodemo");
});

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The server on an external chain, started by a shell as npm starts it; its chain does not answer. */
async function startedByNpm() {
  const postgres = await startPostgres({ dir: createTestFolder(), durable: false });
  onTestFinished(() => postgres.stop());
  const port = String(await getPort({ host: "127.0.0.1" }));
  // Two commands: the shell stays beside the first.
  const shell = spawn("sh", ["-c", '"$0" "$1" & echo $!; wait; true', process.execPath, program], {
    env: {
      ...process.env,
      npm_lifecycle_event: "start",
      PORT: port,
      DATABASE_URL: postgres.url,
      RPC_URL: "http://127.0.0.1:1",
      MANIFEST_PATH: "none.json",
      MANIFEST_SHA256: "ab".repeat(32),
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
  await expect.poll(answers, { timeout: 60_000 }).toBe(200);
  return { shell, main: Number.parseInt(output, 10), answers };
}

describe("npm start on an external chain", { timeout: 180_000 }, () => {
  test("ends when npm's shell ends without passing the signal on", async () => {
    const { shell, answers } = await startedByNpm();
    shell.kill("SIGTERM");
    await expect.poll(answers, { timeout: 60_000 }).toBe(0);
  });

  test("leaves no server running when it is killed", async () => {
    const { main, answers } = await startedByNpm();
    process.kill(main, "SIGKILL");
    await expect.poll(answers, { timeout: 60_000 }).toBe(0);
  });
});
