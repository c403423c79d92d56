import type { SendableCalls } from "@slipway/sdk/sendable";
import type { Receipt } from "./awaitOutcome.ts";
import type { Journal } from "./journal.ts";
import type { Hex } from "./provider.ts";
import type { Sender, Sent, TransactionToSend } from "./send.ts";
import type { Timing } from "./timing.ts";

/** What the wallet is asked next. */
export type PreparedStep =
  | { kind: "transaction"; name: string; transaction: TransactionToSend }
  | { kind: "batch"; name: string; batch: SendableCalls }
  | { kind: "signature"; name: string; work(): Promise<void> }
  | { kind: "service"; name: string; work(): Promise<void> }
  | { kind: "done" };

export type FlowDefinition = {
  /** Names the flow in the journal. */
  flow: string;
  /** What a later visit needs to go on. */
  request: unknown;
  /** The steps that end the flow when they are confirmed. */
  lastSteps: readonly string[];
  /** Asks the service for the next step. Its errors stop the flow and can be tried again. */
  prepare(signal: AbortSignal): Promise<PreparedStep>;
  /** Gets each mined step before the next is prepared. */
  confirmed?(name: string, receipt: Receipt): Promise<void> | void;
  /** Whether another transaction than the sent one has done the step: the hash of the one that did. */
  findReplacement?(sent: Sent, name: string): Promise<Hex | null>;
  /** The wallet does not send batches: `prepare` gives steps from now on. */
  batchRefused?(): void;
};

export type FlowParts = {
  getSender(): Sender | null;
  /** Called when account, chain or wallet change. */
  subscribeSender(listener: () => void): () => void;
  journal: Journal;
  timing: Timing;
  /** Milliseconds since 1970. */
  getTime(): number;
};
