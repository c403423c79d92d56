import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../stack/stackFolder.ts";
import { StackError } from "../stack/stackError.ts";

type LocalAccount = { account_id: string; api_key: string };

const accountsProgram = join(repositoryRoot, "apps/server/src/accountsCommand.ts");

/**
 * The API key of the account `local` (an active plan, credits): the one kept by an earlier start while the service
 * still accepts it, else that of a new account. Kept in `path`, mode 0600.
 *
 * @param environment the server's, for the program that creates accounts
 * @throws StackError when no account can be created
 */
export async function localApiKey(
  path: string,
  baseUrl: string,
  environment: Record<string, string>,
): Promise<{ apiKey: string; created: boolean }> {
  const kept = keptAccount(path);
  if (kept !== null && (await isAccepted(baseUrl, kept.api_key))) return { apiKey: kept.api_key, created: false };
  const account = await createAccount(environment);
  writeFileSync(`${path}.partial`, `${JSON.stringify(account)}\n`, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
  return { apiKey: account.api_key, created: true };
}

function keptAccount(path: string): LocalAccount | null {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as LocalAccount;
  } catch {
    return null;
  }
}

/** False only when the service says that it does not know the key. */
async function isAccepted(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/intents`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status !== 401;
}

function createAccount(environment: Record<string, string>): Promise<LocalAccount> {
  const args = ["create", "--name", "local", "--plan", "subscriber", "--credits", "1000", "--json"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [accountsProgram, ...args], {
      cwd: repositoryRoot,
      env: { ...process.env, ...environment, LOG_LEVEL: "fatal" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      // Its answer is the last line; nothing of it may be printed, it holds the key.
      const line = output.trim().split("\n").at(-1) ?? "";
      try {
        const account = JSON.parse(line) as LocalAccount;
        if (code === 0 && typeof account.api_key === "string") return resolve(account);
      } catch {
        // Told below.
      }
      reject(
        new StackError(
          `The local account could not be created (npm run accounts ended with code ${code}):\n${errors.trimEnd()}`,
          "The server's log, .slipway/server.log, may say more.",
        ),
      );
    });
  });
}
