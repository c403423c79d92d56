import { getAddress, type Hex, recoverMessageAddress } from "viem";
import { parseSiweMessage } from "viem/siwe";
import type { Chain } from "../../chain/chain.ts";
import { createEndpointClient } from "../../chain/createEndpointClient.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";

/** The maximum age of a message; `clockSkewMs` is the maximum lead of the wallet's clock. */
const maxAgeMs = 15 * 60_000;
const clockSkewMs = 60_000;

export type ExpectedMessage = { domain: string; origin: string; chainId: number; nowMs: number };

/**
 * The fields of a message that is valid except for its signature and nonce, which are checked later; otherwise its
 * problem.
 */
export type CheckedMessage = { address: Hex; nonce: string; chainId: number } | { problem: string };

const isBad = (date: Date | undefined) => date !== undefined && Number.isNaN(date.getTime());

/**
 * Parses a sign-in message and checks every field against this site. Source: ERC-4361.
 *
 * @param message - Exactly as the wallet signed it.
 */
export function checkSignInMessage(message: string, expected: ExpectedMessage): CheckedMessage {
  const read = parseSiweMessage(message);
  const { address, nonce, domain, uri, chainId, version, issuedAt, expirationTime, notBefore } = read;
  if (!address || !nonce || !domain || !uri || !chainId || !issuedAt) return { problem: "Not an ERC-4361 message." };
  if (domain !== expected.domain) return { problem: `Its domain is not ${expected.domain}.` };
  if (read.scheme !== undefined && `${read.scheme}:` !== new URL(expected.origin).protocol) {
    return { problem: "Its scheme is not the scheme of this site." };
  }
  if (parseOrigin(uri) !== expected.origin) return { problem: `The origin of its URI is not ${expected.origin}.` };
  if (version !== "1") return { problem: "Its version is not 1." };
  if (chainId !== expected.chainId) return { problem: `Its chain id is not ${expected.chainId}.` };
  if (isBad(issuedAt) || isBad(expirationTime) || isBad(notBefore)) return { problem: "A time in it is not RFC 3339." };
  if (issuedAt.getTime() > expected.nowMs + clockSkewMs) return { problem: "It was issued in the future." };
  if (issuedAt.getTime() < expected.nowMs - maxAgeMs) return { problem: "It was issued too long ago." };
  if (expirationTime !== undefined && expirationTime.getTime() <= expected.nowMs) return { problem: "It has expired." };
  if (notBefore !== undefined && notBefore.getTime() > expected.nowMs) return { problem: "It is not valid yet." };
  return { address: getAddress(address), nonce, chainId };
}

function parseOrigin(uri: string): string | null {
  try {
    return new URL(uri).origin;
  } catch {
    return null;
  }
}

/** The suffix of a signature by a contract that is not deployed yet. Source: ERC-6492. */
const erc6492Suffix = "6492649264926492649264926492649264926492649264926492649264926492";

/**
 * Verifies a wallet's signature of a message (ERC-191): a key's signature without the chain, a contract's by a call at
 * the head (ERC-1271, ERC-6492). If at least two RPC endpoints respond, two must accept a contract's signature, because
 * the operator of a single endpoint could otherwise sign in as any address.
 *
 * @throws SlipwayError `chain_unavailable` when the chain is needed and does not respond.
 */
export async function verifyWalletSignature(
  { rpc }: Pick<Chain, "rpc">,
  signed: { address: Hex; message: string; signature: Hex },
): Promise<boolean> {
  const { address, message, signature } = signed;
  const recovered = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (recovered?.toLowerCase() === address.toLowerCase()) return true;
  const [first = 0, second] = rpc.listIndependent();
  const endpoints = second === undefined ? [first] : [first, second];
  const results = await Promise.allSettled(endpoints.map((endpoint) => isAcceptedBy(rpc, endpoint, signed)));
  const answered = results.filter((answer) => answer.status === "fulfilled");
  if (answered.length === 0) throw (results[0] as PromiseRejectedResult).reason;
  return answered.every(({ value }) => value);
}

/** Whether a contract accepts a signature, according to one endpoint. */
async function isAcceptedBy(
  rpc: RpcPool,
  endpoint: number,
  { address, message, signature }: { address: Hex; message: string; signature: Hex },
): Promise<boolean> {
  const client = createEndpointClient(rpc, endpoint);
  const code = await awaitChain(client.getCode({ address }));
  const isContract = code !== undefined && code !== "0x";
  if (!isContract && !signature.toLowerCase().endsWith(erc6492Suffix)) return false;
  return await awaitChain(client.verifyMessage({ address, message, signature }));
}
