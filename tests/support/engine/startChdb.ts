import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../tools/sourceFiles.ts";

/** The embedded ClickHouse. Its library has 540 MB, so only the tests that need it install it. */
const version = "3.4.0";

/** Installs the package once; returns its folder. */
function installChdb(): string {
  const folder = join(repositoryRoot, ".cache", "chdb", version);
  if (!existsSync(join(folder, "node_modules", "chdb"))) {
    mkdirSync(folder, { recursive: true });
    const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", ["install", ...options, `chdb@${version}`], { stdio: "inherit" });
  }
  return folder;
}

export type TestEngine = { url: string; query: (statement: string) => Promise<string>; stop: () => Promise<void> };

/** Starts chDB behind ClickHouse's HTTP interface. @param data - The folder of its data. */
export async function startChdb(data: string, port = 0): Promise<TestEngine & { port: number }> {
  const program = join(import.meta.dirname, "chdbServer.mjs");
  const child = spawn(process.execPath, [program, installChdb(), data], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CHDB_PORT: String(port) },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const used = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (text: Buffer) => resolve(Number(text)));
    child.once("exit", (code) => reject(new Error(`chDB ended with ${code}`)));
  });
  return {
    port: used,
    url: `http://slipway:secret@127.0.0.1:${used}/slipway`,
    query: async (statement) =>
      await queryText(`http://127.0.0.1:${used}/`, { user: "slipway", key: "secret" }, statement),
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Runs a statement over HTTP; resolves with its result as tab-separated text. */
export async function queryText(
  origin: string,
  credentials: { user: string; key: string },
  statement: string,
): Promise<string> {
  const headers = { "x-clickhouse-user": credentials.user, "x-clickhouse-key": credentials.key };
  const response = await fetch(`${origin}?wait_end_of_query=1`, { method: "POST", body: statement, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text.slice(0, 500));
  return text.trim();
}
