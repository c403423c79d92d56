import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { StackError } from "../stack/stackError.ts";
import { repositoryRoot, writePrivateFile } from "../stack/stackFolder.ts";

type LocalAccount = { account_id: string; api_key: string };

const accountsProgram = join(repositoryRoot, "apps/server/src/accountsCommand.ts");

/**
 * Returns the signing secret of this stack: the stored secret of an earlier start, or a new one. Stored in `path`, mode
 * 0600.
 */
export function loadSecret(path: string): string {
  const stored = readStored(path)?.trim() ?? "";
  if (stored.length >= 32) return stored;
  const secret = randomBytes(32).toString("base64url");
  writePrivateFile(path, `${secret}\n`);
  return secret;
}

/**
 * Returns the API key of the account `local` (an active plan, credits): the stored key of an earlier start if the
 * service still accepts it, otherwise the key of a new account. Stored in `path`, mode 0600.
 *
 * @param environment the environment of the server, for the program that creates accounts
 * @param program the path of this program; default: its sources
 * @throws StackError when no account can be created
 */
export async function loadApiKey(
  path: string,
  baseUrl: string,
  environment: Record<string, string>,
  program = accountsProgram,
): Promise<{ apiKey: string; created: boolean }> {
  const stored = parseAccount(readStored(path));
  if (stored !== null && (await isAccepted(baseUrl, stored.api_key))) return { apiKey: stored.api_key, created: false };
  const account = await createAccount(environment, program);
  writePrivateFile(path, `${JSON.stringify(account)}\n`);
  return { apiKey: account.api_key, created: true };
}

/** Returns false only if the service rejects the key as unknown. */
async function isAccepted(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/intents`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status !== 401;
}

async function createAccount(environment: Record<string, string>, program: string): Promise<LocalAccount> {
  const args = ["create", "--name", "local", "--plan", "subscriber", "--credits", "1000", "--json"];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], {
    cwd: repositoryRoot,
    env: { ...environment, LOG_LEVEL: "fatal" },
    stdin: "ignore",
    reject: false,
  });
  // The last line is the result. Do not print any part of it, because it contains the key.
  const account = parseAccount(stdout.trim().split("\n").at(-1));
  if (exitCode === 0 && typeof account?.api_key === "string") return account;
  throw new StackError(
    `The local account could not be created (npm run accounts ended with code ${exitCode}):\n${stderr}`,
    "The server's log, .slipway/server.log, may name the cause.",
  );
}

function readStored(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function parseAccount(text: string | undefined): LocalAccount | null {
  try {
    return JSON.parse(text ?? "") as LocalAccount;
  } catch {
    return null;
  }
}
