import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type ContractFunctionParameters, type Hex, hexToBigInt, type MulticallReturnType, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { toChainUnavailable, awaitChain, findRpcError } from "./rpcError.ts";

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);
const block = z.object({ number: quantity, timestamp: quantity, hash: quantity, baseFeePerGas: quantity.optional() });

export type ProvenManifest = { manifest: Manifest; sha256: string };

/**
 * The manifest that every transaction is built from: pinned by the operator and proven on the chain.
 *
 * @throws SlipwayError `manifest_missing` when there is none, `manifest_unverified` when it is not pinned or the chain
 * is not proven against it.
 */
export function getProvenManifest(chain: Pick<Chain, "manifestState">): ProvenManifest {
  const { manifest, sha256, pinned, verified } = chain.manifestState();
  if (manifest === null || sha256 === null) throw new SlipwayError("manifest_missing");
  if (!pinned || !verified) throw new SlipwayError("manifest_unverified");
  return { manifest, sha256 };
}

/** The block that a request is answered at; everything it reads and simulates is of this block. */
export type Head = {
  number: bigint;
  /** Unix seconds of the chain's own time. */
  timestamp: bigint;
  hash: Hex;
  gasPriceInWei: bigint;
  /** The block's base fee; left out where a chain has none. */
  baseFeeInWei?: bigint;
};

/**
 * Reads the newest block and the gas price, and makes sure that the endpoint is still of the manifest's chain.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified` when the endpoint answers for another chain.
 */
export async function readHead(chain: Pick<Chain, "request">, chainId: number): Promise<Head> {
  const [latest, gasPrice, answeredId] = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
      chain.request({ method: "eth_gasPrice" }),
      chain.request({ method: "eth_chainId" }),
    ]),
  );
  const parsed = z.tuple([block, quantity, quantity]).safeParse([latest, gasPrice, answeredId]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [head, price, id] = parsed.data;
  if (Number(id) !== chainId) {
    throw new SlipwayError(
      "manifest_unverified",
      "The chain's endpoint answers for another chain than the manifest's.",
    );
  }
  return {
    number: hexToBigInt(head.number as Hex),
    timestamp: hexToBigInt(head.timestamp as Hex),
    hash: head.hash as Hex,
    gasPriceInWei: hexToBigInt(price as Hex),
    ...(head.baseFeePerGas === undefined ? {} : { baseFeeInWei: hexToBigInt(head.baseFeePerGas as Hex) }),
  };
}

/** A wallet's own state at a block. */
export type Account = { nonce: bigint; nativeBalance: bigint };

/** Reads nonce and native balance of a wallet at the head. @throws SlipwayError `chain_unavailable`. */
export async function readAccount(chain: Pick<Chain, "request">, wallet: Hex, head: Head): Promise<Account> {
  const at = [wallet, numberToHex(head.number)];
  const answers = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getTransactionCount", params: at }),
      chain.request({ method: "eth_getBalance", params: at }),
    ]),
  );
  const parsed = z.tuple([quantity, quantity]).safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [nonce, nativeBalance] = parsed.data.map(BigInt) as [bigint, bigint];
  return { nonce, nativeBalance };
}

/**
 * Reads many contracts at one block in one call, without a multicall contract on the chain (its code travels along).
 * Each result tells its own failure, so that one contract that reverts hides no other.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function tryReadContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  blockNumber: bigint,
  contracts: T,
): Promise<MulticallReturnType<T, true>> {
  const results = await awaitChain(
    chain.client.multicall({
      contracts: contracts as never,
      blockNumber,
      deployless: true,
      allowFailure: true,
      batchSize: 0,
    }),
  );
  return requireReachable(results as never[]) as MulticallReturnType<T, true>;
}

/**
 * As `tryReadContracts` for contracts that have no reason to revert.
 *
 * @throws SlipwayError `chain_unavailable` when any read fails.
 */
export async function readContracts<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "client">,
  blockNumber: bigint,
  contracts: T,
): Promise<MulticallReturnType<T, false>> {
  const results = (await tryReadContracts(chain, blockNumber, contracts)) as { result?: unknown; error?: Error }[];
  return results.map(({ result, error }) => {
    if (error) throw new SlipwayError("chain_unavailable", "A contract could not be read.", { cause: error });
    return result;
  }) as unknown as MulticallReturnType<T, false>;
}

/** viem reports a lost endpoint as the failure of every read; that is one failure, of the chain. */
function requireReachable<T>(results: readonly (T & { error?: unknown })[]): readonly T[] {
  for (const { error } of results) if (findRpcError(error) !== null) throw toChainUnavailable(error);
  return results;
}
