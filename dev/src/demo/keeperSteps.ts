import { setTimeout as sleep } from "node:timers/promises";
import type { Intent } from "@slipway/protocol/intent";
import { hexlify, parseEther, randomBytes, toQuantity } from "ethers";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";

const amountIn = parseEther("100");
/** The keeper pays only fees that were earned 64 blocks ago. */
const finalBlocks = 65;
const timeoutMs = 60_000;

/** Two people earn fees and ask for nothing: the keeper pays them what the service showed as pending. */
export async function keeperStep(context: DemoContext): Promise<void> {
  const { reporter, client, creator, collaborator, trader, weth, provider } = context;
  reporter.step(
    "Paid without asking",
    "The keeper, a job of the worker with a key of its own, collects, settles and releases; it pays the gas.",
  );
  const token = await launch(context);
  const trade = { token, wallet: trader.address, side: "buy", pay: "native", slippage_bps: 100 } as const;
  const people = [creator.address, collaborator.address];
  const readWeth = () => Promise.all(people.map((owner) => context.balance(weth, owner)));
  const readNative = () => Promise.all(people.map((owner) => provider.getBalance(owner)));
  const [before, native] = await Promise.all([readWeth(), readNative()]);
  await context.sign(trader, await client.prepareTradeCalls({ ...trade, amount_in: amountIn.toString() }));
  const { recipients } = await client.getFeePending({ token });
  const promised = people.map((owner) => {
    const amounts = recipients.find(({ wallet }) => wallet === owner)?.amounts ?? [];
    return BigInt(amounts.find(({ asset }) => asset.toLowerCase() === weth.toLowerCase())?.amount ?? 0n);
  });
  reporter.expectTrue(
    "the service shows what each has earned",
    promised.every((amount) => amount > 0n),
  );
  await provider.send("anvil_mine", [toQuantity(finalBlocks), "0x0"]);
  const deadline = Date.now() + timeoutMs;
  let after = await readWeth();
  while (after.some((amount, i) => amount === before[i])) {
    if (Date.now() > deadline) throw new DemoFailure(`the keeper paid nothing within ${timeoutMs / 1000} s`);
    await sleep(100);
    after = await readWeth();
  }
  for (const [i, name] of ["creator", "collaborator"].entries()) {
    const text = `the ${name} received ${formatAmount(promised[i]!, "WETH")}`;
    reporter.expectEqual(text, after[i]! - before[i]!, promised[i]);
  }
  reporter.expectEqual("and neither sent a transaction or paid gas", await readNative(), native);
}

async function launch(context: DemoContext): Promise<string> {
  const { client, creator, collaborator } = context;
  const draft = await client.createIntent({
    name: "Demo Tender",
    symbol: "TENDER",
    image_uri: "https://example.com/slipway-demo/tender.png",
    chain_id: context.chainId as Intent["chain_id"],
    recipients: [
      { provider: "wallet", wallet: creator.address, share_bps: 6_500 },
      { provider: "wallet", wallet: collaborator.address, share_bps: 3_500 },
    ],
  });
  const order = { intent_id: draft.id, wallet: creator.address };
  const { contractAddress: splitter } = await context.sign(creator, await client.prepareSplitter(order));
  if (splitter === null) throw new DemoFailure("the splitter's transaction created no contract");
  const prepared = await client.prepareLaunch({ ...order, splitter, salt: hexlify(randomBytes(32)) });
  await context.sign(creator, prepared);
  const token = prepared.expected?.token;
  if (token === undefined) throw new DemoFailure("the launch's answer names no token");
  await waitUntilListed(client, token);
  return token;
}
