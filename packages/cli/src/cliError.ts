import { ApiError } from "@slipway/sdk/apiError";
import { StepError } from "@slipway/sdk/stepWallet";
import { NotAsAsked } from "@slipway/sdk/verifyPrepared";
import { CommanderError } from "commander";

/** The exit codes of the program, which scripts compare: never change one. */
export const exitCodes = { ok: 0, unexpected: 1, usage: 2, refused: 3, reverted: 4, declined: 5 } as const;
type Outcome = keyof typeof exitCodes;

/** A mistake in the arguments, the settings or the files that they name. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The question before a signature was not answered with yes. */
export class Declined extends Error {
  override name = "Declined";
}

/** `--dry-run` ends a flow before its first signature. This is a success. */
export class DryRunEnd extends Error {
  override name = "DryRunEnd";
}

/** Why a command ended: the outcome, a code for programs, and a text for people; null if it is already printed. */
export type Ending = { outcome: Outcome; code: string; message: string | null };

/** Returns the ending of a command that threw an error. The message can contain text of strangers. */
export function getEnding(error: unknown): Ending {
  // commander has printed the help or its message.
  if (error instanceof CommanderError)
    return { outcome: error.exitCode === 0 ? "ok" : "usage", code: "usage", message: null };
  if (error instanceof UsageError) return { outcome: "usage", code: "usage", message: maskSecrets(error.message) };
  if (error instanceof DryRunEnd) return { outcome: "ok", code: "dry_run", message: error.message };
  if (error instanceof Declined) return { outcome: "declined", code: "declined", message: error.message };
  if (error instanceof NotAsAsked) return { outcome: "refused", code: "not_as_asked", message: error.message };
  if (error instanceof StepError)
    return { outcome: error.code === "reverted" ? "reverted" : "refused", code: error.code, message: error.message };
  if (error instanceof ApiError) {
    const outcome = error.code === "unexpected_answer" ? "unexpected" : "refused";
    return { outcome, code: error.code, message: error.message };
  }
  return { outcome: "unexpected", code: "unexpected", message: maskSecrets(getText(error)) };
}

/** Masks what can be a key or a password that was passed in the wrong place. */
export const maskSecrets = (text: string): string =>
  text
    .replace(/[0-9a-f]{64}/gi, "(64 hex digits)")
    .replace(/slip_[\w-]+/g, "(an API key)")
    .replace(/\/\/[^/@\s]*@/g, "//(credentials)@");

/** The full message of an ethers error has the transaction and the endpoint's URL, which can contain a key. */
function getText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { shortMessage } = error as { shortMessage?: unknown };
  if (typeof shortMessage === "string") return shortMessage;
  // `fetch failed` has its reason in the cause.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
