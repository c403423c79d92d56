import type { Page } from "playwright-core";
import {
  type Address,
  createWalletClient,
  type Hex,
  hashMessage,
  http,
  keccak256,
  type PrivateKeyAccount,
  parseGwei,
  publicActions,
  type TransactionReceipt,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { SafeWallet } from "../security/safeWallet.ts";

/** A request of a page to a wallet. */
export type Asked = { method: string; params: readonly any[] };

/** Answers a request; `next` is the wallet's default behaviour. Throw `walletError` to reject. */
export type Behaviour = (params: readonly any[], next: () => Promise<unknown>) => unknown;

/** A wallet extension as pages see one (EIP-6963, EIP-1193). The keys stay in the test. */
export type TestWallet = {
  readonly account: PrivateKeyAccount;
  /** The initial key of the wallet. */
  readonly privateKey: Hex;
  readonly asked: Asked[];
  /** Returns the requests of one method. */
  of(method: string): (readonly any[])[];
  /** Sets the behaviour of a method; null restores the default. */
  behave(method: string, behaviour: Behaviour | null): void;
  /** Changes the account or the chain, and reports the change to the page. */
  switchAccount(privateKey: Hex): Promise<void>;
  switchChain(chainId: number): Promise<void>;
  /** Emits an EIP-1193 event in the page. */
  emit(event: string, value: unknown): Promise<void>;
  /** The wallet's id on the site: its reverse domain name. */
  readonly rdns: string;
  /** Whether the page may see the wallet's account. */
  isConnected(): boolean;
  /** Lets pages see the account, as after an earlier connection. */
  setConnected(): void;
  /**
   * Adds the wallet to a page before it opens. `lateMs`: the time from the page's start until the wallet announces
   * itself.
   */
  addTo(page: Page, options?: { lateMs?: number; injected?: boolean }): Promise<void>;
};

export type TestWalletOptions = {
  rpcUrl: string;
  chainId: number;
  privateKey: Hex;
  name?: string;
  rdns?: string;
  connected?: boolean;
};

/** Creates a wallet error with its code. */
export const walletError = (code: number, message = `code ${code}`) => Object.assign(new Error(message), { code });

let count = 0;

/** Creates a wallet that signs with the key and sends to the chain. */
export function createTestWallet(options: TestWalletOptions): TestWallet {
  const { rpcUrl, chainId: home, name = "Test Wallet", rdns = "test.slipway.wallet" } = options;
  count += 1;
  const id = `${count}`;
  let account = privateKeyToAccount(options.privateKey);
  let chainId = home;
  let isConnected = options.connected ?? false;
  const known = new Set([home, 1]);
  const asked: Asked[] = [];
  const behaviours = new Map<string, Behaviour>();
  const pages = new Set<Page>();

  const forward = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: number; message: string } };
    if (error) throw Object.assign(walletError(error.code, error.message), error);
    return result;
  };
  const emit: TestWallet["emit"] = async (event, value) => {
    for (const page of pages) {
      if (page.isClosed()) continue;
      await page
        .evaluate(([key, name, data]) => (window as any)[`__emit${key}`]?.(name, data), [id, event, value] as const)
        .catch(() => undefined);
    }
  };
  const switchChain = async (next: number) => {
    chainId = next;
    await emit("chainChanged", `0x${next.toString(16)}`);
  };

  const own: Record<string, (params: readonly any[]) => unknown> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_accounts: () => (isConnected ? [account.address] : []),
    eth_requestAccounts: () => {
      isConnected = true;
      return [account.address];
    },
    wallet_switchEthereumChain: async ([{ chainId: wanted }]) => {
      if (!known.has(Number(wanted))) throw walletError(4902, "Unrecognized chain ID");
      await switchChain(Number(wanted));
      return null;
    },
    wallet_addEthereumChain: async ([{ chainId: added }]) => {
      known.add(Number(added));
      await switchChain(Number(added));
      return null;
    },
    eth_sendTransaction: async ([transaction]) => {
      if (transaction.from.toLowerCase() !== account.address.toLowerCase()) throw walletError(4100, "Not authorised");
      return await sendSigned({ rpcUrl, account }, transaction);
    },
    personal_sign: async ([message]) => await account.signMessage({ message: { raw: message } }),
    eth_signTypedData_v4: async ([, typed]) => await account.signTypedData(JSON.parse(typed)),
    wallet_getCapabilities: () => {
      throw walletError(-32601, "The method does not exist");
    },
    wallet_sendCalls: () => {
      throw walletError(-32601, "The method does not exist");
    },
  };

  const handle = async (method: string, params: readonly any[]): Promise<unknown> => {
    asked.push({ method, params });
    const next = async () => {
      if (own[method]) return await own[method](params);
      // Another chain has none of these contracts.
      if (chainId !== home && method === "eth_getCode") return "0x";
      return await forward(method, params);
    };
    const behaviour = behaviours.get(method);
    return behaviour ? await behaviour(params, next) : await next();
  };

  return {
    get account() {
      return account;
    },
    privateKey: options.privateKey,
    asked,
    of: (method) => asked.filter((one) => one.method === method).map(({ params }) => params),
    behave: (method, behaviour) => void (behaviour ? behaviours.set(method, behaviour) : behaviours.delete(method)),
    switchAccount: async (privateKey) => {
      account = privateKeyToAccount(privateKey);
      await emit("accountsChanged", [account.address]);
    },
    switchChain,
    emit,
    rdns,
    isConnected: () => isConnected,
    setConnected: () => {
      isConnected = true;
    },
    addTo: async (page, { lateMs = 0, injected = false } = {}) => {
      pages.add(page);
      await page.exposeFunction(`__ask${id}`, async (method: string, params: readonly any[]) => {
        try {
          return { result: (await handle(method, params)) ?? null };
        } catch (error) {
          const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown };
          return { error: { code, message, data } };
        }
      });
      await page.addInitScript(announce, { id, name, rdns, lateMs, injected });
    },
  };
}

