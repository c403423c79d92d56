import { hexlify, randomBytes, type Wallet, ZeroAddress } from "ethers";
import { feeSplitterAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";
import type { Launch } from "./launchSteps.ts";

const amountIn = 10n ** 16n;

/** Launches the draft twice more; the collaborator then claims three tokens in one transaction, in native. */
export async function claimStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, client, collaborator } = context;
  reporter.step(
    "One claim of three tokens",
    "Two more launches of the draft; one transaction collects, settles and releases on all three, and pays native.",
  );
  const tokens = [launch.token, await launchAgain(context, launch), await launchAgain(context, launch)];
  for (const token of tokens) await buy(context, token);
  const order = { wallet: collaborator.address, tokens, unwrap: true };
  const claim = await client.prepareClaimCalls(order);
  const multicall3 = context.manifest.multicall3?.address;
  reporter.expectEqual("it goes through the pinned Multicall3", claim.transaction?.to, multicall3);
  const targets = claim.calls.map(({ to }) => to);
  const { fee_locker: locker } = context.manifest.current;
  const wanted = [...Array<string>(6).fill(locker.address), launch.splitter];
  reporter.expectEqual("three collections, three settlements, and the splitter once", targets, wanted);
  const expected = claim.expected?.amounts ?? [];
  await expectArrival(context, collaborator, ZeroAddress, expected, () => context.sign(collaborator, claim));
  const again = await client.prepareClaimCalls(order);
  reporter.expectEqual("nothing is left to claim", [again.status, again.calls], ["nothing_to_do", []]);
}

/** The collaborator changes its payout address, which the next claim pays, and resets it. */
export async function payoutStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, client, collaborator, trader } = context;
  reporter.step("Another payout address", "The collaborator has its part paid to another wallet. Only it can do so.");
  const order = { token: launch.token, wallet: collaborator.address };
  const move = await client.preparePayout({ ...order, payout: trader.address });
  reporter.expectEqual(
    "the service warns about the change",
    move.warnings.map(({ code }) => code),
    ["payout_changed"],
  );
  await context.sign(collaborator, move);
  const payout = await context.read(launch.splitter, feeSplitterAbi, "payoutOf", collaborator.address);
  reporter.expectEqual("the splitter has the new payout address", payout, trader.address);
  await buy(context, launch.token);
  const { weth } = context;
  const claim = await client.prepareClaimCalls({ wallet: collaborator.address, tokens: [launch.token] });
  const expected = claim.expected?.amounts ?? [];
  await expectArrival(context, trader, weth, expected, () => context.sign(collaborator, claim));
  await context.sign(collaborator, await client.preparePayout({ ...order, payout: null }));
  const { payout: shown } = await client.getFeePositions(order);
  reporter.expectEqual("and the wallet itself is paid again", shown, null);
}

async function launchAgain({ client, sign, creator }: DemoContext, { draft, splitter }: Launch): Promise<string> {
  const salt = hexlify(randomBytes(32));
  const prepared = await client.prepareLaunch({ intent_id: draft.id, wallet: creator.address, splitter, salt });
  await sign(creator, prepared);
  const token = prepared.expected?.token;
  if (token === undefined) throw new DemoFailure("the service predicted no token");
  await waitUntilListed(client, token);
  return token;
}

async function buy({ client, sign, trader }: DemoContext, token: string): Promise<void> {
  const order = { token, wallet: trader.address, side: "buy", pay: "native", slippage_bps: 100 } as const;
  await sign(trader, await client.prepareTradeCalls({ ...order, amount_in: amountIn.toString() }));
}

/**
 * Compares the received amount of an asset with the promised amount; a receiver that sends the transaction pays its
 * gas.
 */
async function expectArrival(
  { reporter, provider, balance }: DemoContext,
  { address }: Wallet,
  asset: string,
  amounts: readonly { asset: string; to: string; amount: string }[],
  send: () => ReturnType<DemoContext["sign"]>,
): Promise<void> {
  const isNative = asset === ZeroAddress;
  const read = () => (isNative ? provider.getBalance(address) : balance(asset, address));
  const promised = amounts
    .filter((one) => one.asset.toLowerCase() === asset.toLowerCase() && one.to === address)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  reporter.expectTrue("the service promises an amount", promised > 0n);
  const before = await read();
  const receipt = await send();
  const gas = isNative && receipt.from === address ? receipt.fee : 0n;
  const symbol = isNative ? "ETH" : "WETH";
  reporter.expectEqual(`${formatAmount(promised, symbol)} arrived`, (await read()) - before + gas, promised);
}
