import type { GasQuote } from "@slipway/protocol/gas";
import { isShownTopUp } from "@slipway/protocol/verify/shownTopUp";
import type { Client } from "@slipway/sdk/createClient";
import { pauseASecond, StepError } from "@slipway/sdk/stepWallet";
import { NotAsAsked } from "@slipway/sdk/verifyPrepared";
import type { Command } from "commander";
import { UsageError } from "../cliError.ts";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress, parseInteger } from "../parseArguments.ts";
import { addSigningOptions, type Signing, type SigningOptions, withSigning } from "../signing.ts";

type GasOptions = { gasLimit: number };
const gasBounds = { minimum: 21_000, maximum: 30_000_000, preset: 300_000 };
/** The looks, a second apart, for the receipt of a top-up; its quote is valid for three minutes. */
const maxLooks = 180;

const addGasOption = (command: Command) =>
  command.option(
    "--gas-limit <gas>",
    "the gas of the planned transaction",
    parseInteger(gasBounds.minimum, gasBounds.maximum),
    gasBounds.preset,
  );

/** Adds `gas` and `topup`. */
export function addGasCommands(program: Command, context: Context): void {
  const { output, openClient } = context;

  addGasOption(program.command("gas"))
    .description("quote the native that a wallet lacks, paid with a stablecoin")
    .argument("<wallet>", "the wallet that lacks native", parseAddress)
    .argument("<token>", "the stablecoin: its address, or its symbol in the service's settings")
    .action(async (wallet: string, token: string, { gasLimit }: GasOptions) => {
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

  addGasOption(addSigningOptions(program.command("topup")))
    .description("exchange a stablecoin for the native that the wallet lacks; needs no native")
    .argument("<token>", "the stablecoin: its address or its symbol in the manifest")
    .action(async (named: string, options: SigningOptions & GasOptions) => {
      await withSigning(options, context, async (signing) => {
        const client = openClient();
        const { manifest } = signing.trust;
        const token = manifest.gas_station_tokens.find(
          ({ symbol, address }) => symbol === named || address.toLowerCase() === named.toLowerCase(),
        );
        if (token === undefined || manifest.gas_station === null)
          throw new UsageError(`The manifest's gas station does not take ${named}.`);
        const { wallet } = signing;
        const request = { wallet: wallet.address, token: token.address, gas_limit: options.gasLimit };
        const quote = await client.quoteGas(request);
        if (!quote.needs_top_up) return output.note("The wallet has enough native.");
        requireShown(quote, { wallet: wallet.address, token: token.address, signing });
        const cost = `${formatAmount(quote.token_amount, token.decimals)} ${token.symbol}`;
        const lines = [
          `exchanges ${cost} for ${formatAmount(quote.eth_amount)} native at gas_station ${quote.station}`,
        ];
        await signing.confirm(lines, "Sign?");
        const hash = await submit(quote, signing, client);
        output.line({ action: "top_up", state: "confirmed", hash }, ["top_up", "confirmed", hash]);
      });
    });
}

/** @throws NotAsAsked if the messages to sign are not those of the quote. */
function requireShown(quote: GasQuote, parts: { wallet: string; token: string; signing: Signing }): void {
  const { manifest } = parts.signing.trust;
  const station = manifest.gas_station?.address ?? "";
  const messages = [quote.typed_data, quote.permit_typed_data].filter((typed) => typed !== null);
  const isOfChain = messages.every(({ domain }) => domain.chainId === manifest.chain_id);
  if (quote.typed_data !== null && isOfChain && isShownTopUp(quote, { ...parts, station })) return;
  const seen = JSON.stringify(messages);
  throw new NotAsAsked([{ name: "top_up", ok: false, seen, expected: `the quoted exchange at ${station}` }]);
}

/** Signs the quote, sends it to the service, and waits for the station's transaction. @returns its hash */
async function submit(quote: GasQuote, { wallet, signTypedData }: Signing, client: Client): Promise<string> {
  const { quote_id, typed_data: typed, permit_typed_data: permit } = quote;
  const signature = await signTypedData(typed!);
  const permitSignature = permit === null ? {} : { permit_signature: await signTypedData(permit) };
  let { hash, status } = await client.topUpGas({ quote_id, wallet: wallet.address, signature, ...permitSignature });
  for (let look = 0; look < maxLooks && (status === "pending" || status === "replaced"); look++) {
    await pauseASecond();
    ({ hash, status } = await client.getTopUp({ hash }));
  }
  if (status === "confirmed") return hash;
  throw new StepError(status === "failed" ? "reverted" : "pending_transaction", `The top-up ${hash} is ${status}.`);
}
