import { claimFees } from "@slipway/sdk/claimFees";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress } from "../parseArguments.ts";
import { addSigningOptions, type SigningOptions, withSigning } from "../signing.ts";

/** Adds `positions` and `claim`. */
export function addFeeCommands(program: Command, context: Context): void {
  const { output, openClient } = context;

  program
    .command("positions")
    .description("show what a wallet earns from a token")
    .argument("<token>", "the token", parseAddress)
    .argument("<wallet>", "the recipient", parseAddress)
    .action(async (token: string, wallet: string) => {
      const { balances, share_bps, as_of_block } = await openClient().getFeePositions({ token, wallet });
      output.table(balances, [
        ["asset", ({ symbol }) => symbol],
        ["credited", ({ credited, decimals }) => formatAmount(credited, decimals)],
        ["claimable", ({ claimable, decimals }) => formatAmount(claimable, decimals)],
        ["claimed", ({ claimed, decimals }) => formatAmount(claimed, decimals)],
        ["address", ({ asset }) => asset],
      ]);
      output.note(`share ${share_bps} bps, at block ${as_of_block}`);
    });

  addSigningOptions(program.command("claim"))
    .description("collect, settle and release the wallet's fees of a token")
    .argument("<token>", "the token", parseAddress)
    .action(async (token: string, options: SigningOptions) => {
      await withSigning(options, context, async ({ wallet, review, run }) => {
        await run(claimFees(openClient(), wallet, token, { accept: review }));
      });
    });
}
