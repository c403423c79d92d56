import { tokenTextKeys } from "@slipway/protocol/confusables";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { listNewNames, storeNames } from "./tokenNameQueries.ts";

const batchSize = 200;
const pauseMs = 1_000;

/** Number of latest ids that are read again: a reorganisation reassigns ids; no reorg window has more launches. */
const recheckedIds = 10_000;

/**
 * Starts the job that compares names and symbols of new tokens with earlier names and symbols. Several processes can
 * share it.
 */
export function compareTokenNames(deps: Pick<Deps, "db" | "clock" | "log" | "metrics">): Job {
  let fromId = 0;
  const run = async () => {
    const tokens = await listNewNames(deps.db.api, fromId, batchSize);
    if (tokens.length === 0) return false;
    await storeNames(
      deps.db.api,
      tokens.map(({ address, name, symbol }) => ({ address, keys: tokenTextKeys([name, symbol]) })),
    );
    fromId = Math.max(fromId, tokens.at(-1)!.id - recheckedIds);
    return tokens.length === batchSize;
  };
  return repeat(deps, { name: "token names", pauseMs, run });
}
