import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type ContractFunctionParameters, type Hex, hexToBigInt, type MulticallReturnType, numberToHex } from "viem";
import { z } from "zod";
import { aggregate } from "./aggregate.ts";
import type { Chain, HeadBlock } from "./chain.ts";
import { awaitChain, findRpcError, toChainUnavailable } from "./rpcError.ts";

export type { HeadBlock };

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);
const block = z.object({
  number: quantity,
  timestamp: quantity,
  hash: quantity,
  baseFeePerGas: quantity.optional(),
  gasLimit: quantity.optional(),
});
// Schemas are compiled at their first use, so they are created once.
const headAnswers = z.tuple([block, quantity, quantity]);
const balanceAnswers = z.tuple([quantity, z.object({ hash: z.string() }).nullable()]);
const codes = z.array(z.string().regex(/^0x[0-9a-fA-F]*$/));

/** The pinned and verified manifest, the SHA-256 of its file, and the newest block at which it was verified. */
export type ProvenManifest = { manifest: Manifest; sha256: string; verifiedAtBlock: bigint };

/**
 * Returns the manifest that transactions are built from: pinned by the operator and verified on the chain.
 *
 * @throws SlipwayError `manifest_missing` if no manifest is pinned, `manifest_unverified` if the chain is not verified
 * against the manifest.
 */
export function getProvenManifest(chain: Pick<Chain, "manifestState">): ProvenManifest {
  const { manifest, sha256, verified, verifiedAtBlock } = chain.manifestState();
  if (manifest === null || sha256 === null) throw new SlipwayError("manifest_missing");
  if (!verified || verifiedAtBlock === null) throw new SlipwayError("manifest_unverified");
  return { manifest, sha256, verifiedAtBlock };
}

/** The newest block, and the gas price of a transaction in the next block. */
export type Head = HeadBlock & {
  gasPriceInWei: bigint;
  /** Absent on a chain without base fees. */
  baseFeeInWei?: bigint;
  /** The gas limit of the block; absent if the node does not report it. */
  gasLimit?: bigint;
};

/**
 * Reads the newest block and the gas price, and checks that the endpoint serves the manifest's chain.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified` when the endpoint serves another chain.
 */
export async function readHead(
  chain: Pick<Chain, "request"> & Partial<Pick<Chain, "heads">>,
  chainId: number,
): Promise<Head> {
  const [latest, gasPrice, answeredId] = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
      chain.request({ method: "eth_gasPrice" }),
      chain.request({ method: "eth_chainId" }),
    ]),
  );
  const parsed = headAnswers.safeParse([latest, gasPrice, answeredId]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [head, price, id] = parsed.data;
  if (Number(id) !== chainId) {
    throw new SlipwayError(
      "manifest_unverified",
      "The chain's endpoint serves a chain other than the manifest's chain.",
    );
  }
  const newest = {
    number: hexToBigInt(head.number as Hex),
    timestamp: hexToBigInt(head.timestamp as Hex),
    hash: head.hash as Hex,
  };
  chain.heads?.note(newest);
  return {
    ...newest,
    gasPriceInWei: hexToBigInt(price as Hex),
    ...(head.baseFeePerGas === undefined ? {} : { baseFeeInWei: hexToBigInt(head.baseFeePerGas as Hex) }),
    ...(head.gasLimit === undefined ? {} : { gasLimit: hexToBigInt(head.gasLimit as Hex) }),
  };
}

/**
 * Reads the native balance of a wallet in wei at the head, and asserts that the head's number still has the same block.
 * Call it last in the round of the simulation, so that all reads and simulations by number are from one block.
 *
 * @throws SlipwayError `chain_unavailable`, also if a reorganisation has replaced the head.
 */
export async function readBalance(chain: Pick<Chain, "request">, wallet: Hex, head: HeadBlock): Promise<bigint> {
  const number = numberToHex(head.number);
  const answers = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getBalance", params: [wallet, number] }),
      chain.request({ method: "eth_getBlockByNumber", params: [number, false] }),
    ]),
  );
  const parsed = balanceAnswers.safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [balance, block] = parsed.data;
  if (block?.hash !== head.hash) {
    throw new SlipwayError(
      "chain_unavailable",
      `Block ${head.number} was replaced during the request, or an endpoint lags behind this block; try again.`,
    );
  }
  return BigInt(balance);
}

/** Reads the nonce of a wallet's next transaction at a block. @throws SlipwayError `chain_unavailable`. */
export async function readNonce(chain: Pick<Chain, "request">, wallet: Hex, block: bigint): Promise<bigint> {
  const params = [wallet, numberToHex(block)];
  const parsed = quantity.safeParse(await awaitChain(chain.request({ method: "eth_getTransactionCount", params })));
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  return BigInt(parsed.data);
}

/** Reads the code of addresses at a block; "0x" for no code. @throws SlipwayError `chain_unavailable`. */
export async function readCodes(
  chain: Pick<Chain, "request">,
  addresses: readonly Hex[],
  block: bigint | "latest",
): Promise<Hex[]> {
  const at = block === "latest" ? block : numberToHex(block);
  const answers = await awaitChain(
    Promise.all(addresses.map((address) => chain.request({ method: "eth_getCode", params: [address, at] }))),
  );
  const parsed = codes.safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  return parsed.data as Hex[];
}

/** Returns the Multicall3 of a manifest, whose code the deployment proof covers; null if the manifest has none. */
export function getMulticall3({ multicall3 }: Manifest): Hex | null {
  return (multicall3?.address ?? null) as Hex | null;
}

/**
 * Reads several contracts at one block in one call. Each result is a value or an error, so that one reverting contract
 * does not affect the others.
 *
 * @param multicall3 - The manifest's Multicall3 (`getMulticall3`). With null, the request contains Multicall3's code,
 *   which takes longer, and calls and answers are creation code of at most 49,152 and 24,576 bytes.
 * @throws SlipwayError `chain_unavailable`.
 */
export async function tryReadContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  block: bigint | "latest",
  contracts: T,
  multicall3: Hex | null = null,
): Promise<MulticallReturnType<T, true>> {
  const results = await awaitChain<readonly object[]>(
    multicall3 === null
      ? chain.client.multicall({
          contracts: contracts as never,
          ...(block === "latest" ? { blockTag: block } : { blockNumber: block }),
          deployless: true,
          allowFailure: true,
          batchSize: 0,
        })
      : aggregate(chain.client, multicall3, contracts, { block: block === "latest" ? block : numberToHex(block) }),
  );
  return requireReachable(results as never[]) as MulticallReturnType<T, true>;
}

/**
 * Works like `tryReadContracts`, for contracts that have no reason to revert.
 *
 * @throws SlipwayError `chain_unavailable` when any read fails.
 */
export async function readContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  blockNumber: bigint,
  contracts: T,
  multicall3: Hex | null = null,
): Promise<MulticallReturnType<T, false>> {
  const results = (await tryReadContracts(chain, blockNumber, contracts, multicall3)) as {
    result?: unknown;
    error?: Error;
  }[];
  return results.map(({ result, error }) => {
    if (error) throw new SlipwayError("chain_unavailable", "A contract could not be read.", { cause: error });
    return result;
  }) as unknown as MulticallReturnType<T, false>;
}

/** Throws one `chain_unavailable` if viem reports an unreachable endpoint as a failure of all reads. */
function requireReachable<T>(results: readonly (T & { error?: unknown })[]): readonly T[] {
  for (const { error } of results) if (findRpcError(error) !== null) throw toChainUnavailable(error);
  return results;
}
