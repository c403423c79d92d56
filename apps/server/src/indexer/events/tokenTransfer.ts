import { decodeTransfer, transferTopic } from "@slipway/protocol/rawLog";
import type { TokenRef } from "../indexState.ts";
import { type Position, touch } from "../reduce/batch.ts";
import { isBurnAddress, isHolder, zeroAddress } from "../reduce/isHolder.ts";
import { addTransferFacts } from "../reduce/launchFacts.ts";
import { addCreatorTransfer, creatorTransfersTable } from "./creatorTransfers.ts";
import type { EventModule } from "./eventModule.ts";

/** A transfer of a launch token changes two balances; a transfer from the zero address mints. */
export const tokenTransfer: EventModule = {
  topic: transferTopic,
  role: "token",
  tables: [creatorTransfersTable],
  apply: (log, batch, emitter) => {
    const transfer = decodeTransfer(log);
    const token = emitter.token!;
    if (transfer === null || transfer.value === 0n) return;
    touch(batch, token);
    if (transfer.from === zeroAddress) token.totalSupply += transfer.value;
    else addDelta(token, transfer.from, -transfer.value, batch.at);
    addDelta(token, transfer.to, transfer.value, batch.at);
    if (transfer.from === transfer.to) return;
    if (addTransferFacts(token, transfer)) addCreatorTransfer(batch, token, transfer.to);
  },
};

function addDelta(token: TokenRef, account: string, delta: bigint, at: Position): void {
  const steps = token.deltas.get(account);
  const last = steps?.at(-1);
  // A block is never in two batches, so the balances at the ends of blocks do not depend on the batches.
  if (last !== undefined && (last.block === at.blockNumber || !isHolder(token, account))) last.delta += delta;
  else {
    const step = { block: at.blockNumber, time: at.blockTime, delta };
    if (steps === undefined) token.deltas.set(account, [step]);
    else steps.push(step);
  }
  if (isBurnAddress(account)) token.burned += delta;
}
