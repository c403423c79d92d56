import { isOrderedCapabilities } from "@slipway/protocol/verify/batchCapabilities";
import type { SendableCalls } from "@slipway/sdk/sendable";
import type { Outcome, Receipt } from "./awaitOutcome.ts";
import { requireReady } from "./network.ts";
import { getErrorCode, type Hex, type Provider, toQuantity, toWalletError, WalletError } from "./provider.ts";
import type { Sender } from "./send.ts";
import type { Timing } from "./timing.ts";

const capabilitiesMs = 3_000;
const pollMs = 1_000;

type Capabilities = { isAtomic: boolean; hasPaymaster: boolean };

/** Whether the wallet supports atomic batches on this chain (EIP-5792); false if it does not respond in time. */
export async function readsAtomic(sender: Sender, timing: Timing): Promise<boolean> {
  return (await readCapabilities(sender, timing)).isAtomic;
}

/** Whether the wallet sends batches on this chain and can request their fee from the deployment's paymaster (ERC-7677). */
export async function readsSponsored(sender: Sender, timing: Timing): Promise<boolean> {
  if (!sender.chain.paymasterUrl) return false;
  const { isAtomic, hasPaymaster } = await readCapabilities(sender, timing);
  return isAtomic && hasPaymaster;
}

async function readCapabilities({ provider, address, chain }: Sender, timing: Timing): Promise<Capabilities> {
  const late = new AbortController();
  const answered = provider.request({ method: "wallet_getCapabilities", params: [address, [toHex(chain.id)]] });
  const answer = await Promise.race([
    answered.catch(() => null),
    timing.wait(capabilitiesMs, late.signal).then(() => null),
  ]).finally(() => late.abort());
  try {
    return toCapabilities(answer, chain.id);
  } catch {
    // The answer is an object of the extension, whose properties can throw.
    return { isAtomic: false, hasPaymaster: false };
  }
}

type ChainCapabilities = { atomic?: { status?: unknown } | null; paymasterService?: { supported?: unknown } | null };

function toCapabilities(answer: unknown, chainId: number): Capabilities {
  const entries = typeof answer === "object" && answer !== null ? Object.entries(answer) : [];
  const own = entries.find(([id]) => Number(id) === chainId)?.[1] as ChainCapabilities | null | undefined;
  const status = own?.atomic?.status;
  return {
    isAtomic: status === "supported" || status === "ready",
    hasPaymaster: own?.paymasterService?.supported === true,
  };
}

const toHex = (value: number) => `0x${value.toString(16)}`;

/**
 * Error codes that refuse batches but not their calls: the calls are sent one by one (EIP-5792, EIP-1193, JSON-RPC).
 */
const refusals = new Set([5750, 5760, 5710, 4200, -32601, -32602]);
/** The wallet does not support a capability of the batch, although it is optional (EIP-5792). */
const capabilityRefusal = 5700;

/** The wallet does not accept this batch, but may accept it without capabilities, or its calls as single steps. */
export class BatchRefused extends Error {
  override name = "BatchRefused";
}

/**
 * Sends a batch with the wallet. @returns the batch's id
 *
 * @throws BatchRefused if the batch must be sent without capabilities or, without capabilities, its calls one by one
 * @throws WalletError
 */
export async function sendBatch({ provider, address, chain }: Sender, batch: SendableCalls): Promise<string> {
  if (Number(batch.chainId) !== chain.id || batch.from.toLowerCase() !== address.toLowerCase())
    throw new WalletError("not_this_wallet");
  if (!isOrderedCapabilities(batch.capabilities, chain.paymasterUrl)) throw new WalletError("not_as_asked");
  await requireReady(provider, chain, address);
  try {
    const answer = await provider.request({ method: "wallet_sendCalls", params: [batch] });
    const id = typeof answer === "string" ? answer : (answer as { id?: unknown } | null)?.id;
    if (typeof id === "string" && id !== "") return id;
  } catch (error) {
    const code = getErrorCode(error);
    const isRefused =
      code !== null && (refusals.has(code) || (batch.capabilities !== undefined && code === capabilityRefusal));
    if (isRefused) throw new BatchRefused(`The wallet refuses batches (${code}).`);
    throw toWalletError(error);
  }
  throw new WalletError("failed", { detail: "The wallet returned no batch ID." });
}

/** The outcome of a batch. `failed`: no call took effect, because the batch is atomic. */
export type BatchOutcome = Outcome | { kind: "failed"; status: number };

/** Waits for the batch: 200 done, 100 pending, 400 and above failed (EIP-5792). */
export async function awaitBatch(
  provider: Provider,
  id: string,
  options: { timing: Timing; signal: AbortSignal; onSlow(): void },
): Promise<BatchOutcome> {
  const { timing, signal, onSlow } = options;
  const start = timing.now();
  let isSlow = false;
  while (!signal.aborted) {
    const answer = await provider.request({ method: "wallet_getCallsStatus", params: [id] }).catch(() => null);
    const { status, receipts } = (answer ?? {}) as { status?: unknown; receipts?: unknown };
    // Wallets of the first version of EIP-5792 return a word.
    const code = status === "CONFIRMED" ? 200 : status === "PENDING" ? 100 : toQuantity(status);
    if (code !== null && code >= 400) return { kind: "failed", status: code };
    const receipt = code !== null && code >= 200 ? toReceipt(receipts) : null;
    if (receipt !== null) return { kind: "mined", receipt };
    if (!isSlow && timing.now() - start >= 120_000) {
      isSlow = true;
      onSlow();
    }
    await timing.wait(pollMs, signal);
  }
  return { kind: "left" };
}

/** Returns the batch's last receipt with the logs of all receipts: a batch that is not atomic may have several. */
function toReceipt(receipts: unknown): Receipt | null {
  const all = (Array.isArray(receipts) ? receipts : []) as Record<string, unknown>[];
  const last = all.at(-1);
  if (last === undefined || typeof last.transactionHash !== "string") return null;
  const isReverted = all.some(({ status }) => status === "0x0" || status === 0);
  return {
    hash: last.transactionHash as Hex,
    status: isReverted ? "reverted" : "success",
    block: toQuantity(last.blockNumber) ?? 0,
    contractAddress: null,
    logs: all.flatMap(({ logs }) => (Array.isArray(logs) ? logs : [])),
  };
}
