import type { Command } from "commander";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress, parseInteger } from "../parseArguments.ts";

/** Adds `gas` and `keys`. */
export function addAccountCommands(program: Command, { output, openClient }: Context): void {
  program
    .command("gas")
    .description("quote the native that a wallet lacks, paid with a stablecoin")
    .argument("<wallet>", "the wallet that lacks native", parseAddress)
    .argument("<token>", "the stablecoin: its address, or its symbol in the service's settings")
    .option("--gas-limit <gas>", "the gas of the planned transaction", parseInteger(21_000, 30_000_000), 300_000)
    .action(async (wallet: string, token: string, { gasLimit }: { gasLimit: number }) => {
      output.fields(await openClient().quoteGas({ wallet, token, gas_limit: gasLimit }), [
        ["needs top-up", ({ needs_top_up }) => (needs_top_up ? "yes" : "no")],
        ["receives native", ({ eth_amount }) => formatAmount(eth_amount)],
        ["has native", ({ eth_balance }) => formatAmount(eth_balance)],
        ["needs native", ({ eth_needed }) => formatAmount(eth_needed)],
        ["pays base units", ({ token_amount }) => token_amount],
        ["pays with", (quote) => quote.token],
        ["usd of a native", ({ eth_usd }) => eth_usd],
      ]);
    });

  program
    .command("keys")
    .description("list the account's API keys, without their secrets")
    .action(async () => {
      const { items } = await openClient().listApiKeys();
      output.table(items, [
        ["name", ({ name }) => name],
        ["prefix", ({ prefix }) => prefix],
        ["scopes", ({ scopes }) => scopes.join(" ")],
        ["last_used_at", ({ last_used_at }) => last_used_at],
        ["expires_at", ({ expires_at }) => expires_at],
        ["id", ({ id }) => id],
      ]);
    });
}
