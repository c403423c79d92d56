import { authorizedTokenAbi } from "@slipway/protocol/authorizedToken";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { type Hex, hexToBigInt, numberToHex, padHex } from "viem";
import { z } from "zod";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { type AuthorizationUse, authorizationTopics, findAuthorizationUse } from "./findAuthorizationUse.ts";
import type { StoredPayment } from "./queries.ts";

/** A block of the canonical chain. `timestamp` in Unix seconds. */
export type Block = { number: bigint; hash: Hex; timestamp: bigint };

/** The state of an authorization at one endpoint. `block`: the block of its transaction on the endpoint's canonical chain. */
export type AuthorizationState =
  | { kind: "unused" }
  /** Used or cancelled by a transaction that the endpoint does not return. */
  | { kind: "unknown" }
  | { kind: "found"; use: AuthorizationUse; hash: Hex; block: Block };

/** The state of an authorization at one endpoint, with the endpoint's newest block and the block of the expiry. */
export type AuthorizationReading = { newest: Block; state: AuthorizationState; expiry: Block | null };

/** Blocks of one log query; many endpoints refuse larger ranges. */
const maxLogBlocks = 1_000n;
/** Log queries of one reading. A longer search continues in no later reading: the payment stays pending and alarms. */
const maxLogQueries = 100n;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const quantity = hex.transform((value) => hexToBigInt(value));
const block = z.object({ number: quantity, hash: hex, timestamp: quantity });
const receipt = z
  .object({
    transactionHash: hex,
    blockNumber: quantity,
    blockHash: hex,
    logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })),
  })
  .nullable();
type Receipt = NonNullable<z.infer<typeof receipt>>;
const foundLogs = z.array(z.object({ transactionHash: hex }));

/**
 * Reads from one endpoint whether a payment's authorization was used. A transaction that succeeded proves nothing: USDG
 * ignores an authorization that was used before. The logs decide, also of a transaction that somebody else sent.
 *
 * @param endpoint - The endpoint to ask; undefined: any.
 * @throws RpcError; a ZodError for a malformed answer.
 */
export async function readAuthorization(
  rpc: Pick<RpcPool, "request" | "batch">,
  payment: StoredPayment,
  endpoint: number | undefined,
): Promise<AuthorizationReading> {
  const options = endpoint === undefined ? {} : { endpoint };
  const request = (method: string, ...params: unknown[]) => rpc.request({ method, params }, options);
  const newest = block.parse(await request("eth_getBlockByNumber", "latest", false));
  const { asset, payer, nonce, attempts, expiry } = payment;
  const data = encodeCall({ abi: authorizedTokenAbi, functionName: "authorizationState", args: [payer, nonce] });
  const [answeredState, answeredExpiry, ...answeredReceipts] = await rpc.batch(
    [
      { method: "eth_call", params: [{ to: asset, data }, numberToHex(newest.number)] },
      { method: "eth_getBlockByNumber", params: [numberToHex(expiry?.number ?? newest.number), false] },
      ...attempts.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    ],
    options,
  );
  const isUsed = hexToBigInt(hex.parse(answeredState)) !== 0n;
  const reading = { newest, expiry: expiry === null ? null : block.nullable().parse(answeredExpiry) };
  if (!isUsed) return { ...reading, state: { kind: "unused" } };

  const toState = async (found: Receipt | null): Promise<AuthorizationState | null> => {
    const use = found === null ? null : findAuthorizationUse(found.logs, payment);
    if (found === null || use === null) return null;
    const canonical = block
      .nullable()
      .parse(await request("eth_getBlockByNumber", numberToHex(found.blockNumber), false));
    // The endpoint returned a receipt of a replaced block; the next reading has another.
    if (canonical?.hash !== found.blockHash) return { kind: "unknown" };
    return { kind: "found", use, hash: found.transactionHash.toLowerCase() as Hex, block: canonical };
  };

  for (const answer of answeredReceipts) {
    const state = await toState(receipt.parse(answer));
    if (state !== null) return { ...reading, state };
  }
  const topics = [[authorizationTopics.used, authorizationTopics.cancelled], padHex(payer, { size: 32 }), nonce];
  const last = newest.number;
  for (let from = payment.startBlock, n = 0n; from <= last && n < maxLogQueries; from += maxLogBlocks, n++) {
    const to = from + maxLogBlocks - 1n < last ? from + maxLogBlocks - 1n : last;
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
    const [log] = foundLogs.parse(await request("eth_getLogs", { address: asset, topics, ...range }));
    if (log === undefined) continue;
    const state = await toState(receipt.parse(await request("eth_getTransactionReceipt", log.transactionHash)));
    if (state !== null) return { ...reading, state };
  }
  return { ...reading, state: { kind: "unknown" } };
}