type Announcement = { id: string; name: string; rdns: string; lateMs: number; injected: boolean };

/** Runs in the page before the page's own scripts. */
function announce({ id, name, rdns, lateMs, injected }: Announcement): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown[] }) => {
      const { result, error } = await (window as any)[`__ask${id}`](method, params ?? []);
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    },
    on: (event: string, listener: (value: unknown) => void) => {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event)!.add(listener);
    },
    removeListener: (event: string, listener: (value: unknown) => void) => listeners.get(event)?.delete(listener),
  };
  (window as any)[`__emit${id}`] = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value);
  };
  if (injected) {
    (window as any).ethereum = provider;
    return;
  }
  const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
  const detail = Object.freeze({ info: { uuid: crypto.randomUUID(), name, icon, rdns }, provider });
  const announceAgain = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  const start = () => {
    window.addEventListener("eip6963:requestProvider", announceAgain);
    announceAgain();
  };
  if (lateMs > 0) setTimeout(start, lateMs);
  else start();
}

type Signer = { rpcUrl: string; account: PrivateKeyAccount };
type RequestedTransaction = { to?: Address; data?: Hex; value?: Hex; gas?: Hex };

const openClient = ({ rpcUrl, account }: Signer) =>
  createWalletClient({ account, transport: http(rpcUrl), pollingInterval: 50 }).extend(publicActions);

async function fill(signer: Signer, { to, data, value, gas }: RequestedTransaction, tip: bigint) {
  const client = openClient(signer);
  const nonce = await client.getTransactionCount({ address: signer.account.address, blockTag: "pending" });
  const fees = { maxFeePerGas: parseGwei("50") + tip, maxPriorityFeePerGas: tip };
  const chainId = await client.getChainId();
  const amounts = { value: BigInt(value ?? 0), gas: gas === undefined ? 10_000_000n : BigInt(gas) };
  return { type: "eip1559", chainId, nonce, ...(to ? { to } : {}), data: data ?? "0x", ...amounts, ...fees } as const;
}

/** Signs and sends a transaction, like a wallet. @returns the hash */
export async function sendSigned(signer: Signer, transaction: RequestedTransaction): Promise<Hex> {
  const client = openClient(signer);
  const signed = await signer.account.signTransaction(await fill(signer, transaction, parseGwei("1")));
  return await client.sendRawTransaction({ serializedTransaction: signed });
}

/**
 * Replaces a transaction like a user who speeds it up or cancels it: the wallet returns the hash of a transaction that
 * is never mined, because another one uses its nonce.
 */
