import type { Intent } from "@slipway/protocol/intent";
import { hexlify, parseEther, randomBytes } from "ethers";
import { feeLockerAbi, launchFactoryAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";

const amountIn = parseEther("0.1");
const bps = 10_000n;

/** Launches a token in each other fee tier of the chain. The protocol earns 10 bp of the volume in all of them. */
export async function tierStep(context: DemoContext): Promise<void> {
  const { reporter, client } = context;
  reporter.step(
    "The other fee tiers",
    "A lower fee for traders: the protocol keeps 10 bp of the volume at every tier, the recipients get the rest.",
  );
  const { tiers } = (await client.getConfig()).fee_policy;
  for (const { fee_bps: feeBps, launchable } of tiers) {
    if (launchable && feeBps !== 100) await launchInTier(context, feeBps);
  }
}

async function launchInTier(context: DemoContext, feeBps: number): Promise<void> {
  const { reporter, client, creator, trader, weth, manifest } = context;
  const draft = await client.createIntent({
    name: `Demo Ferry ${feeBps}`,
    symbol: `FERRY${feeBps}`,
    image_uri: "https://example.com/slipway-demo/ferry.png",
    chain_id: context.chainId as Intent["chain_id"],
    fee_bps: feeBps as Intent["fee_bps"],
    // At 10 bp nothing is left for recipients, so that the draft needs none.
    ...(feeBps === 10 ? {} : { recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }] }),
  });
  const order = { intent_id: draft.id, wallet: creator.address };
  const { contractAddress: splitter } = await context.sign(creator, await client.prepareSplitter(order));
  if (splitter === null) throw new DemoFailure("the splitter's transaction created no contract");
  const prepared = await client.prepareLaunch({ ...order, splitter, salt: hexlify(randomBytes(32)) });
  const receipt = await context.sign(creator, prepared);
  const events = receipt.logs.map((log) => launchFactoryAbi.parseLog(log)).filter((log) => log?.name === "Launched");
  const fees = events.map((log) => [log?.args.totalFeeBps, log?.args.protocolFeeBps]);
  reporter.expectEqual(`the launch has a fee of ${feeBps} bp, 10 of them the protocol's`, fees, [[feeBps, 10]]);
  const token = prepared.expected?.token;
  if (token === undefined) throw new DemoFailure("the launch's answer names no token");
  await waitUntilListed(client, token);

  const trade = { token, wallet: trader.address, side: "buy", pay: "native", slippage_bps: 100 } as const;
  await context.sign(trader, await client.prepareTradeCalls({ ...trade, amount_in: amountIn.toString() }));
  const treasury = await context.read<string>(manifest.current.fee_locker.address, feeLockerAbi, "treasury");
  const readBalances = () => Promise.all([treasury, splitter].map((owner) => context.balance(weth, owner)));
  const before = await readBalances();
  for (const stage of ["collect", "settle"] as const) {
    await context.sign(creator, await client.prepareFeeClaim({ token, wallet: creator.address, stage }));
  }
  const [toTreasury, toSplitter] = (await readBalances()).map((after, index) => after - before[index]!) as [
    bigint,
    bigint,
  ];
  // The pool rounds the fee of its position down by less than one unit.
  const isAbout = (amount: bigint, share: bigint) => amount <= share && amount >= share - 2n;
  reporter.value(`fees at ${feeBps} bp`, `${formatAmount(toTreasury, "WETH")} to the treasury`);
  reporter.expectTrue(
    `the treasury received 10 bp of the volume, the splitter ${feeBps - 10} bp`,
    isAbout(toTreasury, (amountIn * 10n) / bps) && isAbout(toSplitter, (amountIn * BigInt(feeBps - 10)) / bps),
    `${toTreasury} and ${toSplitter}`,
  );
}
