import type { Intent } from "@slipway/protocol/intent";
import { hexlify, parseEther, randomBytes } from "ethers";
import { launchFactoryAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";

const amountIn = parseEther("0.25");
const slippageBps = 100;

/** Launches a token whose launch transaction also buys it, so nobody can buy earlier. */
export async function initialBuyStep(context: DemoContext): Promise<void> {
  const { reporter, client, creator, collaborator, provider } = context;
  reporter.step("A launch with an initial buy", "The launch transaction itself is the first buy. A preview shows it.");
  const draft = await client.createIntent({
    name: "Demo Harbour",
    symbol: "HARBOUR",
    image_uri: "https://example.com/slipway-demo/harbour.png",
    chain_id: context.chainId as Intent["chain_id"],
    recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
  });
  const order = { intent_id: draft.id, wallet: creator.address };
  await client.putIntentOptions({
    id: draft.id,
    initial_buy: { amount_in: amountIn.toString(), slippage_bps: slippageBps, recipient: collaborator.address },
    links: { x: "https://X.com/demo_harbour" },
  });
  const { options } = await client.getIntent({ id: draft.id });
  reporter.expectEqual("the options are stored in normalised form", options?.links.x, "https://x.com/demo_harbour");
  const preview = await client.previewLaunch(order);
  const share = ((preview.initial_buy?.share_of_supply ?? 0) * 100).toFixed(2);
  reporter.value("preview", `market cap ${preview.start.market_cap_eth.toFixed(3)} ETH at the start`);
  reporter.value("initial buy", `${formatAmount(amountIn, "ETH")} for ${share}% of the supply`);

  await context.sign(creator, await client.prepareSplitter(order));
  // Continues like a page that was opened again.
  const splitter = (await client.getIntentProgress({ id: draft.id })).splitters[0]?.address;
  if (splitter === undefined) throw new DemoFailure("the progress of the draft does not have its splitter");
  const prepared = await client.prepareLaunch({ ...order, splitter, salt: hexlify(randomBytes(32)) });
  reporter.expectEqual("the launch's value is the buy's", BigInt(prepared.transaction?.value ?? 0), amountIn);
  const nativeBefore = await provider.getBalance(creator.address);
  const receipt = await context.sign(creator, prepared);
  const paid = nativeBefore - (await provider.getBalance(creator.address)) - receipt.fee;
  reporter.expectEqual(`the creator paid exactly ${formatAmount(amountIn, "ETH")} and gas`, paid, amountIn);

  const { token, amount_out: amountOut } = prepared.expected ?? {};
  if (token === undefined) throw new DemoFailure("the launch's answer names no token");
  const received = await context.balance(token, collaborator.address);
  reporter.expectEqual("the named recipient holds exactly what was expected", received, BigInt(amountOut ?? 0));
  const logs = receipt.logs.map((log) => launchFactoryAbi.parseLog(log)).filter((log) => log?.name === "InitialBuy");
  const bought = logs.map((log) => [log?.args.recipient, log?.args.amountIn, log?.args.refunded]);
  reporter.expectEqual("the event on the chain has the same amounts", bought, [[collaborator.address, amountIn, 0n]]);
  await waitUntilListed(client, token);
  const { launches } = await client.getIntentProgress({ id: draft.id });
  reporter.expectEqual(
    "the progress has the launch",
    [launches[0]?.token, launches[0]?.tx_hash],
    [token, receipt.hash],
  );
}
