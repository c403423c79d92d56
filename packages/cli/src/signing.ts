import { createHash } from "node:crypto";
import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import type { TypedData } from "@slipway/protocol/typedData";
import { describePrepared } from "@slipway/protocol/verify/describePrepared";
import { ethersWallet } from "@slipway/sdk/ethersWallet";
import type { Step } from "@slipway/sdk/runSteps";
import type { StepWallet } from "@slipway/sdk/stepWallet";
import {
  createTrust,
  type Order,
  type PreparedForOrder,
  requireVerified,
  type Trust,
} from "@slipway/sdk/verifyPrepared";
import type { Command } from "commander";
import type { JsonRpcProvider } from "ethers";
import { Declined, DryRunEnd, UsageError } from "./cliError.ts";
import type { Context } from "./context.ts";
import { openWallet, readText } from "./openWallet.ts";
import { formatAmount } from "./parseArguments.ts";

/** The options of every command that signs. */
export type SigningOptions = {
  rpcUrl?: string;
  manifest?: string;
  keystore?: string;
  keyFile?: string;
  yes?: boolean;
  dryRun?: boolean;
};

/** Adds the options of a command that signs. */
export function addSigningOptions(command: Command): Command {
  return command
    .option("--rpc-url <url>", "the node that sends the transactions (SLIPWAY_RPC_URL)")
    .option("--manifest <file>", "the deployment's manifest, from a source that you trust (SLIPWAY_MANIFEST)")
    .option("--keystore <file>", "the encrypted keystore of the wallet")
    .option("--key-file <file>", "a file with the wallet's private key, which only you can read")
    .option("--yes", "sign without a question")
    .option("--dry-run", "stop before the first signature");
}

/** A wallet, and the review of everything that it signs. */
export type Signing = {
  wallet: StepWallet;
  /** The wallet's own node. */
  provider: JsonRpcProvider;
  trust: Trust;
  /** Verifies a result, shows it and asks. @throws NotAsAsked, DryRunEnd, Declined */
  review(result: PreparedForOrder, order: Order): Promise<true>;
  /** Shows what a message means and asks. @throws DryRunEnd, Declined */
  confirm(lines: readonly string[], question: string): Promise<void>;
  /** Signs typed data, which the caller has verified. */
  signTypedData(typed: TypedData | LaunchTypedData): Promise<string>;
  /** Runs a flow and prints its steps. */
  run(steps: AsyncIterable<Step<{ action: string }>>): Promise<void>;
};

/** Opens the wallet and the trust of a command that signs, and closes the connection to the node at the end. */
export async function withSigning(
  options: SigningOptions,
  context: Context,
  body: (signing: Signing) => Promise<void>,
): Promise<void> {
  const { env, output } = context;
  const rpcUrl = options.rpcUrl ?? env.SLIPWAY_RPC_URL;
  const path = options.manifest ?? env.SLIPWAY_MANIFEST;
  if (!rpcUrl) throw new UsageError("There is no node: pass --rpc-url URL or set SLIPWAY_RPC_URL.");
  if (!path) throw new UsageError("There is no manifest: pass --manifest FILE or set SLIPWAY_MANIFEST.");
  const trust = await readTrust(path);
  const { signer, provider } = await openWallet(options, env, { rpcUrl, chainId: trust.manifest.chain_id });
  const wallet = ethersWallet(signer);
  const confirm: Signing["confirm"] = async (lines, question) => {
    for (const line of lines) output.note(line);
    if (options.dryRun) throw new DryRunEnd("Dry run: nothing was signed.");
    if (!options.yes && !(await context.ask(question))) throw new Declined("Nothing was signed.");
  };
  try {
    await body({
      wallet,
      provider,
      trust,
      review: async (result, order) => {
        requireVerified(result, order, trust);
        const fees = await provider.getFeeData();
        const price = fees.maxFeePerGas ?? fees.gasPrice ?? 0n;
        await confirm(describeStep(result, order, { trust, price }), "Sign and send?");
        return true;
      },
      confirm,
      signTypedData: async ({ domain, types, message }) => {
        // ethers adds EIP712Domain itself.
        const { EIP712Domain: _, ...own } = types;
        return await signer.signTypedData(domain, own, message);
      },
      run: async (steps) => {
        let count = 0;
        for await (const step of steps) {
          const { action } = step.result;
          if (step.state === "sent") output.note(`${action}: sent ${step.hash}`);
          if (step.state !== "confirmed") continue;
          count++;
          const { hash } = step.receipt;
          output.line({ action, state: "confirmed", hash }, [action, "confirmed", hash]);
        }
        if (count === 0) output.note("There is nothing to do.");
      },
    });
  } finally {
    provider.destroy();
  }
}

/** Reads the manifest. The file itself is trusted; the service must use one with the same SHA-256. */
async function readTrust(path: string): Promise<Trust> {
  const text = readText(path);
  try {
    return await createTrust(text, createHash("sha256").update(text).digest("hex"));
  } catch {
    throw new UsageError(`${path} is not a manifest.`);
  }
}

/**
 * Describes a verified step to the person who signs: action, target, what moves, warnings, and the highest fee.
 *
 * @param price - The highest price of gas of the transaction, in wei.
 */
export function describeStep(
  result: PreparedForOrder,
  { request }: Order,
  { trust, price }: { trust: Trust; price: bigint },
): string[] {
  const amount = "amount_in" in request ? request.amount_in : undefined;
  return [
    ...describePrepared(result, { wallet: request.wallet, amount_in: amount }, trust.manifest),
    ...(result.warnings ?? []).map(({ code, message }) => `warning ${code}: ${message}`),
    `fee at most ${formatAmount(BigInt(result.transaction?.gas ?? 0) * price)} native, at the current price of gas`,
  ];
}
