import type { Address, Hex } from "viem";

/** A deployed contract, and what a verifier compiles to compare it. */
export type SourceContract = {
  chainId: number;
  address: Address;
  /** Fully qualified name, such as `contracts/src/LaunchToken.sol:LaunchToken`. */
  identifier: string;
  /** Version and commit of the compiler, such as `0.8.37+commit.f401782d`. */
  compiler: string;
  /** The compiler's standard-JSON input. */
  standardInput: string;
  /** The transaction that created the contract; null if another contract created it. */
  creationTransaction: Hex | null;
};

/**
 * How the compiled code matches the deployed code. `exact`: including the hash of all sources and settings. `match`: all
 * other bytes.
 */
export type SourceMatch = "exact" | "match";

/**
 * State of a submitted job. `different`: the code of these sources is not the deployed code. `failed`: the verifier has no
 * result, for the reason that its code names.
 */
export type VerificationJob =
  | { status: "pending" | "different" }
  | { status: "matched"; match: SourceMatch }
  | { status: "failed"; reason: string };

/** A service that compiles sources and compares the code with a deployed contract. All methods throw VerifierError. */
export type SourceVerifier = {
  /** Returns the match that the verifier already has; null if it has none. */
  find(contract: SourceContract, signal: AbortSignal): Promise<SourceMatch | null>;
  /** Submits the sources. @returns the id of the job; an empty text if the result is found by `find`. */
  submit(contract: SourceContract, signal: AbortSignal): Promise<string>;
  /** Returns the state of a job. */
  check(contract: SourceContract, jobId: string, signal: AbortSignal): Promise<VerificationJob>;
};

/** Why a verifier gives no result. The texts contain nothing that the verifier sent. */
export type VerifierErrorCode = "verifier_unavailable" | "verifier_refused" | "verifier_bad_answer";

export class VerifierError extends Error {
  override name = "VerifierError";
  readonly code: VerifierErrorCode;

  constructor(code: VerifierErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
