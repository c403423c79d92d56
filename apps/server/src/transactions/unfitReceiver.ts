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

/** Precompiles: 0x01 to 0x11 and 0x100 (RIP-7212) of Ethereum, and Arbitrum's (ArbOS, NodeInterface). */
const precompileRanges: readonly (readonly [bigint, bigint])[] = [
  [0x01n, 0x11n],
  [0x64n, 0x74n],
  [0xc8n, 0xc9n],
  [0xffn, 0x100n],
];

/**
 * Returns why an address cannot transfer what it receives, by the manifest only: a noun phrase, or null. SwapRouter02
 * interprets the precompile addresses 0x01 and 0x02 as the sender and the router.
 */
export function findUnfitReceiver(address: string, manifest: Manifest): string | null {
  const value = BigInt(address);
  if (precompileRanges.some(([first, last]) => value >= first && value <= last)) return "a precompile";
  return listManifestContracts(manifest).has(address.toLowerCase()) ? "a contract of this deployment" : null;
}

/** Fields of a manifest that contain accounts, which can receive payments. */
const accountFields = new Set(["treasury", "owner", "relayer"]);

/** Contracts by manifest. Manifests are immutable. */
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

/** Creates the reads that show whether an address is a launch token: one read per locker of the manifest. */
export function createLockerReads(address: Hex, manifest: Manifest): ContractFunctionParameters[] {
  return listDeployments(manifest).map(({ fee_locker }) => ({
    address: fee_locker.address as Hex,
    abi: feeLockerAbi,
    functionName: "positionOf",
    args: [address],
  }));
}

/**
 * Returns a noun phrase for a launch token, which cannot transfer what it receives; null for any other address.
 *
 * @param answers - The results of `createLockerReads`.
 * @throws SlipwayError `chain_unavailable` if a locker could not be read.
 */
export function findLaunchToken(answers: readonly { result?: unknown }[]): string | null {
  for (const { result } of answers as readonly { result?: { pool: Hex } }[]) {
    if (result === undefined) throw new SlipwayError("chain_unavailable", "A contract could not be read.");
    if (result.pool !== zeroAddress) return "a launch token";
  }
  return null;
}

/** Gas limit for untrusted code. A pool needs a tenth. The limit also bounds the returned data to about 300 kB. */
const strangerGas = 200_000n;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));

/**
 * Returns a noun phrase for a pool, which cannot transfer what it receives; null for any other address. Each pool
 * returns the address of its factory, and so do Uniswap's other contracts, which cannot transfer it either. Uses a
 * separate request, because the address's code can make all reads of a shared request fail.
 *
 * @param block - The kind of an address does not change, so the newest block suffices if the head is not known yet.
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
    // "range": the answer exceeds the node's maximum size.
    if (kind === "refused" || kind === "range") return "0x";
    throw toChainUnavailable(error);
  });
  const parsed = hex.safeParse(answer);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const factory = manifest.uniswap.factory.address as Hex;
  const isNamed = parsed.data.slice(0, 66).toLowerCase() === pad(factory).toLowerCase();
  return isNamed ? "a pool or another contract of Uniswap" : null;
}
