import { readFileSync } from "node:fs";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import type { Secret } from "./secret.ts";
import { integer, privateKey, wei } from "./settingTypes.ts";

const ether = 10n ** 18n;
const gwei = 10n ** 9n;

/** A private key in a file, with white space around it. The messages name no content of the file. */
const privateKeyFile = z.string().transform((path, context): Secret => {
  try {
    const parsed = privateKey.safeParse(readFileSync(path, "utf8").trim());
    if (parsed.success) return parsed.data;
    context.addIssue("names a file that is no private key; it must contain 0x followed by 64 hex digits");
  } catch {
    context.addIssue("names a file that cannot be read; correct the path, or let this user read the file");
  }
  return z.NEVER;
});

/** Settings of the keeper of fees, which is off without a key. `docs/keeper.md` explains them. */
export const keeperSettings = {
  /** Sends the claims of the keeper. The key needs no role, only native for gas. */
  KEEPER_PRIVATE_KEY: privateKey.optional(),
  /** The same key in a file, instead of KEEPER_PRIVATE_KEY. */
  KEEPER_PRIVATE_KEY_FILE: privateKeyFile.optional(),
  /** The least wrapped native that a payee must have earned. */
  KEEPER_MIN_PAYOUT_WEI: wei(ether / 100n),
  /** A claim must pay at least this many times its gas. */
  KEEPER_GAS_MULTIPLE: integer(1, 1_000_000).default(20),
  /** Maximum amount that the keeper spends on gas in 24 hours. */
  KEEPER_DAILY_CAP_WEI: wei(ether / 20n),
  /** The highest fee per gas that the keeper offers. */
  KEEPER_MAX_FEE_WEI: wei(2n * gwei),
  /** The keeper sends nothing while its balance is below. */
  KEEPER_FLOOR_WEI: wei(ether / 200n),
  KEEPER_INTERVAL_MS: integer(100, 86_400_000).default(60_000),
};

type Keys = { [K in "KEEPER_PRIVATE_KEY" | "KEEPER_PRIVATE_KEY_FILE" | "RELAYER_PRIVATE_KEY"]?: Secret | undefined };

/** Returns the keeper's key; null if the keeper is off. */
export function getKeeperSecret({ KEEPER_PRIVATE_KEY: key, KEEPER_PRIVATE_KEY_FILE: file }: Keys): Secret | null {
  return key ?? file ?? null;
}

/** Finds keys that cannot be used together. The budgets of two senders are counted by their addresses. */
export function findKeeperProblems(keys: Keys): string[] {
  if (keys.KEEPER_PRIVATE_KEY !== undefined && keys.KEEPER_PRIVATE_KEY_FILE !== undefined)
    return ["KEEPER_PRIVATE_KEY_FILE: is set, but KEEPER_PRIVATE_KEY is too; set one of them"];
  const keeper = getKeeperSecret(keys);
  const relayer = keys.RELAYER_PRIVATE_KEY;
  if (keeper === null || relayer === undefined) return [];
  if (privateKeyToAddress(keeper.reveal()) !== privateKeyToAddress(relayer.reveal())) return [];
  return ["KEEPER_PRIVATE_KEY: is the relayer's key; the keeper needs a key of its own"];
}
