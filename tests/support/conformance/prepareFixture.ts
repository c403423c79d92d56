import { createClient } from "@slipway/sdk/createClient";
import { parseEther } from "ethers";
import { draw } from "../images/pictures.ts";
import { createBypassedOpening, createReadyOpening } from "./createOpening.ts";
import { fetchWithRetry } from "./fetchWithRetry.ts";
import { launchToken, trade } from "./launchToken.ts";
import { openSigner } from "./signer.ts";
import type { Fixture, Target } from "./target.ts";

/** Waits until the feeds have a launch: they end at blocks of a certain age. */
async function untilInFeeds(siteUrl: URL, pool: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { status } = await fetchWithRetry(new URL(`/feeds/dexscreener/pair?id=${pool}`, siteUrl));
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`the feeds do not have the pool ${pool}: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Launches a token with two recipients and trades it a few times, so that there are data to read. */
export async function prepareFixture(target: Omit<Target, "fixture" | "cellsPath">): Promise<Fixture | null> {
  const { rpcUrl, weth, wallets, chainId } = target;
  const [creatorAccount, traderAccount, other] = wallets.slice(-3);
  if (rpcUrl === null || weth === null || !creatorAccount || !traderAccount || !other) return null;
  const client = createClient({ ...target, fetch: fetchWithRetry });
  const creator = openSigner(rpcUrl, chainId, creatorAccount.privateKey);
  const trader = openSigner(rpcUrl, chainId, traderAccount.privateKey);
  try {
    const recipients = [
      { provider: "wallet" as const, wallet: creator.address, share_bps: 7_500 },
      { provider: "code_host" as const, handle: "octo", wallet: other.address, share_bps: 2_500 },
    ];
    const image = await client.uploadImage({ file: Uint8Array.from(await draw(120, 80).png().toBuffer()) });
    const { draft, token, launch, splitter } = await launchToken(client, creator, {
      name: "Conformance Kite",
      symbol: "KITE",
      description: "Launched by the conformance run.",
      // An image that is not pinned may have an address that no draft accepts.
      image_uri: image.ipfs ?? "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      website: "https://kite.example/",
      chain_id: chainId as 46630,
      recipients,
    });
    const business = await client.createBusiness({
      name: "Kite Shop",
      description: "Listed by the conformance run.",
      category: "retail",
    });
    const now = Math.floor(Date.now() / 1_000);
    const vested = await launchToken(
      client,
      creator,
      {
        name: "Conformance Anchor",
        symbol: "ANCHOR",
        image_uri: "https://cdn.example/anchor.png",
        chain_id: chainId as 46630,
        recipients,
      },
      {
        initial_buy: {
          amount_in: "10000000000000000",
          slippage_bps: 100,
          vesting: { cliff: now + 30 * 86_400, end: now + 130 * 86_400 },
        },
      },
    );
    const openingIntent = { image_uri: "https://cdn.example/harbour.png", chain_id: chainId as 46630, recipients };
    const harbour = { ...openingIntent, name: "Conformance Harbour", symbol: "HARBOUR" };
    const opening = await createReadyOpening(client, creator, trader, harbour);
    const pier = { ...openingIntent, name: "Conformance Pier", symbol: "PIER" };
    const bypassed = await createBypassedOpening(client, creator, pier);
    await trader.wrap(weth, parseEther("2"));
    const swaps: string[] = [];
    for (const amount of ["0.05", "0.02", "0.01"]) {
      const { receipt } = await trade(client, trader, { token, side: "buy", amountIn: parseEther(amount) });
      swaps.push(receipt.hash);
    }
    const pool = launch.prepared.expected?.pool as string;
    await untilInFeeds(new URL(target.siteUrl), pool);
    return {
      intentId: draft.id,
      imageSha256: image.sha256,
      businessId: business.id,
      token,
      vested: { intentId: vested.draft.id, token: vested.token },
      opening: { intentId: opening.intentId, address: opening.address },
      bypassed: { address: bypassed.address, token: bypassed.token },
      pool,
      splitter: splitter.receipt.contractAddress as string,
      creator: creator.address,
      trader: trader.address,
      recipients: recipients.map(({ wallet, share_bps }) => ({ wallet, share_bps })),
      swaps,
    };
  } finally {
    creator.close();
    trader.close();
  }
}
