import { parseArgs } from "node:util";
import { displayName, type Scope, scope } from "@slipway/protocol/accounts";
import { creditReason, planName } from "@slipway/protocol/administration";
import { moderatedIds, moderatedKinds, moderationReason } from "@slipway/protocol/moderation";
import type pg from "pg";
import { z } from "zod";
import { listAccountEvents } from "./accounts/accountEvents.ts";
import { createAccount, listAccounts } from "./accounts/accounts.ts";
import { createApiKeySecret, insertApiKey, type NewApiKey, revokeApiKey } from "./accounts/apiKeys.ts";
import { bookCredits } from "./accounts/credits.ts";
import { deleteAccount } from "./accounts/deleteAccount.ts";
import { exportAccount } from "./accounts/exportAccount.ts";
import { endPlans, startPlan } from "./accounts/plans.ts";
import { createIds } from "./createIds.ts";
import { withCommandPool } from "./db/withCommandPool.ts";
import { withTransaction } from "./db/withTransaction.ts";
import { listReports, moderate, toTarget } from "./features/moderation/queries.ts";
import { systemClock } from "./systemClock.ts";

const usage = `Administers accounts, API keys, plans and credits of the database that DATABASE_URL names.

  accounts create --name NAME [--plan PLAN] [--days N] [--credits N] [--scopes A,B]   an account and its first key
  accounts key --account ID [--name NAME] [--scopes A,B] [--days N]                   another key
  accounts revoke --key ID                                             ends a key within a second
  accounts plan --account ID --plan PLAN [--days N]                    starts a plan; without --days it has no end
  accounts end-plan --account ID                                       ends all active plans
  accounts credit --account ID --credits N [--reason TEXT]             adds credits; subtracts them with --credits=-N
  accounts events --account ID [--limit N] [--before ID]               events of the account, newest first
  accounts export --account ID                                         all stored data of the account, as JSON
  accounts delete --account ID                                         deletes permanently; credit bookings stay without a name
  accounts reports [--limit N] [--before ID]                           reports from the public, newest first
  accounts block --kind KIND --id ID --reason TEXT                     blocks a listing, token or image
  accounts unblock --kind KIND --id ID --reason TEXT                   ends a block
  accounts list [--limit N] [--before ID]                              accounts with plan, credits and keys

Scopes: ${scope.options.join(", ")}; by default a key has read, write and transactions. Plans: ${planName.options.join(", ")}.
With --json the output is one JSON line. A key is shown once and stored only as its SHA-256.
`;

/** A command line that is not valid (sysexits EX_USAGE). */
const usageExitCode = 64;

class UsageError extends Error {}

const ids = createIds(systemClock);

type Output = Record<string, unknown> | Record<string, unknown>[];
type Values = Partial<Record<(typeof textOptions)[number], string>> & { json?: boolean };

const textOptions = [
  "name",
  "plan",
  "days",
  "credits",
  "account",
  "key",
  "reason",
  "scopes",
  "limit",
  "before",
  "kind",
  "id",
] as const;

function parseInteger(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}

/** The same bounds as POST /api/admin/plans. */
function parseDays(value: string | undefined): number | undefined {
  const days = value === undefined ? undefined : /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (days !== undefined && (days < 1 || days > 36_500)) {
    throw new UsageError("--days must be a whole number from 1 to 36500");
  }
  return days;
}

function requireOption(value: string | undefined, name: string): string {
  if (!value) throw new UsageError(`--${name} is missing`);
  return value;
}

/** Parses a text with the schema of the HTTP API, which also determines the message. */
function parseText(schema: z.ZodType<string>, value: string, name: string): string {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new UsageError(`--${name} ${parsed.error.issues[0]?.message ?? "is not valid"}`);
  return parsed.data;
}

function parseScopes(value: string | undefined): Scope[] {
  const named = (value ?? "").split(",").filter(Boolean);
  const parsed = scope.array().safeParse(named);
  if (!parsed.success) throw new UsageError(`--scopes must be of ${scope.options.join(", ")}`);
  return parsed.data;
}

function parsePlan(value: string | undefined): string {
  const parsed = planName.safeParse(requireOption(value, "plan"));
  if (!parsed.success) throw new UsageError(`--plan must be one of ${planName.options.join(", ")}`);
  return parsed.data;
}

const createNoAccountError = (id: string) => new Error(`There is no account ${id}.`);

async function startNewPlan(pool: pg.Pool, accountId: string, plan: string, days: number | undefined): Promise<void> {
  const started = await withTransaction(pool, (client) => startPlan(client, accountId, plan, days));
  if (started === null) throw createNoAccountError(accountId);
}

/** @returns the balance after the booking. */
async function grantCredits(pool: pg.Pool, accountId: string, amount: number, reason: string): Promise<number> {
  const booking = await bookCredits(pool, { accountId, kind: "grant", amount, reason, requestId: ids.uuid() });
  if (booking.outcome === "no_account") throw createNoAccountError(accountId);
  if (booking.outcome === "insufficient") throw new Error("The balance cannot be negative.");
  return Number(booking.row.balance_after);
}

