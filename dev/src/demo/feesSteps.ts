import type { FeePositions } from "@slipway/protocol/transaction";
import type { Wallet } from "ethers";
import { feeLockerAbi, feeSplitterAbi } from "./contractAbis.ts";
import { type DemoContext, formatAmount } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";

type Asset = { address: string; symbol: string };

type Ledger = {
  collected: bigint;
  protocolCredit: bigint;
  collaboratorsCredit: bigint;
  protocolTotal: bigint;
  collaboratorsTotal: bigint;
};

/** Moves the fees of the trades from the pool to the locker, to the splitter, to the recipients. */
export async function feesStep(context: DemoContext, launch: Launch): Promise<void> {
  context.reporter.step(
    "The fees",
    "Collected from the locked position, settled to splitter and treasury, released to the two people.",
  );
  const assets = [
    { address: launch.token, symbol: launch.draft.intent.symbol },
    { address: context.weth, symbol: "WETH" },
  ];
  const ledgers = await collect(context, launch, assets);
  await settle(context, launch, assets, ledgers);
  await release(context, launch, assets, context.creator, 6_500);
  await release(context, launch, assets, context.collaborator, 3_500);
}

type Stage = "collect" | "settle" | "release";

async function claim(context: DemoContext, launch: Launch, signer: Wallet, stage: Stage): Promise<void> {
  const prepared = await context.client.prepareFeeClaim({ token: launch.token, wallet: signer.address, stage });
  await context.sign(signer, prepared);
}

/** Stage 1: collects. @returns the locker's ledger of each asset */
async function collect(context: DemoContext, launch: Launch, assets: Asset[]): Promise<Ledger[]> {
  const { reporter } = context;
  await claim(context, launch, context.creator, "collect");
  const locker = context.manifest.current.fee_locker.address;
  const ledgers: Ledger[] = [];
  for (const { address, symbol } of assets) {
    const ledger = await context.read<Ledger>(locker, feeLockerAbi, "ledgerOf", launch.token, address);
    const { collected, protocolTotal, collaboratorsTotal } = ledger;
    reporter.value(`collected ${symbol}`, formatAmount(collected, symbol));
    reporter.expectEqual(
      `${symbol}: a tenth is the protocol's, the rest the collaborators'`,
      [protocolTotal, collaboratorsTotal],
      [collected / 10n, collected - collected / 10n],
    );
    ledgers.push(ledger);
  }
  return ledgers;
}

/** Stage 2: settles; the credits leave the locker. */
async function settle(context: DemoContext, launch: Launch, assets: Asset[], ledgers: Ledger[]): Promise<void> {
  const { reporter } = context;
  const locker = context.manifest.current.fee_locker.address;
  const treasury = await context.read<string>(locker, feeLockerAbi, "treasury");
  const readBalances = () =>
    Promise.all(
      assets.flatMap(({ address }) => [launch.splitter, treasury].map((owner) => context.balance(address, owner))),
    );
  const before = await readBalances();
  await claim(context, launch, context.creator, "settle");
  const received = (await readBalances()).map((after, index) => after - before[index]!);
  for (const [index, { symbol }] of assets.entries()) {
    const [toSplitter, toTreasury] = received.slice(2 * index) as [bigint, bigint];
    const { collaboratorsCredit, protocolCredit } = ledgers[index]!;
    reporter.value(
      `settled ${symbol}`,
      `${formatAmount(toSplitter, symbol)} to the splitter, ${formatAmount(toTreasury, symbol)} to the treasury`,
    );
    reporter.expectEqual(
      `${symbol}: splitter and treasury received exactly their credits`,
      [toSplitter, toTreasury],
      [collaboratorsCredit, protocolCredit],
    );
  }
}

/** Stage 3: releases the share of one recipient. */
async function release(
  context: DemoContext,
  launch: Launch,
  assets: Asset[],
  recipient: Wallet,
  shareBps: number,
): Promise<void> {
  const { reporter, client } = context;
  const { address: wallet } = recipient;
  const claimable = await Promise.all(
    assets.map(({ address }) => context.read<bigint>(launch.splitter, feeSplitterAbi, "claimable", address, wallet)),
  );
  const position = await client.getFeePositions({ token: launch.token, wallet });
  const shown = getAmounts(position, assets, "claimable");
  reporter.expectEqual(`the API shows the claimable amounts of the ${shareBps / 100}% recipient`, shown, claimable);
  reporter.expectEqual("and the share", position.share_bps, shareBps);
  const readBalances = () => Promise.all(assets.map(({ address }) => context.balance(address, wallet)));
  const before = await readBalances();
  await claim(context, launch, recipient, "release");
  const after = await readBalances();
  for (const [index, { symbol }] of assets.entries()) {
    const was = before[index]!;
    const is = after[index]!;
    reporter.value(`${symbol} before, after`, `${formatAmount(was, symbol)} -> ${formatAmount(is, symbol)}`);
    reporter.expectEqual(`${symbol}: the recipient received exactly the claimable amount`, is - was, claimable[index]);
  }
  const done = await client.getFeePositions({ token: launch.token, wallet });
  reporter.expectEqual("nothing more is claimable", getAmounts(done, assets, "claimable"), [0n, 0n]);
  reporter.expectEqual("and all of it counts as claimed", getAmounts(done, assets, "claimed"), claimable);
}

function getAmounts({ balances }: FeePositions, assets: Asset[], field: "claimable" | "claimed") {
  return assets.map(
    ({ address }) => balances.find(({ asset }) => asset.toLowerCase() === address.toLowerCase())?.[field],
  );
}
