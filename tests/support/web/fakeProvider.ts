import type { Provider } from "../../../apps/web/src/wallet/provider.ts";

type Answer = (params: readonly any[], call: number) => unknown;

/** A wallet whose answers a test chooses by method; it records the requests. */
export type FakeProvider = Provider & {
  answers: Record<string, Answer>;
  asked: { method: string; params: readonly any[] }[];
  /** Returns the requests of one method. */
  of(method: string): (readonly any[])[];
  emit(event: string, value?: unknown): void;
};

/** Creates an error like those of wallets. */
export const walletFailure = (code: number, message = "", more: object = {}) =>
  Object.assign(new Error(message), { code, ...more });

export const never = () => new Promise<never>(() => {});

export const account = `0x${"a1".repeat(20)}` as const;
export const hashNumber = (number: number): `0x${string}` => `0x${number.toString(16).padStart(64, "0")}`;
export const factoryCode = `0x${"60".repeat(200)}`;

/** Creates a wallet on chain 46630 with one account, in which every sent transaction is mined at once. */
export function createFakeProvider(answers: Record<string, Answer> = {}): FakeProvider {
  const listeners = new Map<string, Set<(value: never) => void>>();
  const asked: FakeProvider["asked"] = [];
  const of = (method: string) => asked.filter((one) => one.method === method).map(({ params }) => params);
  const defaults: Record<string, Answer> = {
    eth_requestAccounts: () => [account],
    eth_accounts: () => [account],
    eth_chainId: () => "0xb626",
    eth_getCode: () => factoryCode,
    eth_blockNumber: () => "0x10",
    eth_getTransactionCount: () => "0x0",
    eth_sendTransaction: (_, call) => hashNumber(call),
    eth_getTransactionReceipt: ([hash]) => ({ transactionHash: hash, status: "0x1", blockNumber: "0x11", logs: [] }),
    eth_getTransactionByHash: () => ({ nonce: "0x0" }),
  };
  const fake: FakeProvider = {
    answers: { ...defaults, ...answers },
    asked,
    of,
    request: async ({ method, params: sent = [] }) => {
      // `wallet_watchAsset` has an object.
      const params = sent as readonly any[];
      asked.push({ method, params });
      const answer = fake.answers[method];
      if (answer === undefined) throw walletFailure(-32601, `no ${method}`);
      return await answer(params, of(method).length);
    },
    on: (event, listener) => (listeners.get(event) ?? listeners.set(event, new Set()).get(event)!).add(listener),
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
    emit: (event, value) => {
      for (const listener of listeners.get(event) ?? []) listener(value as never);
    },
  };
  return fake;
}

/** `localStorage` in memory. */
export function createFakeStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}
