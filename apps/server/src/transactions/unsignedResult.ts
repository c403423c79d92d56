import type { ErrorCode } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import type { Action, UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { numberToHex, zeroAddress } from "viem";
import type { Head } from "../chain/readChain.ts";
import type { ProvenManifest } from "./provenManifest.ts";
import type { Call, Simulation } from "./simulate.ts";
import { gasLimit, transactionFees } from "./transactionFees.ts";

/** How long an answer holds, in seconds of the chain's time: the spec's trade quote validity, and every deadline. */
export const validitySeconds = 60n;

type Issues = NonNullable<UnsignedResult["issues"]>;

/** What every answer has. */
export type ResultParts = {
  action: Action;
  proven: ProvenManifest;
  head: Head;
  requestId: string;
  step: UnsignedResult["step"];
  /** What to call after the receipt, or null. */
  next: string | null;
  warnings?: Warning[];
  expected?: UnsignedResult["expected"];
  quote?: UnsignedResult["quote"];
};

/** What a transaction that was simulated adds. */
export type ReadyParts = ResultParts & {
  call: Call;
  simulation: Simulation;
  /** The parent chain's part of the gas; null where there is none. */
  l1Gas: bigint | null;
  nativeBalance: bigint;
  ethUsd: number | null;
  issues?: Partial<Pick<Issues, "allowance" | "balance">>;
};

/** The answer with a transaction to sign. */
export function readyResult(parts: ReadyParts): UnsignedResult {
  const { call, simulation, l1Gas, head, proven } = parts;
  const limit = gasLimit(simulation, l1Gas);
  const fees = transactionFees(limit, head.gasPriceInWei, l1Gas, parts.ethUsd);
  const neededNative = BigInt(fees.total_wei) + call.value;
  return {
    ...common(parts),
    status: "ready",
    transaction: {
      chainId: numberToHex(proven.manifest.chain_id),
      from: checksummed(call.from),
      ...(call.to === undefined ? {} : { to: checksummed(call.to) }),
      data: call.data,
      value: numberToHex(call.value),
      gas: numberToHex(limit),
    },
    simulation: {
      ok: true,
      block_number: simulation.blockNumber.toString(),
      gas_used: simulation.gasUsed.toString(),
      method: simulation.method,
      asset_changes: simulation.assetChanges,
    },
    issues: {
      allowance: parts.issues?.allowance ?? null,
      balance: parts.issues?.balance ?? null,
      native_balance:
        parts.nativeBalance < neededNative
          ? { asset: zeroAddress, needed: neededNative.toString(), available: parts.nativeBalance.toString() }
          : null,
    },
    fees,
  };
}

/** The answer when the chain is already as asked; `simulation` is the one that showed it, if one was needed. */
export function nothingToDoResult(parts: ResultParts & { simulation?: Simulation }): UnsignedResult {
  return {
    ...common(parts),
    status: "nothing_to_do",
    transaction: null,
    simulation: {
      ok: true,
      block_number: parts.head.number.toString(),
      gas_used: (parts.simulation?.gasUsed ?? 0n).toString(),
      method: parts.simulation?.method ?? "eth_call",
      asset_changes: [],
    },
  };
}

function common(parts: ResultParts) {
  const { action, step, next, proven, head } = parts;
  return {
    action,
    step,
    next,
    manifest: { sha256: proven.sha256, chain_id: proven.manifest.chain_id },
    block_number: head.number.toString(),
    expires_at: Number(head.timestamp + validitySeconds),
    warnings: parts.warnings ?? [],
    request_id: parts.requestId,
    ...(parts.expected === undefined ? {} : { expected: parts.expected }),
    ...(parts.quote === undefined ? {} : { quote: parts.quote }),
  };
}

/** What a route answers that works on the proven chain and cannot now: no manifest, no proof, no chain, no database. */
export const chainErrors = [
  "manifest_missing",
  "manifest_unverified",
  "chain_unavailable",
  "storage_unavailable",
] as const satisfies readonly ErrorCode[];

/** The value of a promise that was awaited with `Promise.allSettled`. @throws what the promise was rejected with. */
export function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
