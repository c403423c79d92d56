import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Recipient } from "@slipway/protocol/intent";
import { poolAddress } from "@slipway/protocol/launchAddress";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Warning } from "@slipway/protocol/transaction";
import { poolKeyAbi } from "@slipway/protocol/uniswap";
import { type Hex, numberToHex, zeroAddress } from "viem";
import { z } from "zod";
import { type Head, readContracts, tryReadContracts } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import { listDeployments } from "../../chain/readManifest.ts";
import type { Deps } from "../../deps.ts";

type Recipients = readonly Pick<Recipient, "wallet">[];

/** Precompiles: Ethereum's 0x01 to 0x11 and 0x100 (RIP-7212), and those of Arbitrum chains (ArbOS, NodeInterface). */
const precompileRanges: readonly (readonly [bigint, bigint])[] = [
  [0x01n, 0x11n],
  [0x64n, 0x74n],
  [0xc8n, 0xc9n],
  [0xffn, 0x100n],
];

/**
 * Asserts what can be checked of payout addresses without the chain. What a splitter pays to one of these is lost.
 *
 * @throws SlipwayError `address_checksum` for a wrong EIP-55 checksum, `recipient_cannot_receive` for a precompile or a
 * contract of the manifest.
 */
export function requireValidPayouts(recipients: Recipients, manifest: Manifest): void {
  const contracts = listManifestContracts(manifest);
  for (const [index, { wallet }] of recipients.entries()) {
    const field = getField(index);
    const checksum = checkAddressChecksum(wallet);
    if (checksum.status === "wrong") {
      throw new SlipwayError(
        "address_checksum",
        `The checksum of ${wallet} is wrong: a digit was mistyped, or the case was changed.`,
        { field, details: { wallet, checksummed: checksum.checksummed } },
      );
    }
    if (precompileRanges.some(([first, last]) => BigInt(wallet) >= first && BigInt(wallet) <= last)) {
      throw createRefusal(index, wallet, "a precompile");
    }
    if (contracts.has(wallet.toLowerCase())) throw createRefusal(index, wallet, "a contract of this deployment");
  }
}

/**
 * Checks the code at payout addresses. One round trip, a second one when an address has code.
 *
 * @returns A warning for each address that has code.
 * @throws SlipwayError `recipient_cannot_receive` for a pool or a launch token, `chain_unavailable`.
 */
export async function checkPayoutCode(
  deps: Pick<Deps, "chain">,
  recipients: Recipients,
  manifest: Manifest,
  head: Head,
): Promise<Warning[]> {
  const codes = await awaitChain(
    Promise.all(
      recipients.map(({ wallet }) =>
        deps.chain.request({ method: "eth_getCode", params: [wallet as Hex, numberToHex(head.number)] }),
      ),
    ),
  );
  const parsed = z.array(z.string().regex(/^0x[0-9a-fA-F]*$/)).safeParse(codes);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const contracts = recipients
    .map(({ wallet }, index) => ({ wallet: checksummed(wallet), index }))
    .filter(({ index }) => parsed.data[index] !== "0x");
  const kinds = await Promise.all(contracts.map(({ wallet }) => findKind(deps, wallet, manifest, head)));
  return contracts.map(({ wallet, index }, i) => {
    if (kinds[i] !== null) throw createRefusal(index, wallet, kinds[i]!);
    return {
      code: "recipient_is_contract",
      message: `The payout address ${wallet} is a contract: what it is paid is lost unless it can pass tokens on.`,
    };
  });
}

/** What a contract is that cannot pass on what it receives; null for any other. */
async function findKind(
  { chain }: Pick<Deps, "chain">,
  address: Hex,
  manifest: Manifest,
  head: Head,
): Promise<string | null> {
  const lockers = listDeployments(manifest).map(({ fee_locker }) => fee_locker.address as Hex);
  const [[token0, token1, fee], positions] = await Promise.all([
    tryReadContracts(chain, head.number, [
      { address, abi: poolKeyAbi, functionName: "token0" },
      { address, abi: poolKeyAbi, functionName: "token1" },
      { address, abi: poolKeyAbi, functionName: "fee" },
    ]),
    readContracts(
      chain,
      head.number,
      lockers.map(
        (locker) => ({ address: locker, abi: feeLockerAbi, functionName: "positionOf", args: [address] }) as const,
      ),
    ),
  ]);
  if (positions.some(({ pool }) => pool !== zeroAddress)) return "a launch token";
  if (token0.status !== "success" || token1.status !== "success" || fee.status !== "success") return null;
  const { factory, pool_init_code_hash } = manifest.uniswap;
  // An address that the factory's CREATE2 gives can hold nothing else than its pool.
  const pool = poolAddress(
    factory.address as Hex,
    pool_init_code_hash as Hex,
    token0.result,
    token1.result,
    fee.result,
  );
  return pool.toLowerCase() === address.toLowerCase() ? "a pool" : null;
}

/** The contracts of a manifest, in lower case; the treasury is an account that receives. */
function listManifestContracts(manifest: Manifest): Set<string> {
  const { treasury: _, ...rest } = manifest;
  const found = new Set<string>();
  JSON.stringify(rest, (_key, value: unknown) => {
    if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) found.add(value.toLowerCase());
    return value;
  });
  return found;
}

function createRefusal(index: number, wallet: string, kind: string): SlipwayError {
  return new SlipwayError("recipient_cannot_receive", `The payout address ${wallet} is ${kind}.`, {
    field: getField(index),
    details: { wallet },
  });
}

const getField = (index: number) => `recipients[${index}].wallet`;
