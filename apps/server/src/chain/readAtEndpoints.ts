import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type ContractFunctionParameters, type Hex, hexToBigInt, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { createEndpointClient } from "./createEndpointClient.ts";
import { getMulticall3, type HeadBlock, tryReadContracts } from "./readChain.ts";

/** A contract read at one endpoint, with the endpoint's own newest block. */
export type EndpointRead<T> = { read: T; newest: Pick<HeadBlock, "number" | "timestamp"> };

/** The reads of the endpoints that answered in time; null if all configured endpoints have one host. */
export type EndpointReads<T> = readonly EndpointRead<T>[] | null;

/** The number of endpoints that are compared. */
export const comparedEndpoints = 2;

/** The pause before the second attempt: an endpoint can be some blocks behind. */
const retryMs = 250;
const timeoutMs = 1_500;

/** A block counts as old if it is more blocks and more seconds behind an endpoint's newest block than these. */
const maxBlocksBehind = 3n;
const maxSecondsBehind = 5n;

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);
const newestBlock = z.object({ number: quantity, timestamp: quantity });

/**
 * Reads a contract at a block from two endpoints of different hosts, each with its own newest block. A single endpoint
 * could otherwise invent a state, or answer with a state of the past.
 */
export async function readAtEndpoints<T>(
  { rpc }: Pick<Chain, "rpc">,
  manifest: Manifest,
  contract: ContractFunctionParameters,
  block: HeadBlock,
): Promise<EndpointReads<T>> {
  if (rpc.hosts === 1) return null;
  const read = async (endpoint: number): Promise<EndpointRead<T>> => {
    const chain = { client: createEndpointClient(rpc, endpoint) };
    const newestRequest = { method: "eth_getBlockByNumber", params: ["latest", false] };
    const [[result], answer] = await Promise.all([
      tryReadContracts(chain, block.number, [contract], getMulticall3(manifest)),
      rpc.request(newestRequest, { endpoint }),
    ]);
    const { number, timestamp } = newestBlock.parse(answer);
    const newest = { number: hexToBigInt(number as Hex), timestamp: hexToBigInt(timestamp as Hex) };
    return { read: result as T, newest };
  };
  const ended = new AbortController();
  const late = sleep(timeoutMs, null, { signal: ended.signal }).catch(() => null);
  const confirm = async (endpoint: number): Promise<EndpointRead<T> | null> => {
    const attempt = read(endpoint).catch(async () => {
      await sleep(retryMs);
      return await read(endpoint).catch(() => null);
    });
    return await Promise.race([attempt, late]);
  };
  const answers = await Promise.all(rpc.listIndependent().slice(0, comparedEndpoints).map(confirm));
  ended.abort();
  return answers.filter((answer) => answer !== null);
}

/**
 * Asserts that the block of a preparation is not older than the newest blocks of the compared endpoints. A real block
 * of the past passes every other check, and has a price of the past.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export function assertNotBehind(reads: EndpointReads<unknown>, block: HeadBlock): void {
  for (const { newest } of reads ?? []) {
    const blocks = newest.number - block.number;
    if (blocks <= maxBlocksBehind || newest.timestamp - block.timestamp <= maxSecondsBehind) continue;
    throw new SlipwayError(
      "chain_unavailable",
      `An RPC endpoint returns block ${block.number} as the newest block, which is ${blocks} blocks behind another ` +
        "endpoint. Send no transaction; repeat the request.",
    );
  }
}

/**
 * Asserts that two endpoints of different hosts return the same code of an address at a block. An endpoint that does not
 * answer confirms nothing, and refuses nothing.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function assertSameCode({ rpc }: Pick<Chain, "rpc">, address: Hex, block: HeadBlock): Promise<void> {
  if (rpc.hosts === 1) return;
  const call = { method: "eth_getCode", params: [address, numberToHex(block.number)] };
  const endpoints = rpc.listIndependent().slice(0, comparedEndpoints);
  const results = await Promise.allSettled(endpoints.map((endpoint) => rpc.request(call, { endpoint })));
  const codes = results.flatMap((result) =>
    result.status === "fulfilled" ? [String(result.value).toLowerCase()] : [],
  );
  if (new Set(codes).size <= 1) return;
  throw new SlipwayError(
    "chain_unavailable",
    `The RPC endpoints return different code of ${address}. Send no transaction; repeat the request.`,
  );
}
