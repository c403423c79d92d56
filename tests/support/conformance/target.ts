import { inject } from "vitest";

/** The known parts of the tested stack: without `wallets` no test can sign. */
export type Target = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  /** A key with every scope; null if none can be created. */
  adminKey: string | null;
  rpcUrl: string | null;
  chainId: number;
  weth: string | null;
  wallets: { address: string; privateKey: string }[];
  /** Database, manifest and the folder of sent mails; only for a stack of this machine. */
  inside: { databaseUrl: string; manifestPath: string; manifestSha256: string; mails: string } | null;
  /** The file in which tests record the cells that they proved. */
  cellsPath: string;
  /** A token that was launched and traded for this run; null without signing. */
  fixture: Fixture | null;
};

/** The data on the chain before the tests begin. */
export type Fixture = {
  intentId: string;
  /** The SHA-256 of a stored picture. */
  imageSha256: string;
  /** A listing of the account of `apiKey`. */
  businessId: string;
  token: string;
  pool: string;
  /** A token whose initial buy vests, and its draft. */
  vested: { intentId: string; token: string };
  /** An opening whose deposits have reached the minimum, and its draft. */
  opening: { intentId: string; address: string };
  /** An opening whose token was launched without it. */
  bypassed: { address: string; token: string };
  splitter: string;
  creator: string;
  trader: string;
  /** In the draft's order. */
  recipients: { wallet: string; share_bps: number }[];
  /** Hashes of the swaps, oldest first. */
  swaps: string[];
};

declare module "vitest" {
  interface ProvidedContext {
    target: Target;
  }
}

/** The stack of this run. */
export const target: Target = inject("target");
