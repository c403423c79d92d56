import type { TradeRequest } from "@slipway/protocol/transaction";
import { runSteps } from "@slipway/sdk/runSteps";
import type { Order } from "@slipway/sdk/verifyPrepared";
import { Argument, type Command } from "commander";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress, parseAmount, parseInteger } from "../parseArguments.ts";
import { addSigningOptions, type SigningOptions, withSigning } from "../signing.ts";

type Side = TradeRequest["side"];
type TradeOptions = SigningOptions & { slippageBps: number; native?: boolean; minimumOut?: bigint };

/** A quote does not depend on the wallet, but the request needs one. */
const anyWallet = "0x000000000000000000000000000000000000dEaD";

/** Adds the arguments of a trade. */
const addTradeArguments = (command: Command) =>
  command
    .argument("<token>", "the token", parseAddress)
    .addArgument(new Argument("<side>").choices(["buy", "sell"]))
    .argument("<amount>", "what is paid: wrapped native for a buy, tokens for a sell, e.g. 0.25", parseAmount)
    .option(
      "--slippage-bps <bps>",
      "how much worse than the quote, in hundredths of a percent",
      parseInteger(1, 500),
      100,
    );

/** Adds `quote` and `trade`. */
export function addTradeCommands(program: Command, context: Context): void {
  const { output, openClient } = context;

  addTradeArguments(program.command("quote"))
    .description("quote a trade")
    .action(async (token: string, side: Side, amount: bigint, { slippageBps }: TradeOptions) => {
      const request = { token, side, amount_in: String(amount), slippage_bps: slippageBps, wallet: anyWallet };
      output.fields(await openClient().quoteTrade(request), [
        ["pays", ({ amount_in }) => formatAmount(amount_in)],
        ["receives", ({ amount_out }) => formatAmount(amount_out)],
        ["at least", ({ minimum_out }) => formatAmount(minimum_out)],
        ["price impact bps", ({ price_impact_bps }) => price_impact_bps],
        ["pays with", ({ token_in }) => token_in],
        ["receives in", ({ token_out }) => token_out],
        ["block", ({ block_number }) => block_number],
      ]);
    });

  addSigningOptions(addTradeArguments(program.command("trade")))
    .description("buy or sell a token")
    .option("--native", "pay a buy in native, receive a sell in native")
    .option("--minimum-out <amount>", "refuse a trade that can yield less", parseAmount)
    .action(async (token: string, side: Side, amount: bigint, options: TradeOptions) => {
      const { slippageBps, native, minimumOut } = options;
      await withSigning(options, context, async ({ wallet, review, run }) => {
        const client = openClient();
        const request = {
          token,
          wallet: wallet.address,
          side,
          amount_in: String(amount),
          slippage_bps: slippageBps,
        };
        const own = minimumOut === undefined ? {} : { minimumOut };
        const order: Order = { operation: "prepareTrade", request, ...own };
        if (native) {
          const asset = side === "buy" ? { pay: "native" as const } : { receive: "native" as const };
          const inNative = { ...request, ...asset };
          const nativeOrder: Order = { operation: "prepareTradeCalls", request: inNative, ...own };
          // A sell needs the approval of the tokens first, which is the same with and without native.
          const prepare = async () => {
            const first = side === "sell" ? await client.prepareTrade(request) : null;
            return first?.action === "approve" ? first : await client.prepareTradeCalls(inNative);
          };
          const accept = (result: Awaited<ReturnType<typeof prepare>>) =>
            review(result, result.action === "approve" ? order : nativeOrder);
          return await run(runSteps(prepare, wallet, { accept }));
        }
        await run(runSteps(() => client.prepareTrade(request), wallet, { accept: (result) => review(result, order) }));
      });
    });
}