export async function sendReplaced(
  signer: Signer,
  transaction: RequestedTransaction,
  kind: "sped up" | "cancelled",
): Promise<{ answered: Hex; mined: Hex }> {
  const client = openClient(signer);
  const first = await fill(signer, transaction, parseGwei("1"));
  const answered = keccak256(await signer.account.signTransaction(first));
  const { to: _, ...creation } = first;
  const cancelled = { ...creation, to: signer.account.address, data: "0x" as Hex, value: 0n, gas: 21_000n };
  const second = kind === "sped up" ? first : cancelled;
  const faster = { ...second, maxPriorityFeePerGas: parseGwei("3"), maxFeePerGas: parseGwei("60") };
  const signed = await signer.account.signTransaction(faster);
  return { answered, mined: await client.sendRawTransaction({ serializedTransaction: signed }) };
}

/**
 * Hides the wallet's next transaction from its node's blocks, so that the page sees the transaction as pending, however
 * long a test takes.
 *
 * @returns a function that lets the node catch up
 */
export function holdNextTransaction(wallet: TestWallet): () => void {
  let isHeld = false;
  wallet.behave("eth_sendTransaction", async (_, next) => {
    const hash = await next();
    wallet.behave("eth_sendTransaction", null);
    isHeld = true;
    return hash;
  });
  wallet.behave("eth_getTransactionReceipt", (_, next) => (isHeld ? null : next()));
  wallet.behave("eth_getTransactionCount", async ([, block], next) => {
    const count = Number(await next());
    return `0x${(isHeld && block === "latest" ? count - 1 : count).toString(16)}`;
  });
  return () => {
    isHeld = false;
  };
}

/**
 * Behaviours of a contract wallet with several owners: the owners sign each request, and an account that pays the gas
 * sends it.
 *
 * @param sendsBatches - Whether the wallet declares support for batches (EIP-5792).
 */
export function createSafeBehaviours(safe: SafeWallet, sendsBatches: boolean): Record<string, Behaviour> {
  const receipts = new Map<string, unknown[]>();
  const toReceipt = ({ transactionHash, status, blockNumber, logs }: TransactionReceipt) => ({
    transactionHash,
    status: status === "success" ? "0x1" : "0x0",
    blockNumber: `0x${blockNumber.toString(16)}`,
    logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
  });
  const batches: Record<string, Behaviour> = {
    wallet_getCapabilities: ([, [chainId]]) => ({ [chainId]: { atomic: { status: "supported" } } }),
    wallet_sendCalls: async ([batch]) => {
      const id = `0x${(receipts.size + 1).toString(16)}`;
      receipts.set(id, (await safe.sendCalls(batch)).map(toReceipt));
      return { id };
    },
    wallet_getCallsStatus: ([id]) => ({ status: 200, atomic: true, receipts: receipts.get(id) }),
  };
  return {
    eth_accounts: () => [safe.address],
    eth_requestAccounts: () => [safe.address],
    eth_sendTransaction: async ([{ to, data, value }]) =>
      (await safe.send({ to, data, value: BigInt(value ?? 0) })).transactionHash,
    personal_sign: async ([message]) => await safe.signDigest(hashMessage({ raw: message })),
    eth_signTypedData_v4: async ([, typed]) => await safe.sign(JSON.parse(typed)),
    ...(sendsBatches ? batches : {}),
  };
}

/**
 * Behaviours of a wallet that sends batches atomically: on the local chain it sends the calls one after the other.
 *
 * @param usesPaymaster - Whether the wallet declares support for paymasters (ERC-7677). It pays the fee itself all the same.
 * @returns the behaviours by method
 */
export function createBatchBehaviours(signer: Signer, usesPaymaster = false): Record<string, Behaviour> {
  const receipts = new Map<string, unknown[]>();
  const paymaster = usesPaymaster ? { paymasterService: { supported: true } } : {};
  return {
    wallet_getCapabilities: ([, [chainId]]) => ({ [chainId]: { atomic: { status: "supported" }, ...paymaster } }),
    wallet_sendCalls: async ([{ calls }]) => {
      const client = openClient(signer);
      const batchId = `0x${(receipts.size + 1).toString(16)}`;
      const mined = [];
      for (const call of calls) {
        const hash = await sendSigned(signer, call);
        const receipt = await client.waitForTransactionReceipt({ hash });
        const status = receipt.status === "success" ? "0x1" : "0x0";
        const block = `0x${receipt.blockNumber.toString(16)}`;
        const logs = receipt.logs.map(({ address, topics, data }) => ({ address, topics, data }));
        mined.push({ transactionHash: hash, status, blockNumber: block, logs });
      }
      receipts.set(batchId, mined);
      return { id: batchId };
    },
    wallet_getCallsStatus: ([batchId]) => ({ status: 200, atomic: true, receipts: receipts.get(batchId) }),
  };
}
