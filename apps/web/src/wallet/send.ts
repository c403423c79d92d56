import type { UnsignedTransaction } from "@slipway/protocol/transaction";
import type { TypedData } from "@slipway/protocol/typedData";
import { type Chain, requireReady } from "./network.ts";
import { ask, type Hex, type Provider, toQuantity, WalletError } from "./provider.ts";

/** A transaction for the wallet. Without `gas`, for one call of a batch, the wallet estimates it. */
export type TransactionToSend = Omit<UnsignedTransaction, "gas"> & { gas?: string };

/**
 * A sent transaction. `nonce` is null until a node knows the hash. `expectedNonce` is the account's next nonce before
 * the transaction; null if unknown, absent in older journal entries.
 */
export type Sent = { hash: Hex; from: Hex; nonce: number | null; expectedNonce?: number | null; block: number };

const hashPattern = /^0x[0-9a-fA-F]{64}$/;

/** The connected account and chain that the user sees. */
export type Sender = { provider: Provider; address: Hex; chain: Chain };

/**
 * Sends a prepared transaction with the wallet. Checks account and chain first, and includes them in the request.
 *
 * @throws WalletError; with `not_this_wallet` and the faults of `requireReady`, the wallet got no request
 */
export async function send({ provider, address, chain }: Sender, transaction: TransactionToSend): Promise<Sent> {
  if (Number(transaction.chainId) !== chain.id || transaction.from.toLowerCase() !== address.toLowerCase())
    throw new WalletError("not_this_wallet");
  await requireReady(provider, chain, address);
  const [block, expectedNonce] = await Promise.all([
    ask(provider, "eth_blockNumber").then(toQuantity),
    ask(provider, "eth_getTransactionCount", [address, "pending"]).then(toQuantity),
  ]);
  const { chainId, from, to, data, value, gas } = transaction;
  const hash = await ask(provider, "eth_sendTransaction", [
    { chainId, from, ...(to === undefined ? {} : { to }), data, value, ...(gas === undefined ? {} : { gas }) },
  ]);
  if (typeof hash !== "string" || !hashPattern.test(hash))
    throw new WalletError("failed", {
      detail: "The wallet returned no transaction hash. Check your wallet before you try again.",
    });
  return {
    hash: hash.toLowerCase() as Hex,
    from: address.toLowerCase() as Hex,
    nonce: null,
    expectedNonce,
    block: block ?? 0,
  };
}

/**
 * Requests a signature of typed data. The signature is empty if a contract wallet approved the data on-chain.
 *
 * @throws WalletError
 */
export async function signTypedData(
  { provider, address, chain }: Sender,
  typed: Pick<TypedData, "domain">,
  { allowsEmpty = false } = {},
): Promise<Hex> {
  if (typed.domain.chainId !== chain.id) throw new WalletError("not_this_wallet");
  await requireReady(provider, chain, address);
  const answer = await ask(provider, "eth_signTypedData_v4", [address, JSON.stringify(typed)]);
  return allowsEmpty && answer === "0x" ? answer : toSignature(answer);
}

/** Requests a signature of a text. @throws WalletError */
export async function signText(provider: Provider, address: Hex, text: string): Promise<Hex> {
  const bytes = new TextEncoder().encode(text);
  const hex = `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return toSignature(await ask(provider, "personal_sign", [hex, address]));
}

function toSignature(answer: unknown): Hex {
  if (typeof answer === "string" && /^0x([0-9a-fA-F]{2})+$/.test(answer)) return answer as Hex;
  throw new WalletError("failed", { detail: "The wallet returned no signature." });
}