/** Blocks or unblocks the object of `--kind` and `--id`, by the same rules as over HTTP. */
async function moderateNamed(pool: pg.Pool, values: Values, blocked: boolean): Promise<Output> {
  const kind = z.enum(moderatedKinds).safeParse(requireOption(values.kind, "kind"));
  if (!kind.success) throw new UsageError(`--kind must be one of ${moderatedKinds.join(", ")}`);
  const id = parseText(moderatedIds[kind.data], requireOption(values.id, "id"), "id");
  const target = toTarget(kind.data, id);
  const reason = parseText(moderationReason, requireOption(values.reason, "reason"), "reason");
  const event = await moderate(pool, { kind: kind.data, target, blocked, reason, administrator: null });
  if (event === null) throw new Error(`There is no ${kind.data} ${id}.`);
  return { kind: kind.data, id, blocked: event.blocked, reason: event.reason };
}

const commands: Record<string, (pool: pg.Pool, values: Values) => Promise<Output>> = {
  create: async (pool, values) => {
    const accountId = ids.uuid();
    const keyId = ids.uuid();
    const { key, hash, prefix } = createApiKeySecret(ids);
    const name = parseText(displayName, requireOption(values.name, "name"), "name");
    const plan = values.plan === undefined ? null : parsePlan(values.plan);
    const credits = parseInteger(values.credits, "credits") ?? 0;
    if (credits < 0) throw new UsageError("--credits of a new account cannot be negative");
    const days = parseDays(values.days);
    const scopes = parseScopes(values.scopes);
    await createAccount(pool, { accountId, name, keyId, keyName: "first key", hash, prefix, scopes });
    if (plan !== null) await startNewPlan(pool, accountId, plan, days);
    if (credits) await grantCredits(pool, accountId, credits, "grant");
    return { account_id: accountId, key_id: keyId, api_key: key };
  },
  key: async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    const keyId = ids.uuid();
    const { key, hash, prefix } = createApiKeySecret(ids);
    const newKey: NewApiKey = {
      keyId,
      accountId,
      createdBy: "operator",
      name: parseText(displayName, values.name ?? "key", "name"),
      hash,
      prefix,
      scopes: parseScopes(values.scopes),
      expiresInDays: parseDays(values.days),
    };
    const stored = await withTransaction(pool, async (client) => await insertApiKey(client, newKey));
    if (stored === null) throw new Error(`There is no account ${accountId}, or it has too many keys.`);
    return { account_id: accountId, key_id: keyId, api_key: key };
  },
  revoke: async (pool, values) => ({ revoked: await revokeApiKey(pool, requireOption(values.key, "key"), null) }),
  plan: async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    const plan = parsePlan(values.plan);
    await startNewPlan(pool, accountId, plan, parseDays(values.days));
    return { account_id: accountId, plan };
  },
  "end-plan": async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    return { account_id: accountId, ended: await withTransaction(pool, (client) => endPlans(client, accountId)) };
  },
  credit: async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    const credits = parseInteger(values.credits, "credits");
    if (!credits) throw new UsageError("--credits must be a whole number other than 0");
    const reason = parseText(creditReason, values.reason ?? "grant", "reason");
    return { account_id: accountId, balance: await grantCredits(pool, accountId, credits, reason) };
  },
  events: async (pool, values) => {
    const before = parseInteger(values.before, "before");
    const limit = parseInteger(values.limit, "limit") ?? 100;
    return await listAccountEvents(pool, requireOption(values.account, "account"), { limit, before });
  },
  export: async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    const exported = await exportAccount(pool, accountId);
    if (exported === null) throw createNoAccountError(accountId);
    return JSON.parse((await Array.fromAsync(exported)).join(""));
  },
  delete: async (pool, values) => {
    const accountId = requireOption(values.account, "account");
    if (!(await deleteAccount(pool, accountId))) throw createNoAccountError(accountId);
    return { account_id: accountId, deleted: true };
  },
  reports: async (pool, values) => {
    const limit = parseInteger(values.limit, "limit") ?? 100;
    return await listReports(pool, { limit, before: values.before });
  },
  block: async (pool, values) => await moderateNamed(pool, values, true),
  unblock: async (pool, values) => await moderateNamed(pool, values, false),
  list: async (pool, values) =>
    await listAccounts(pool, { limit: parseInteger(values.limit, "limit") ?? 1_000, before: values.before }),
};

async function run(argv: string[]): Promise<Output> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      ...(Object.fromEntries(textOptions.map((name) => [name, { type: "string" }])) as Record<
        (typeof textOptions)[number],
        { type: "string" }
      >),
      json: { type: "boolean" },
    },
  });
  const command = commands[positionals[0] ?? ""];
  if (!command) throw new UsageError(positionals[0] ? `there is no command ${positionals[0]}` : "a command is missing");
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new UsageError("DATABASE_URL is not set");
  return await withCommandPool(connectionString, (pool) => command(pool, values as Values));
}

const toText = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value);

try {
  const output = await run(process.argv.slice(2));
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(output)}\n`);
  else if (Array.isArray(output)) console.table(output);
  else for (const [name, value] of Object.entries(output)) process.stdout.write(`${name}: ${toText(value)}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}
