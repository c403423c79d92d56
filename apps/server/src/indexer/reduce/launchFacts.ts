import type { FactChanges, TokenRef } from "../indexState.ts";
import type { Batch } from "./batch.ts";
import { isHolder } from "./isHolder.ts";
import { addToRoundTrips } from "./roundTrips.ts";

/**
 * The windows after a launch in which buys are counted, from the shortest to the longest in blocks. Each begins with the
 * launch. Named like the columns of chain.first_buys.
 */
export const launchWindows = ["tx", "block", "3_blocks", "10_blocks", "60s"] as const;

const windowBlocks = 10;
const windowSeconds = 60;

/** Returns the batch's changes of a token's facts. The token must be touched in the batch. */
function getFactChanges(token: TokenRef): FactChanges {
  token.facts ??= {
    creatorReceived: 0n,
    creatorSent: 0n,
    creatorBought: 0n,
    creatorSold: 0n,
    traded: 0n,
    roundTripsBlock: 0n,
    roundTrips300s: 0n,
    buyBlocks: new Map(),
    firstBuys: new Map(),
  };
  return token.facts;
}

/** Adds a trade to the facts of its token. `account`: the account that traded. */
export function addTradeFacts(
  batch: Batch,
  token: TokenRef,
  { account, isBuy, tokenAmount }: { account: string; isBuy: boolean; tokenAmount: bigint },
): void {
  const facts = getFactChanges(token);
  const { at, state } = batch;
  facts.traded += tokenAmount;
  const roundTrips = addToRoundTrips(state.roundTrips, token.id, at, { account, isBuy, tokenAmount });
  facts.roundTripsBlock += roundTrips.block;
  facts.roundTrips300s += roundTrips.seconds300;
  if (account === token.creator) facts[isBuy ? "creatorBought" : "creatorSold"] += tokenAmount;
  if (!isBuy) return;
  if (!facts.buyBlocks.has(account)) facts.buyBlocks.set(account, at.blockNumber);
  // The commit compares every buyer with its balance, also one whose balance does not change.
  if (!token.deltas.has(account)) token.deltas.set(account, 0n);
  const isFirst = at.blockNumber < token.launchBlock + windowBlocks || at.blockTime < token.launchTime + windowSeconds;
  if (isFirst) addFirstBuy(batch, token, facts, account, tokenAmount);
}

function addFirstBuy({ at }: Batch, token: TokenRef, facts: FactChanges, account: string, amount: bigint): void {
  const age = at.blockNumber - token.launchBlock;
  const isIn = [
    age === 0 && at.txHash === token.launchTx,
    age === 0,
    age < 3,
    age < windowBlocks,
    at.blockTime < token.launchTime + windowSeconds,
  ];
  const before = facts.firstBuys.get(account);
  facts.firstBuys.set(
    account,
    isIn.map((inside, i) => (before?.[i] ?? 0n) + (inside ? amount : 0n)),
  );
}

/**
 * Adds a transfer between two different accounts to the facts of its token.
 *
 * @returns Whether the creator gave tokens to an account that can hold them.
 */
export function addTransferFacts(
  token: TokenRef,
  { from, to, value }: { from: string; to: string; value: bigint },
): boolean {
  if (to === token.creator) getFactChanges(token).creatorReceived += value;
  if (from !== token.creator) return false;
  getFactChanges(token).creatorSent += value;
  return isHolder(token, to);
}
