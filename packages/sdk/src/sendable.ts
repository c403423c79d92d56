import type { UnsignedResult, WalletCall } from "@slipway/protocol/transaction";

/** A prepared transaction in the form that signers accept: viem and wallets read `gas`, ethers reads `gasLimit`. */
export type Sendable = {
  chainId: number;
  from: `0x${string}`;
  /** Omitted for a contract creation. */
  to?: `0x${string}`;
  data: `0x${string}`;
  value: bigint;
  gas: bigint;
  gasLimit: bigint;
};

/**
 * Converts the transaction of a prepared step for signing; null when there is nothing to do.
 *
 * @example
 * const step = await client.prepareTrade(request);
 * const transaction = sendable(step);
 * if (transaction) await wallet.sendTransaction(transaction);
 */
export function sendable(result: Pick<UnsignedResult, "transaction">): Sendable | null {
  const { transaction } = result;
  if (transaction === null) return null;
  return {
    chainId: Number(transaction.chainId),
    from: transaction.from as `0x${string}`,
    ...(transaction.to === undefined ? {} : { to: transaction.to as `0x${string}` }),
    data: transaction.data as `0x${string}`,
    value: BigInt(transaction.value),
    gas: BigInt(transaction.gas),
    gasLimit: BigInt(transaction.gas),
  };
}

/** The parameter of `wallet_sendCalls`. Source: EIP-5792, version 2.0.0. */
export type SendableCalls = {
  version: "2.0.0";
  chainId: `0x${string}`;
  from: `0x${string}`;
  /** The wallet must refuse a batch that it cannot send as a whole. */
  atomicRequired: true;
  calls: { to: `0x${string}`; data: `0x${string}`; value: `0x${string}` }[];
  capabilities?: PaymasterCapabilities;
};

/** The paymaster of a batch. A wallet that cannot use an optional capability sends the batch without it. Source: ERC-7677. */
export type PaymasterCapabilities = { paymasterService: { url: string; optional: true } };

/**
 * Converts the batch of a prepared step for a wallet that sends batches; null when there is nothing to do.
 *
 * @param from - The wallet that the step was prepared for.
 * @example
 * const step = await client.prepareTradeCalls(request);
 * const batch = sendableCalls(step, request.wallet);
 * if (batch) await provider.request({ method: "wallet_sendCalls", params: [batch] });
 */
export function sendableCalls(
  { calls, manifest }: Pick<UnsignedResult, "manifest"> & { calls: readonly WalletCall[] },
  from: string,
): SendableCalls | null {
  if (calls.length === 0) return null;
  return {
    version: "2.0.0",
    chainId: `0x${manifest.chain_id.toString(16)}`,
    from: from as `0x${string}`,
    atomicRequired: true,
    // Other fields of a call, such as capabilities, would change what the wallet does.
    calls: calls.map(({ to, data, value }) => ({ to, data, value })) as SendableCalls["calls"],
  };
}

/**
 * Adds the deployment's paymaster to a batch, so that the operator pays the network fee if wallet and paymaster agree.
 *
 * @param url - `paymaster_url` of `GET /config`. The wallet sends the whole batch to this URL.
 * @example
 * const { paymaster_url } = await client.getConfig();
 * const params = [paymaster_url === null ? batch : withPaymaster(batch, paymaster_url)];
 */
export const withPaymaster = (batch: SendableCalls, url: string): SendableCalls => ({
  ...batch,
  capabilities: { paymasterService: { url, optional: true } },
});
