import type { SendableCalls } from "@slipway/sdk/sendable";
import type { Receipt } from "./awaitOutcome.ts";
import type { Journal } from "./journal.ts";
import type { Hex } from "./provider.ts";
import type { Sender, Sent, TransactionToSend } from "./send.ts";
import type { Timing } from "./timing.ts";

/** The next step of a flow. */
export type PreparedStep =
  | { kind: "transaction"; name: string; transaction: TransactionToSend }
  | { kind: "batch"; name: string; batch: SendableCalls }
  | { kind: "signature"; name: string; work(): Promise<void> }
  | { kind: "service"; name: string; work(): Promise<void> }
  | { kind: "done" };

export type FlowDefinition = {
  /** The flow's name in the journal. */
  flow: string;
  /** The data with which a later visit continues. */
  request: unknown;
  /** The steps whose confirmation ends the flow. */
  lastSteps: readonly string[];
  /** Requests the next step from the service. Its errors stop the flow; the user can retry. */
  prepare(signal: AbortSignal): Promise<PreparedStep>;
  /** Called with each mined step before the next one is prepared. */
  confirmed?(name: string, receipt: Receipt): Promise<void> | void;
  /** Returns the hash of another transaction that completed the step instead of the sent one; null without one. */
  findReplacement?(sent: Sent, name: string): Promise<Hex | null>;
  /** Called if the wallet does not accept batches: `prepare` must return single steps from now on. */
  batchRefused?(): void;
};

export type FlowParts = {
  getSender(): Sender | null;
  /** Calls `listener` when account, chain or wallet change. */
  subscribeSender(listener: () => void): () => void;
  journal: Journal;
  timing: Timing;
  /** Milliseconds since 1970. */
  getTime(): number;
};
