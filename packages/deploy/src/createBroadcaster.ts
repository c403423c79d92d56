import { setTimeout as sleep } from "node:timers/promises";
import {
  type Address,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  type LocalAccount,
  zeroAddress,
} from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import type { Deployer, StepResult, StepTransaction } from "./deployer.ts";
import type { StepJournal, StepRecord } from "./openDeploymentState.ts";
import { readFees, signStep } from "./signStep.ts";

export type BroadcastProgress = {
  step: string;
  state: "sending" | "done" | "was_done";
  txHash: Hex;
  address: Address | null;
};

export type BroadcasterOptions = {
  client: RpcClient;
  chainId: number;
  account: LocalAccount;
  journal: StepJournal;
  onProgress?: ((progress: BroadcastProgress) => void) | undefined;
  /** Maximum wait for a step's block. */
  timeoutMs?: number | undefined;
  /** Maximum wait for a receipt after its nonce is used. */
  lateReceiptMs?: number | undefined;
};

type Receipt = { status: Hex; blockNumber: Hex; contractAddress: Address | null; transactionHash: Hex };

/**
 * Creates the deployer that sends. Every step is signed, written to the journal and only then sent; a step in the
 * journal is looked up on the chain instead of being signed again. Therefore an interruption at any moment, even a kill
 * between two lines, loses no step and repeats none.
 *
 * Its methods throw DeployError: `insufficient_funds`, `transaction_reverted`, `not_mined`, `state_mismatch`,
 * `rpc_unavailable`.
 */
export function createBroadcaster(options: BroadcasterOptions): Deployer {
  const { client, account, journal } = options;

  async function perform(
    step: string,
    transaction: StepTransaction,
  ): Promise<{ receipt: Receipt; record: StepRecord }> {
    const known = await resume(step, transaction);
    if (known?.receipt !== undefined) {
      report(step, "was_done", known.record, known.receipt.transactionHash);
      return { receipt: known.receipt, record: known.record };
    }
    const record = known?.record ?? (await sign(step, transaction));
    const attempt = record.attempts.at(-1) as StepRecord["attempts"][number];
    report(step, "sending", record, attempt.tx_hash);
    await sendRaw(options, record, attempt.raw);
    const receipt = await waitForReceipt(options, step, record);
    if (hexToBigInt(receipt.status) !== 1n) {
      // Nothing was deployed: the next run may try this step again.
      journal.remove(step);
      throw new DeployError("transaction_reverted", `${step}: the transaction ${receipt.transactionHash} reverted`);
    }
    report(step, "done", record, receipt.transactionHash);
    return { receipt, record };
  }

  /** A step's record in the journal and its receipt on the chain; undefined when the step must be signed. */
  async function resume(step: string, transaction: StepTransaction) {
    const record = journal.read(step);
    if (record === undefined) return undefined;
    if (record.payload_hash !== hashPayload(transaction)) {
      throw new DeployError(
        "state_mismatch",
        `${step}: the state file contains another transaction, based on a state that the chain no longer has`,
      );
    }
    // The nonce first: a transaction mined between the two reads must not count as replaced.
    const nonceIsUsed = (await readNonce(options, "latest")) > record.nonce;
    const receipt =
      (await findReceipt(client, record)) ?? (nonceIsUsed ? await findLateReceipt(options, record) : undefined);
    if (receipt !== undefined && hexToBigInt(receipt.status) === 1n) return { record, receipt };
    // Reverted, or its nonce was used by another transaction: it can never take effect.
    if (receipt !== undefined || nonceIsUsed) return undefined;
    return { record: await replaceUnderpriced(step, transaction, record), receipt: undefined };
  }

  async function sign(step: string, transaction: StepTransaction): Promise<StepRecord> {
    const [next, fees] = await Promise.all([readNonce(options, "pending"), readFees(client)]);
    const attempt = await signStep(options, step, transaction, next, fees);
    const record: StepRecord = {
      nonce: next,
      payload_hash: hashPayload(transaction),
      address: transaction.to === undefined ? getContractAddress({ from: account.address, nonce: BigInt(next) }) : null,
      attempts: [attempt],
    };
    journal.write(step, record);
    return record;
  }

  /** Replaces a transaction of an earlier run whose fee no longer suffices, under the same nonce. */
  async function replaceUnderpriced(
    step: string,
    transaction: StepTransaction,
    record: StepRecord,
  ): Promise<StepRecord> {
    const fees = await readFees(client);
    const offered = BigInt(record.attempts.at(-1)?.max_fee_per_gas ?? 0);
    const required = fees.type === "eip1559" ? fees.baseFeePerGas + fees.maxPriorityFeePerGas : fees.gasPrice;
    if (offered >= required) return record;
    const attempt = await signStep(options, step, transaction, record.nonce, fees);
    const replacement = { ...record, attempts: [...record.attempts, attempt] };
    journal.write(step, replacement);
    return replacement;
  }

  function report(step: string, state: BroadcastProgress["state"], record: StepRecord, txHash: Hex): void {
    options.onProgress?.({ step, state, txHash, address: record.address });
  }

  return {
    address: account.address,
    async create(step, creationCode) {
      const { receipt, record } = await perform(step, { data: creationCode });
      const blockNumber = hexToBigInt(receipt.blockNumber);
      const address = getContractAddress({ from: account.address, nonce: BigInt(record.nonce) });
      return { address, blockNumber, transactionHash: receipt.transactionHash };
    },
    async send(step, transaction): Promise<StepResult> {
      const { receipt } = await perform(step, transaction);
      return { blockNumber: hexToBigInt(receipt.blockNumber), transactionHash: receipt.transactionHash };
    },
  };
}

