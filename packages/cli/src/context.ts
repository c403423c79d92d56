import type { Client } from "@slipway/sdk/createClient";
import type { Environment } from "./openWallet.ts";
import type { Output } from "./output.ts";

export type GlobalOptions = { url?: string; json?: boolean };

/** The environment of every command. */
export type Context = {
  env: Environment;
  output: Output;
  /** Asks the person for yes or no. */
  ask(question: string): Promise<boolean>;
  getBaseUrl(): string;
  /** Opens the client of the service, with the key in `SLIPWAY_API_KEY`. */
  openClient(): Client;
};
