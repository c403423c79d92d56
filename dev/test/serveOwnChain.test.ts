import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../src/postgres/startPostgres.ts";
import { freePort } from "../src/process/freePort.ts";
import { testFolder } from "./support/testFolder.ts";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** The server of a chain of one's own, started by a shell as npm starts it; its chain does not answer. */
async function startedByNpm() {
  const postgres = await startPostgres({ dir: testFolder(), durable: false });
  onTestFinished(() => postgres.stop());
  const port = String(await freePort());
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
  let said = "";
  shell.stdout.on("data", (chunk) => (said += chunk));
  const answers = async () =>
    await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(200);
  return { shell, main: Number.parseInt(said, 10), answers };
}

describe("npm start on a chain of one's own", { timeout: 180_000 }, () => {
  test("ends when npm is told to: its shell dies without passing the signal on", async () => {
    const { shell, answers } = await startedByNpm();
    shell.kill("SIGTERM");
    await expect.poll(answers, { timeout: 30_000 }).toBe(0);
  });

  test("leaves no server behind when it is killed", async () => {
    const { main, answers } = await startedByNpm();
    process.kill(main, "SIGKILL");
    await expect.poll(answers, { timeout: 30_000 }).toBe(0);
  });
});
