import type { Stack } from "@slipway/dev/startStack";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import type { Intent } from "@slipway/protocol/intent";
import { createClient } from "@slipway/sdk/createClient";
import { Contract, Interface, parseEther } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Launched, launchToken, trade, until } from "../support/conformance/launchToken.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { getEthUsd } from "../support/e2e/chainSwaps.ts";
import { expectEqualToChain } from "../support/e2e/expectEqualToChain.ts";
import { startBuiltStack } from "../support/startBuiltStack.ts";

const factoryAbi = new Interface(launchFactoryAbi);
const splitterAbi = ["function allocations() view returns (address[] payees, uint16[] shares)"];
const erc20Abi = [
  "function balanceOf(address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function allowance(address, address) view returns (uint256)",
];

describe("the main job, signed by ethers on real contracts", () => {
  let stack: Stack;
  let creator: Signer;
  let trader: Signer;
  let launched: Launched;
  let ethUsd: number;
  let weth: string;
  const client = () => createClient(stack);
  const erc20 = (address: string) => new Contract(address, erc20Abi, creator.provider);
  const balance = (asset: string, wallet: string): Promise<bigint> => erc20(asset).getFunction("balanceOf")(wallet);
  const launch = () => ({ token: launched.token, pool: launched.launch.prepared.expected!.pool!, weth });
  let intent: Intent;

  beforeAll(async () => {
    stack = await startBuiltStack({ serverEnvironment: unlimited });
    const chainId = stack.manifest.chain_id;
    weth = stack.manifest.wrapped_native.address;
    creator = openSigner(stack.rpcUrl, chainId, stack.wallets[0]!.privateKey);
    trader = openSigner(stack.rpcUrl, chainId, stack.wallets[1]!.privateKey);
    ethUsd = await getEthUsd(creator.provider, stack.manifest.eth_usd!, weth);
    intent = {
      name: "Tin Boat",
      symbol: "TIN",
      description: "A boat of tin.",
      image_uri: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      website: "https://tinboat.example/",
      chain_id: chainId as 46630,
      recipients: [
        { provider: "wallet", wallet: creator.address, share_bps: 6_000 },
        { provider: "social", handle: "tin", wallet: stack.wallets[2]!.address, share_bps: 4_000 },
      ],
    };
  });
  afterAll(async () => {
    creator?.close();
    trader?.close();
    await stack?.stop();
  });

  it("launches a draft at the addresses that the service predicted", async () => {
    launched = await launchToken(client(), creator, intent);
    const { splitter, launch: sent } = launched;
    expect(splitter.receipt.contractAddress).toBe(splitter.prepared.expected!.splitter);
    const log = sent.receipt.logs.map((one) => factoryAbi.parseLog(one)).find((parsed) => parsed?.name === "Launched")!;
    expect(log.args.getValue("token")).toBe(sent.prepared.expected!.token);
    expect(log.args.getValue("pool")).toBe(sent.prepared.expected!.pool);
    expect(sent.receipt.gasUsed).toBeLessThanOrEqual(BigInt(sent.prepared.transaction!.gas));
  });

  it("has put on the chain exactly what the draft says", async () => {
    const { token, draft, splitter, launch: sent } = launched;
    const log = sent.receipt.logs.map((one) => factoryAbi.parseLog(one)).find((parsed) => parsed?.name === "Launched")!;
    expect(log.args.toObject()).toMatchObject({
      creator: creator.address,
      splitter: splitter.receipt.contractAddress,
      name: intent.name,
      symbol: intent.symbol,
      totalFeeBps: 100n,
      protocolFeeBps: 10n,
    });
    const uri = log.args.getValue("contractURI") as string;
    const metadata = JSON.parse(Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64").toString());
    expect(metadata).toEqual({
      name: intent.name,
      symbol: intent.symbol,
      description: intent.description,
      image: intent.image_uri,
      external_link: intent.website,
      draft_commitment: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const allocations = await new Contract(
      splitter.receipt.contractAddress!,
      splitterAbi,
      creator.provider,
    ).getFunction("allocations")();
    expect([...allocations.payees]).toEqual(draft.intent.recipients!.map(({ wallet }) => wallet));
    expect([...allocations.shares].map(Number)).toEqual(draft.intent.recipients!.map(({ share_bps }) => share_bps));
    expect(await erc20(token).getFunction("name")()).toBe(intent.name);
    expect(await erc20(token).getFunction("totalSupply")()).toBe(10n ** 27n);
  });

  it("is listed with the chain's data before anybody traded, at the start price", async () => {
    const { items } = await client().listTokens({ sort: "new" });
    expect(items.map(({ address }) => address)).toContain(launched.token);
    const detail = await client().getToken({ address: launched.token });
    expect(detail).toMatchObject({
      name: intent.name,
      symbol: intent.symbol,
      description: intent.description,
      website: intent.website,
      creator: creator.address,
      splitter: launched.splitter.receipt.contractAddress,
      tx_hash: launched.launch.receipt.hash,
      block_number: launched.launch.receipt.blockNumber,
      trades: [],
      buys_24h: 0,
    });
    expect(detail.price_usd).toBeGreaterThan(0);
    expect(detail.recipients.map(({ handle, verified }) => ({ handle, verified }))).toEqual([
      { handle: null, verified: false },
      { handle: "tin", verified: false },
    ]);
  });

  it("buys with an exact approval and receives at least the minimum", async () => {
    await trader.wrap(weth, parseEther("1"));
    const { approval, swap, receipt } = await trade(client(), trader, {
      token: launched.token,
      side: "buy",
      amountIn: parseEther("0.2"),
    });
    expect(approval?.action).toBe("approve");
    expect(receipt.to).toBe(stack.manifest.uniswap.router.address);
    const received = await balance(launched.token, trader.address);
    expect(received).toBeGreaterThanOrEqual(BigInt(swap.expected!.minimum_out!));
    expect(received).toBe(BigInt(swap.expected!.amount_out!));
    // The approval was for exactly the amount: none of it is left.
    const router = stack.manifest.uniswap.router.address;
    expect(await erc20(weth).getFunction("allowance")(trader.address, router)).toBe(0n);
    expect(await balance(weth, trader.address)).toBe(parseEther("0.8"));
  });

  it("sells part of it, and buys again", async () => {
    const held = await balance(launched.token, trader.address);
    await trade(client(), trader, { token: launched.token, side: "sell", amountIn: held / 3n });
    await trade(client(), trader, { token: launched.token, side: "buy", amountIn: parseEther("0.05") });
    expect((await client().getToken({ address: launched.token })).holders).toBe(1);
  });

  it("shows trades, token and candles that equal the chain's logs", async () => {
    const swaps = await expectEqualToChain(client(), creator.provider, launch(), ethUsd);
    expect(swaps.map(({ side }) => side)).toEqual(["buy", "sell", "buy"]);
    const analytics = await client().getAnalytics();
    expect([analytics.launches_total, analytics.trades_covered, analytics.traders_24h]).toEqual([1, 3, 1]);
  });

  it("collects, settles and releases the fees to the recipients by their shares", async () => {
    const { token } = launched;
    const claim = async (stage: "collect" | "settle" | "release", wallet: Signer) =>
      wallet.send(await client().prepareFeeClaim({ token, wallet: wallet.address, stage }));
    const positions = (wallet: string) => client().getFeePositions({ token, wallet });
    await claim("collect", trader);
    const collected = await positions(creator.address);
    const credited = BigInt(collected.balances.find(({ asset }) => asset === weth)!.credited);
    expect(credited).toBeGreaterThan(0n);
    await claim("settle", trader);
    const splitter = launched.splitter.receipt.contractAddress!;
    const atSplitter = await balance(weth, splitter);
    const treasury = await balance(weth, stack.manifest.treasury);
    // One tenth of the collected amount is the protocol's, to the wei.
    expect(treasury).toBe((treasury + atSplitter) / 10n);
    const before = await balance(weth, creator.address);
    await claim("release", creator);
    const paid = (await balance(weth, creator.address)) - before;
    expect(paid).toBe((atSplitter * 6_000n) / 10_000n);
    const after = await positions(creator.address);
    expect(after.balances.find(({ asset }) => asset === weth)).toMatchObject({
      credited: "0",
      claimable: "0",
      claimed: String(paid),
      lifetime: String(paid),
    });
    const again = await client().prepareFeeClaim({ token, wallet: creator.address, stage: "release" });
    expect([again.status, again.transaction]).toEqual(["nothing_to_do", null]);
  });

  it("keeps showing the same after a server started anew reads its database", async () => {
    const head = await creator.provider.getBlockNumber();
    await until(async () => (await client().getAnalytics()).coverage.to_block >= head, `block ${head} to be indexed`);
    const before = await client().getToken({ address: launched.token });
    const pid = stack.serverPid();
    process.kill(pid, "SIGKILL");
    await until(
      async () => {
        try {
          return stack.serverPid() !== pid && (await fetch(`${stack.siteUrl}/readyz`)).status === 200;
        } catch {
          return false;
        }
      },
      "the server to be back",
      60_000,
    );
    const after = await client().getToken({ address: launched.token });
    expect({ ...after, as_of: null }).toEqual({ ...before, as_of: null });
    await expectEqualToChain(client(), creator.provider, launch(), ethUsd);
  });
});
