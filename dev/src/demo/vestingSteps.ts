import type { Intent } from "@slipway/protocol/intent";
import { hexlify, parseEther, randomBytes } from "ethers";
import { vestingAbi, vestingFactoryAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";

const amountIn = parseEther("0.2");
/** Seconds until the vesting begins, and its duration. Long enough for the transactions of the launch. */
const [waitSeconds, vestingSeconds] = [6, 4];
const pollMs = 250;
const maxPolls = 240;

/** Launches a token whose creator's first buy vests, and releases the tokens to the creator. */
export async function vestingStep(context: DemoContext): Promise<void> {
  const { reporter, client, creator, trader, manifest } = context;
  reporter.step(
    "A first buy that vests",
    "The creator's tokens go to a contract without an owner. Any account can release the vested part.",
  );
  const draft = await client.createIntent({
    name: "Demo Anchor",
    symbol: "ANCHOR",
    image_uri: "https://example.com/slipway-demo/anchor.png",
    chain_id: context.chainId as Intent["chain_id"],
    recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
  });
  const order = { intent_id: draft.id, wallet: creator.address };
  const { contractAddress: splitter } = await context.sign(creator, await client.prepareSplitter(order));
  if (splitter === null) throw new DemoFailure("the splitter's transaction created no contract");
  const cliff = Math.floor(Date.now() / 1_000) + waitSeconds;
  const end = cliff + vestingSeconds;
  const initial_buy = { amount_in: amountIn.toString(), slippage_bps: 100, vesting: { cliff, end } };
  await client.putIntentOptions({ id: draft.id, initial_buy });
  const [creation, salt] = [await client.prepareVesting(order), hexlify(randomBytes(32))];
  await context.sign(creator, creation);
  const prepared = await client.prepareLaunch({ ...order, splitter, salt });
  await context.sign(creator, prepared);
  const { token, vesting, amount_out: bought = "0" } = prepared.expected ?? {};
  if (token === undefined || vesting === undefined) throw new DemoFailure("the launch's answer names no vesting");
  reporter.expectEqual("the vesting is the one that was created", vesting, creation.expected?.vesting);
  reporter.expectEqual("all bought tokens are in the vesting", await context.balance(token, vesting), BigInt(bought));
  const terms = await Promise.all(
    ["beneficiary", "cliff", "end"].map((name) => context.read<string | bigint>(vesting, vestingAbi, name)),
  );
  reporter.expectEqual("its terms on the chain are the draft's", terms, [creator.address, BigInt(cliff), BigInt(end)]);
  const factory = manifest.current.vesting_factory.address;
  const isRecorded = await context.read<boolean>(factory, vestingFactoryAbi, "isVesting", vesting);
  reporter.expectEqual("the vesting factory has recorded it", isRecorded, true);

  await waitUntilListed(client, token);
  const { vesting: shown } = await client.getTokenVesting({ address: token });
  reporter.expectEqual(
    "the service shows the same vesting",
    [shown?.address, shown?.beneficiary, shown?.cliff, shown?.end, shown?.received],
    [vesting, creator.address, cliff, end, bought],
  );
  let released = 0n;
  while (released < BigInt(bought)) {
    await releaseVested(context, token);
    released = await context.read<bigint>(vesting, vestingAbi, "released", token);
  }
  reporter.value("released", `${formatAmount(released, "ANCHOR")} by ${trader.address}`);
  reporter.expectEqual("the creator has every token", await context.balance(token, creator.address), BigInt(bought));
}

/** Releases the first vested part, in a transaction of an account that is not the beneficiary. */
async function releaseVested({ client, trader, sign }: DemoContext, token: string): Promise<void> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const prepared = await client.prepareVestingRelease({ token, wallet: trader.address });
    if (prepared.status === "ready") {
      await sign(trader, prepared);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new DemoFailure("nothing vests");
}
