import { createHash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { createIds } from "./ids.ts";
import { systemClock } from "./clock.ts";
import { apiKeyPrefix } from "./http/refuseCredentialsInUrl.ts";
import * as accounts from "./db/accounts.ts";

const usage = `Administers accounts, API keys, plans and credits of the database that DATABASE_URL names.

  accounts create --name NAME [--plan PLAN] [--days N] [--credits N]   an account and its first key
  accounts key --account ID [--name NAME]                              another key
  accounts revoke --key ID                                             ends a key within a second
  accounts plan --account ID --plan PLAN [--days N]                    starts a plan; without --days it has no end
  accounts credit --account ID --credits N [--reason TEXT]             adds credits; takes them with --credits=-N
  accounts list                                                        accounts with plan, credits and keys

With --json the answer is one JSON line. A key is shown once and stored only as its SHA-256.
`;

/** A call that cannot be carried out (sysexits EX_USAGE). */
const usageExitCode = 64;

class UsageError extends Error {}

const ids = createIds(systemClock);

function newKey(): { key: string; hash: Buffer; prefix: string } {
  const key = `${apiKeyPrefix}${randomBytes(32).toString("base64url")}`;
  return { key, hash: createHash("sha256").update(key).digest(), prefix: key.slice(0, apiKeyPrefix.length + 4) };
}

function integerOption(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}

function required(value: string | undefined, name: string): string {
  if (!value) throw new UsageError(`--${name} is missing`);
  return value;
}

async function run(argv: string[]): Promise<Record<string, unknown> | Record<string, unknown>[]> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      name: { type: "string" },
      plan: { type: "string" },
      days: { type: "string" },
      credits: { type: "string" },
      account: { type: "string" },
      key: { type: "string" },
      reason: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new UsageError("DATABASE_URL is not set");
  const days = integerOption(values.days, "days");
  const credits = integerOption(values.credits, "credits");
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    switch (positionals[0]) {
      case "create": {
        const [accountId, keyId] = [ids.uuid(), ids.uuid()];
        const { key, hash, prefix } = newKey();
        const name = required(values.name, "name");
        await accounts.createAccount(pool, { accountId, name, keyId, keyName: "first key", hash, prefix });
        if (values.plan) await accounts.startPlan(pool, accountId, values.plan, days);
        if (credits) await accounts.addCredits(pool, accountId, credits, "grant", ids.uuid());
        return { account_id: accountId, key_id: keyId, api_key: key };
      }
      case "key": {
        const { key, hash, prefix } = newKey();
        const accountId = required(values.account, "account");
        const keyId = ids.uuid();
        await accounts.addKey(pool, { accountId, keyId, name: values.name ?? "key", hash, prefix });
        return { account_id: accountId, key_id: keyId, api_key: key };
      }
      case "revoke":
        return { revoked: await accounts.revokeKey(pool, required(values.key, "key")) };
      case "plan": {
        const accountId = required(values.account, "account");
        await accounts.startPlan(pool, accountId, required(values.plan, "plan"), days);
        return { account_id: accountId, plan: values.plan };
      }
      case "credit": {
        const accountId = required(values.account, "account");
        if (!credits) throw new UsageError("--credits must be a whole number other than 0");
        const balance = await accounts.addCredits(pool, accountId, credits, values.reason ?? "grant", ids.uuid());
        return { account_id: accountId, balance };
      }
      case "list":
        return await accounts.listAccounts(pool);
      default:
        throw new UsageError(positionals[0] ? `there is no command ${positionals[0]}` : "a command is missing");
    }
  } finally {
    await pool.end();
  }
}

try {
  const answer = await run(process.argv.slice(2));
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else if (Array.isArray(answer)) console.table(answer);
  else for (const [name, value] of Object.entries(answer)) process.stdout.write(`${name}: ${String(value)}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}
