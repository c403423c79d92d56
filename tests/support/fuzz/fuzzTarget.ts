import { inject } from "vitest";

/** A request of the right form, as far as it is known; what it leaves out is made from the schemas. */
export type Example = {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** The service that is fuzzed, and what is really there. */
export type FuzzTarget = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  /** A key with the scope `admin`; null where none was given. */
  adminKey: string | null;
  /** Private key of a wallet that signs in; null where none can. */
  walletKey: `0x${string}` | null;
  /** Real values by the name of the field or parameter that takes them. */
  known: Record<string, string[]>;
  /** Requests that belong together, by operation: a draft with its splitter, a quote with its signature. */
  examples: Record<string, Example[]>;
  /** Where the server process reports its stalls; null for a stack that is not of this run. */
  watchUrl: string | null;
};

declare module "vitest" {
  interface ProvidedContext {
    fuzzTarget: FuzzTarget;
  }
}

/** The service of this run. */
export const fuzzTarget: FuzzTarget = inject("fuzzTarget");
