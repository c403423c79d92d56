import { decodeTransfer, transferTopic } from "@slipway/protocol/rawLog";
import type { TokenRef } from "../indexState.ts";
import { touch } from "../reduce/batch.ts";
import { isBurnAddress, zeroAddress } from "../reduce/isHolder.ts";
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
    else addDelta(token, transfer.from, -transfer.value);
    addDelta(token, transfer.to, transfer.value);
    if (transfer.from === transfer.to) return;
    if (addTransferFacts(token, transfer)) addCreatorTransfer(batch, token, transfer.to);
  },
};

function addDelta(token: TokenRef, account: string, delta: bigint): void {
  token.deltas.set(account, (token.deltas.get(account) ?? 0n) + delta);
  if (isBurnAddress(account)) token.burned += delta;
}
