import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { poolFactoryAbi } from "@slipway/protocol/uniswap";
import { type ContractFunctionParameters, type Hex, numberToHex, pad, zeroAddress } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import { listDeployments } from "../chain/readManifest.ts";
import { findRpcError, toChainUnavailable } from "../chain/rpcError.ts";

/** Precompiles: Ethereum's 0x01 to 0x11 and 0x100 (RIP-7212), and those of Arbitrum chains (ArbOS, NodeInterface). */
const precompileRanges: readonly (readonly [bigint, bigint])[] = [
  [0x01n, 0x11n],
  [0x64n, 0x74n],
  [0xc8n, 0xc9n],
  [0xffn, 0x100n],
];

/**
 * Finds why an address cannot pass on what it receives, as far as the manifest alone shows it: a noun phrase, or null.
 * SwapRouter02 takes the precompiles 0x01 and 0x02 for the sender and for itself.
 */
export function findUnfitReceiver(address: string, manifest: Manifest): string | null {
  const value = BigInt(address);
  if (precompileRanges.some(([first, last]) => value >= first && value <= last)) return "a precompile";
  return listManifestContracts(manifest).has(address.toLowerCase()) ? "a contract of this deployment" : null;
}

/** Fields of a manifest that name accounts, which receive. */
const accountFields = new Set(["treasury", "owner", "relayer"]);

/** Of each manifest, which is not changed. */
const manifestContracts = new WeakMap<Manifest, Set<string>>();

/** Lists the contracts of a manifest, in lower case. */
function listManifestContracts(manifest: Manifest): Set<string> {
  const known = manifestContracts.get(manifest);
  if (known !== undefined) return known;
  const found = new Set<string>();
  manifestContracts.set(manifest, found);
  JSON.stringify(manifest, (key, value: unknown) => {
    if (accountFields.has(key)) return undefined;
    if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) found.add(value.toLowerCase());
    return value;
  });
  return found;
}

/** Creates the reads that show whether an address is a launch token: one of each locker of the manifest. */
export function createLockerReads(address: Hex, manifest: Manifest): ContractFunctionParameters[] {
  return listDeployments(manifest).map(({ fee_locker }) => ({
    address: fee_locker.address as Hex,
    abi: feeLockerAbi,
    functionName: "positionOf",
    args: [address],
  }));
}

/**
 * Finds whether an address is a launch token, which cannot pass on what it receives; null for any other.
 *
 * @param answers - The results of `createLockerReads`.
 * @throws SlipwayError `chain_unavailable` when a locker could not be read.
 */
export function findLaunchToken(answers: readonly { result?: unknown }[]): string | null {
  for (const { result } of answers as readonly { result?: { pool: Hex } }[]) {
    if (result === undefined) throw new SlipwayError("chain_unavailable", "A contract could not be read.");
    if (result.pool !== zeroAddress) return "a launch token";
  }
  return null;
}

/** Gas for the code of a stranger: a pool needs a tenth. What it can return is bounded by it, to about 300 kB. */
const strangerGas = 200_000n;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));

/**
 * Finds whether an address is a pool, which cannot pass on what it receives; null for any other. Every pool names the
 * factory that made it, as do Uniswap's other contracts, which cannot pass anything on either. The address has a request
 * of its own: its code can fail everything that is read together with it.
 *
 * @param block - What an address is does not change: the newest block will do where the head is not known yet.
 * @throws SlipwayError `chain_unavailable`.
 */
export async function findUniswapContract(
  chain: Pick<Chain, "request">,
  address: Hex,
  manifest: Manifest,
  block: bigint | "latest",
): Promise<string | null> {
  const input = encodeCall({ abi: poolFactoryAbi, functionName: "factory" });
  const at = block === "latest" ? block : numberToHex(block);
  const params = [{ to: address, input, gas: numberToHex(strangerGas) }, at];
  const answer = await chain.request({ method: "eth_call", params }).catch((error: unknown) => {
    const kind = findRpcError(error)?.kind;
    // "range": the answer is larger than the node gives.
    if (kind === "refused" || kind === "range") return "0x";
    throw toChainUnavailable(error);
  });
  const parsed = hex.safeParse(answer);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const factory = manifest.uniswap.factory.address as Hex;
  const isNamed = parsed.data.slice(0, 66).toLowerCase() === pad(factory).toLowerCase();
  return isNamed ? "a pool or another contract of Uniswap" : null;
}
