import { inject } from "vitest";

/** The stack that is tested, as far as it is known: without `wallets` nothing can be signed. */
export type Target = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  /** A key with every scope; null where none can be made. */
  adminKey: string | null;
  rpcUrl: string | null;
  chainId: number;
  weth: string | null;
  wallets: { address: string; privateKey: string }[];
  /** Database, manifest and the folder of sent mails, known only of a stack of this machine. */
  inside: { databaseUrl: string; manifestPath: string; manifestSha256: string; mails: string } | null;
  /** Where tests write down the cells that they proved. */
  cellsPath: string;
  /** A token launched and traded for this run; null when nothing can be signed. */
  fixture: Fixture | null;
};

/** What is on the chain before the tests begin. */
export type Fixture = {
  intentId: string;
  /** The SHA-256 of a picture that is stored. */
  imageSha256: string;
  /** A listing of the account of `apiKey`. */
  businessId: string;
  token: string;
  pool: string;
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