async function sendRaw({ client, account }: BroadcasterOptions, record: StepRecord, raw: Hex): Promise<void> {
  try {
    await callRpc(client, "eth_sendRawTransaction", [raw]);
  } catch (error) {
    // Nodes report an already submitted transaction in many ways; a lookup is reliable.
    if (await isKnown(client, record)) return;
    const message = error instanceof Error ? ((error as { details?: string }).details ?? error.message) : String(error);
    if (/insufficient funds|insufficient balance|gas required exceeds allowance/i.test(message)) {
      throw new DeployError(
        "insufficient_funds",
        `the deployer ${account.address} cannot pay for the transaction: ${message}`,
      );
    }
    throw error;
  }
}

async function isKnown(client: RpcClient, record: StepRecord): Promise<boolean> {
  const found = await Promise.all(
    record.attempts.map(({ tx_hash }) => callRpc(client, "eth_getTransactionByHash", [tx_hash])),
  );
  return found.some((transaction) => transaction !== null);
}

async function waitForReceipt(options: BroadcasterOptions, step: string, record: StepRecord): Promise<Receipt> {
  const deadline = performance.now() + (options.timeoutMs ?? 180_000);
  for (let pause = 5; ; pause = Math.min(pause * 2, 1000)) {
    const receipt = await findReceipt(options.client, record);
    if (receipt !== undefined) return receipt;
    if (performance.now() > deadline) {
      throw new DeployError(
        "not_mined",
        `${step}: the transaction ${record.attempts.at(-1)?.tx_hash} is not in a block yet`,
      );
    }
    await sleep(pause);
  }
}

async function findReceipt(client: RpcClient, record: StepRecord): Promise<Receipt | undefined> {
  const receipts = await Promise.all(
    record.attempts.map(
      ({ tx_hash }) => callRpc(client, "eth_getTransactionReceipt", [tx_hash]) as Promise<Receipt | null>,
    ),
  );
  return receipts.find((receipt) => receipt !== null) ?? undefined;
}

/**
 * Waits for a late receipt: one endpoint may have several nodes at different heights, and a lagging node gets time to
 * return a receipt before its transaction counts as replaced.
 */
async function findLateReceipt(options: BroadcasterOptions, record: StepRecord): Promise<Receipt | undefined> {
  const deadline = performance.now() + (options.lateReceiptMs ?? 10_000);
  while (performance.now() < deadline) {
    await sleep(200);
    const receipt = await findReceipt(options.client, record);
    if (receipt !== undefined) return receipt;
  }
  return undefined;
}

async function readNonce({ client, account }: BroadcasterOptions, block: "latest" | "pending"): Promise<number> {
  return Number(await callRpc(client, "eth_getTransactionCount", [account.address, block]));
}

function hashPayload({ to, data, valueInWei }: StepTransaction): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: "bool" }, { type: "address" }, { type: "bytes" }, { type: "uint256" }],
      [to === undefined, to ?? zeroAddress, data ?? "0x", valueInWei ?? 0n],
    ),
  );
}
