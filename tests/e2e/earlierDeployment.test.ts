import { createBroadcaster } from "@slipway/deploy/createBroadcaster";
import { createRpcClient } from "@slipway/deploy/createRpcClient";
import { deployAll } from "@slipway/deploy/deployAll";
import { describeEthUsdPool } from "@slipway/deploy/describeEthUsdPool";
import { finishDeployment } from "@slipway/deploy/finishDeployment";
import { createMemoryJournal } from "@slipway/deploy/openDeploymentState";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import {
  launchToken,
  sendWithEthers,
  sendWithViem,
  trade,
  untilIndexed,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { buyWithNative, sendClaim } from "../support/security/claims.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];

let stack: TestStack;
let successor: Server;
let earlier: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  earlier = await launchToken(stack, creator);
  await wrap(stack, trader, 10n ** 19n);
  const environment = await deploySuccessor(true);
  successor = await stack.openServer(environment);
  await stack.indexWith(successor);
  // The index is rebuilt for the added deployment, so the launch is temporarily missing.
  const { address } = successor.deps.chain.manifestState().manifest!.current.launch_factory;
  const query = "select 1 from chain.deployments where launch_factory = $1";
  await vi.waitUntil(async () => (await stack.deps.db.read.query(query, [address.toLowerCase()])).rowCount, 60_000);
  await untilIndexed(stack, earlier.token);
});
afterAll(async () => {
  await stack?.close();
  await successor?.close();
});

/**
 * Deploys another factory beside the same Uniswap; the manifest keeps the first factory in its history, or omits it.
 */
async function deploySuccessor(keepsHistory: boolean): Promise<Record<string, string>> {
  const { manifest, deps } = stack;
  const client = createRpcClient(stack.chain.rpcUrl);
  const chainId = manifest.chain_id;
  const treasury = getWallet("treasury").address;
  const deployer = createBroadcaster({
    client,
    chainId,
    account: getWallet("deployer").account,
    journal: createMemoryJournal(),
    timeoutMs: 30_000,
  });
  const { uniswap } = manifest;
  const startTick = manifest.current.start_tick;
  const deployed = await deployAll(deployer, {
    existing: {
      wrappedNative: manifest.wrapped_native.address as Hex,
      uniswap: {
        factory: uniswap.factory.address as Hex,
        router: uniswap.router.address as Hex,
        routerKind: uniswap.router_kind,
        quoter: uniswap.quoter.address as Hex,
      },
    },
    routerKind: uniswap.router_kind,
    treasury,
    owner: treasury,
    relayer: null,
    startTick,
    multicall3: manifest.multicall3!.address as Hex,
    stationFloatInWei: 0n,
  });
  const path = `${deps.config.MANIFEST_PATH}.${keepsHistory ? "successor" : "forgetful"}`;
  const { sha256 } = await finishDeployment(client, path, {
    chainId,
    deployed,
    treasury,
    startTick,
    poolInitCodeHash: uniswap.pool_init_code_hash as Hex,
    ethUsd: await describeEthUsdPool(client, manifest.eth_usd!.pool as Hex, deployed.wrappedNative),
    gasStationTokens: [],
    history: keepsHistory ? [manifest.current] : [],
    commit: null,
    explorerUrl: null,
  });
  return { MANIFEST_PATH: path, MANIFEST_SHA256: sha256 };
}

describe("a launch of an earlier deployment", () => {
  test("still trades and pays out under the new manifest, through its own locker", async () => {
    const through = { ...stack, call: successor.call };
    expect(successor.deps.chain.manifestState()).toMatchObject({ verified: true });
    const { token } = earlier;
    const { receipt } = await trade(
      through,
      trader,
      { token, side: "buy", amount_in: `${10n ** 17n}` },
      sendWithEthers,
    );
    expect(receipt.status).toBe("success");
    for (const stage of ["collect", "settle", "release"]) {
      const body = { token, wallet: trader.address, stage, recipient: creator.address };
      const answer = await successor.call("POST", "/fees/claim-transactions", body);
      expect([stage, answer.body.status]).toEqual([stage, "ready"]);
      const target = stage === "release" ? earlier.splitter : stack.manifest.current.fee_locker.address;
      expect(answer.body.transaction.to).toBe(target);
      expect((await sendWithEthers(through, answer, trader)).status).toBe("success");
    }
    const positions = await successor.call("GET", `/fees/positions?token=${token}&wallet=${creator.address}`);
    expect(positions.body.locker).toBe(stack.manifest.current.fee_locker.address);
    expect(BigInt(positions.body.balances[1].claimed)).toBe(9n * 10n ** 14n);
  });

  test("is claimed with a new launch in one transaction, and its splitter is refused as a payout", async () => {
    const through = { ...stack, call: successor.call };
    const current = await launchToken(through, creator, { symbol: "NEXT" });
    for (const { token } of [earlier, current]) await buyWithNative(through, trader, token, 10n ** 17n);
    const tokens = [current.token, earlier.token];
    const body = { wallet: creator.address, tokens, unwrap: true };
    const answer = await successor.call("POST", "/fees/claim-calls", body);
    expect(answer.body.transaction.to).toBe(stack.manifest.multicall3!.address);
    const targets = answer.body.calls.map(({ to }: { to: string }) => to);
    expect(targets).toContain(earlier.splitter);
    expect(targets).toContain(current.splitter);
    await sendClaim(through, answer, async () => [await sendWithViem(through, answer, creator)]);
    expect((await successor.call("POST", "/fees/claim-calls", body)).body.status).toBe("nothing_to_do");

    const { rows } = await stack.deps.db.read.query("select proven from chain.splitters");
    expect(rows).toEqual([{ proven: true }, { proven: true }]);
    const listed = (await successor.call("GET", "/tokens")).body.items as { address: string; source: string }[];
    const sources = Object.fromEntries(listed.map(({ address, source }) => [address, source]));
    expect(sources).toMatchObject({ [earlier.token]: "legacy", [current.token]: "own" });

    const move = { token: current.token, wallet: creator.address, payout: earlier.splitter };
    const refused = await successor.call("POST", "/fees/payout-transactions", move);
    expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
      422,
      "recipient_cannot_receive",
      `The payout ${earlier.splitter} is a splitter.`,
    ]);
  });

  test("new launches go to the new factory", async () => {
    const through = { ...stack, call: successor.call };
    const { token } = await launchToken(through, creator, { symbol: "NEW" });
    const { current } = successor.deps.chain.manifestState().manifest!;
    const positions = await successor.call("GET", `/fees/positions?token=${token}&wallet=${creator.address}`);
    expect(positions.body.locker).toBe(current.fee_locker.address);
    // A server that still runs with the old manifest does not know the new deployment.
    const order = { token, wallet: trader.address, side: "buy", amount_in: "1000000000", slippage_bps: 100 };
    expect((await stack.call("POST", "/trade/quote", order)).body.error.code).toBe("pool_not_supported");
  });

  test("is refused by a manifest that forgets its deployment", async () => {
    const server = await stack.openServer(await deploySuccessor(false));
    const order = {
      token: earlier.token,
      wallet: trader.address,
      side: "buy",
      amount_in: "1000000000",
      slippage_bps: 100,
    };
    expect((await server.call("POST", "/trade/quote", order)).body.error.code).toBe("pool_not_supported");
    await server.close();
  });
});
