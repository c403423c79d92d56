import { SlipwayError } from "@slipway/protocol/errors";
import type { Warning } from "@slipway/protocol/transaction";
import { assertNotBehind, comparedEndpoints, type EndpointReads } from "../../chain/readAtEndpoints.ts";
import type { HeadBlock } from "../../chain/readChain.ts";
import type { QuoteAnswers } from "./quoteTrade.ts";

type Quoted = QuoteAnswers["quoted"];

/** The quotes of two RPC endpoints at the block of the preparation, from `readAtEndpoints`. */
export type Confirmations = EndpointReads<Quoted>;

/**
 * Asserts that the endpoints returned the quote of the preparation, and that its block is not a block of the past. A
 * single endpoint could otherwise invent a state of the pool for both the quote and its simulation, or choose an old
 * one, and so lower the minimum of the transaction.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export function assertConfirmed(confirmations: Confirmations, { result: quoted }: Quoted, block: HeadBlock): void {
  assertNotBehind(confirmations, block);
  // A quote through two pools has the prices of both.
  const isEqual = ({ result }: Quoted) => result?.[0] === quoted?.[0] && `${result?.[1]}` === `${quoted?.[1]}`;
  if (confirmations === null || confirmations.every(({ read }) => isEqual(read))) return;
  throw new SlipwayError(
    "chain_unavailable",
    "The RPC endpoints return different quotes of one block. Send no transaction; repeat the request.",
  );
}

/** Creates the warning of a quote that only one of several configured endpoints returned. */
export function createConfirmationWarnings(confirmations: Confirmations): Warning[] {
  if (confirmations === null || confirmations.length === comparedEndpoints) return [];
  return [
    {
      code: "quote_unconfirmed",
      message: "A second RPC endpoint did not confirm the quote in time: compare minimum_out with the token's price.",
    },
  ];
}
