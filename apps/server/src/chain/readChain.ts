import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { type ContractFunctionParameters, type Hex, hexToBigInt, type MulticallReturnType, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { toChainUnavailable, awaitChain, findRpcError } from "./rpcError.ts";

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);
const block = z.object({ number: quantity, timestamp: quantity, hash: quantity, baseFeePerGas: quantity.optional() });

/** The pinned and verified manifest, and the SHA-256 of its file. */
export type ProvenManifest = { manifest: Manifest; sha256: string };

/**
 * Returns the manifest that transactions are built from: pinned by the operator and verified on the chain.
 *
 * @throws SlipwayError `manifest_missing` when there is none, `manifest_unverified` when it is not pinned or the chain
 * is not verified against it.
 */
export function getProvenManifest(chain: Pick<Chain, "manifestState">): ProvenManifest {
  const { manifest, sha256, pinned, verified } = chain.manifestState();
  if (manifest === null || sha256 === null) throw new SlipwayError("manifest_missing");
  if (!pinned || !verified) throw new SlipwayError("manifest_unverified");
  return { manifest, sha256 };
}

/** The block at which a request is answered: all its reads and simulations use this block. */
export type Head = {
  number: bigint;
  /** Block time in Unix seconds. */
  timestamp: bigint;
  hash: Hex;
  gasPriceInWei: bigint;
  /** Absent on a chain without base fees. */
  baseFeeInWei?: bigint;
};

/**
 * Reads the newest block and the gas price, and checks that the endpoint serves the manifest's chain.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified` when the endpoint serves another chain.
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

/** A wallet's nonce and native balance in wei at a block. */
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
 * Reads several contracts at one block in one call, without a multicall contract on the chain (deployless). Each result
 * is a value or an error, so that one reverting contract does not affect the others.
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

/** Throws one `chain_unavailable` where viem reports a lost endpoint as the failure of every read. */
function requireReachable<T>(results: readonly (T & { error?: unknown })[]): readonly T[] {
  for (const { error } of results) if (findRpcError(error) !== null) throw toChainUnavailable(error);
  return results;
}
