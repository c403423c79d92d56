import type { FeePositions, UnsignedResult } from "@slipway/protocol/transaction";
import type { Wallet } from "ethers";
import { feeLockerAbi, feeSplitterAbi } from "./contractAbis.ts";
import type { Launch } from "./launchChapters.ts";
import { amount, type Scene } from "./scene.ts";

type Ledger = {
  collected: bigint;
  protocolCredit: bigint;
  collaboratorsCredit: bigint;
  protocolTotal: bigint;
  collaboratorsTotal: bigint;
};

/** Chapter: what the trades earned goes from the pool to the locker, to the splitter, to the people. */
export async function feesChapter(scene: Scene, launch: Launch): Promise<void> {
  const { story } = scene;
  story.chapter(
    "The fees",
    "Collected from the locked position, settled to splitter and treasury, released to the two people.",
  );
  const earned = await collect(scene, launch);
  await settle(scene, launch, earned);
  await release(scene, launch, scene.creator, 6_500n);
  await release(scene, launch, scene.collaborator, 3_500n);
}

function assetsOf(scene: Scene, launch: Launch): { address: string; symbol: string }[] {
  return [
    { address: launch.token, symbol: launch.draft.intent.symbol },
    { address: scene.weth, symbol: "WETH" },
  ];
}

async function ledger(scene: Scene, launch: Launch, asset: string): Promise<Ledger> {
  const locker = scene.manifest.current.fee_locker.address;
  return scene.read<Ledger>(locker, feeLockerAbi, "ledgerOf", launch.token, asset);
}

/** Stage 1. @returns the collaborators' and the protocol's credit of both assets */
async function collect(scene: Scene, launch: Launch): Promise<Ledger[]> {
  const { story, api, creator } = scene;
  const request = { token: launch.token, wallet: creator.address, stage: "collect" };
  await scene.sign(creator, await api.post<UnsignedResult>("/fees/claim-transactions", request));
  const ledgers: Ledger[] = [];
  for (const { address, symbol } of assetsOf(scene, launch)) {
    const entry = await ledger(scene, launch, address);
    ledgers.push(entry);
    story.fact(`collected ${symbol}`, amount(entry.collected, symbol));
    story.same(
      `${symbol}: a tenth is the protocol's, the rest the collaborators'`,
      [entry.protocolTotal, entry.collaboratorsTotal],
      [entry.collected / 10n, entry.collected - entry.collected / 10n],
    );
  }
  return ledgers;
}

/** Stage 2: the credits leave the locker. */
async function settle(scene: Scene, launch: Launch, credits: Ledger[]): Promise<void> {
  const { story, api, creator } = scene;
  const treasury = await scene.read<string>(scene.manifest.current.fee_locker.address, feeLockerAbi, "treasury");
  const assets = assetsOf(scene, launch);
  const holdings = () =>
    Promise.all(
      assets.map(async ({ address }) => ({
        splitter: await scene.balance(address, launch.splitter),
        treasury: await scene.balance(address, treasury),
      })),
    );
  const before = await holdings();
  const request = { token: launch.token, wallet: creator.address, stage: "settle" };
  await scene.sign(creator, await api.post<UnsignedResult>("/fees/claim-transactions", request));
  const after = await holdings();
  for (const [index, { symbol }] of assets.entries()) {
    const [was, is, credit] = [before[index], after[index], credits[index]];
    if (!was || !is || !credit) continue;
    story.fact(
      `settled ${symbol}`,
      `${amount(is.splitter - was.splitter, symbol)} to the splitter, ${amount(is.treasury - was.treasury, symbol)} to the treasury`,
    );
    story.same(
      `${symbol}: splitter and treasury got exactly their credits`,
      [is.splitter - was.splitter, is.treasury - was.treasury],
      [credit.collaboratorsCredit, credit.protocolCredit],
    );
  }
}

/** Stage 3: one person takes what is theirs. */
async function release(scene: Scene, launch: Launch, person: Wallet, shareBps: bigint): Promise<void> {
  const { story, api } = scene;
  const assets = assetsOf(scene, launch);
  const claimable = await Promise.all(
    assets.map(({ address }) =>
      scene.read<bigint>(launch.splitter, feeSplitterAbi, "claimable", address, person.address),
    ),
  );
  const query = `/fees/positions?token=${launch.token}&wallet=${person.address}`;
  const position = await api.get<FeePositions>(query);
  story.same(
    `the API says what the splitter holds for the ${percent(shareBps)} recipient`,
    shown(position, assets, "claimable"),
    claimable,
  );
  story.same("and the share", position.share_bps, Number(shareBps));
  const holdings = () => Promise.all(assets.map(({ address }) => scene.balance(address, person.address)));
  const before = await holdings();
  const request = { token: launch.token, wallet: person.address, stage: "release" };
  await scene.sign(person, await api.post<UnsignedResult>("/fees/claim-transactions", request));
  const after = await holdings();
  for (const [index, { symbol }] of assets.entries()) {
    const [was = 0n, is = 0n] = [before[index], after[index]];
    story.fact(`${symbol} before, after`, `${amount(was, symbol)} -> ${amount(is, symbol)}`);
    story.same(`${symbol}: the recipient got exactly what was claimable`, is - was, claimable[index]);
  }
  const done = await api.get<FeePositions>(query);
  story.same("nothing more is claimable", shown(done, assets, "claimable"), [0n, 0n]);
  story.same("and all of it counts as claimed", shown(done, assets, "claimed"), claimable);
}

function shown(
  position: FeePositions,
  assets: { address: string }[],
  field: "claimable" | "claimed",
): (string | undefined)[] {
  return assets.map(
    ({ address }) => position.balances.find(({ asset }) => asset.toLowerCase() === address.toLowerCase())?.[field],
  );
}

function percent(shareBps: bigint): string {
  return `${Number(shareBps) / 100}%`;
}
