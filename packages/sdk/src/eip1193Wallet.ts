import { pauseASecond, StepError, type StepReceipt, type StepWallet } from "./stepWallet.ts";

/** A wallet's provider. Source: EIP-1193. */
export type Eip1193Provider = {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

type RpcReceipt = { status: string; transactionHash: `0x${string}`; contractAddress?: string | null };

export type Eip1193Options = {
  /** Waits between two requests of a receipt. Default: a timer of one second. */
  sleep?: () => Promise<void>;
};

/**
 * Creates the wallet of `runSteps` from a provider of EIP-1193, e.g. that of an extension of the browser.
 *
 * @param address - The account, e.g. the first one of `eth_requestAccounts`.
 * @example
 * const [address] = await provider.request({ method: "eth_requestAccounts" });
 * const wallet = eip1193Wallet(provider, address);
 */
export function eip1193Wallet(
  provider: Eip1193Provider,
  address: string,
  { sleep = pauseASecond }: Eip1193Options = {},
): StepWallet {
  const ask = (method: string, params: readonly unknown[] = []) => provider.request({ method, params });
  const count = async (block: string) => Number(await ask("eth_getTransactionCount", [address, block]));
  return {
    address,
    chainId: async () => Number(await ask("eth_chainId")),
    send: async ({ chainId, from, to, data, value, gas }) => {
      const quantities = { chainId: toHex(chainId), value: toHex(value), gas: toHex(gas) };
      const transaction = { from, data, ...quantities, ...(to === undefined ? {} : { to }) };
      return (await ask("eth_sendTransaction", [transaction])) as `0x${string}`;
    },
    confirm: async (hash): Promise<StepReceipt> => {
      // Known once a node has the transaction: from then on, a higher nonce of the account means a replacement.
      let nonce: number | null = null;
      for (;;) {
        const mined = await count("latest");
        const receipt = (await ask("eth_getTransactionReceipt", [hash])) as RpcReceipt | null;
        if (receipt !== null) return toReceipt(receipt);
        if (nonce !== null && mined > nonce)
          throw new StepError("replaced", `The wallet replaced the transaction ${hash}.`, hash);
        const transaction = (await ask("eth_getTransactionByHash", [hash])) as { nonce: string } | null;
        nonce ??= transaction === null ? null : Number(transaction.nonce);
        await sleep();
      }
    },
    hasPending: async () => (await count("pending")) > (await count("latest")),
  };
}

function toReceipt({ status, transactionHash, contractAddress = null }: RpcReceipt): StepReceipt {
  return { status: Number(status) === 1 ? "success" : "reverted", hash: transactionHash, contractAddress };
}

const toHex = (value: number | bigint): string => `0x${value.toString(16)}`;
