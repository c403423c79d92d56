import { inject } from "vitest";

/** A well-formed request, as far as known; missing parts are generated from the schemas. */
export type Example = {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** The fuzzed service, and its existing data. */
export type FuzzTarget = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  /** A key with the scope `admin`; null without one. */
  adminKey: string | null;
  /** The private key of a wallet that signs in; null without one. */
  walletKey: `0x${string}` | null;
  /** Existing values by the name of the field or parameter. */
  known: Record<string, string[]>;
  /** Requests whose values belong together, by operation: a draft with its splitter, a quote with its signature. */
  examples: Record<string, Example[]>;
  /** The URL at which the server process reports its stalls; null for a stack outside of this run. */
  watchUrl: string | null;
};

declare module "vitest" {
  interface ProvidedContext {
    fuzzTarget: FuzzTarget;
  }
}

/** The service of this run. */
export const fuzzTarget: FuzzTarget = inject("fuzzTarget");
