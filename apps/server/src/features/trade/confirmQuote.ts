import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Warning } from "@slipway/protocol/transaction";
import type { ContractFunctionParameters } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { createEndpointClient } from "../../chain/createEndpointClient.ts";
import { getMulticall3, type HeadBlock, tryReadContracts } from "../../chain/readChain.ts";
import type { QuoteAnswers } from "./quoteTrade.ts";

type Quoted = QuoteAnswers["quoted"];

/** The quotes of the endpoints that answered in time; null with a single configured endpoint. */
export type Confirmations = readonly Quoted[] | null;

const comparedEndpoints = 2;
/** The pause before the second attempt: an endpoint can be some blocks behind. */
const retryMs = 250;
const timeoutMs = 1_500;

/**
 * Quotes a trade again at two RPC endpoints, at the block of the preparation. A single endpoint could otherwise invent a
 * state of the pool for both the quote and its simulation, and so lower the minimum of the transaction. Runs beside the
 * simulation.
 *
 * @param quoteRead - The quoter's call, from `createQuoteReads`.
 */
export async function readConfirmations(
  { rpc }: Pick<Chain, "rpc">,
  manifest: Manifest,
  quoteRead: ContractFunctionParameters,
  block: HeadBlock,
): Promise<Confirmations> {
  if (rpc.endpoints === 1) return null;
  const read = async (endpoint: number): Promise<Quoted> => {
    const chain = { client: createEndpointClient(rpc, endpoint) };
    const [quoted] = await tryReadContracts(chain, block.number, [quoteRead], getMulticall3(manifest));
    return quoted as Quoted;
  };
  const ended = new AbortController();
  const late = sleep(timeoutMs, null, { signal: ended.signal }).catch(() => null);
  const confirm = async (endpoint: number): Promise<Quoted | null> => {
    const attempt = read(endpoint).catch(async () => {
      await sleep(retryMs);
      return await read(endpoint).catch(() => null);
    });
    return await Promise.race([attempt, late]);
  };
  const answers = await Promise.all(rpc.listHealthy().slice(0, comparedEndpoints).map(confirm));
  ended.abort();
  return answers.filter((answer) => answer !== null);
}

/** Asserts that the endpoints returned the quote of the preparation. @throws SlipwayError `chain_unavailable`. */
export function assertConfirmed(confirmations: Confirmations, { result: quoted }: Quoted): void {
  const isEqual = ({ result }: Quoted) => result?.[0] === quoted?.[0] && result?.[1] === quoted?.[1];
  if (confirmations === null || confirmations.every(isEqual)) return;
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
