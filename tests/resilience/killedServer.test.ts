import type { Stack } from "@slipway/dev/startStack";
import type { Intent } from "@slipway/protocol/intent";
import { ApiError } from "@slipway/sdk/apiError";
import { type Client, createClient } from "@slipway/sdk/createClient";
import { hexlify, parseEther, randomBytes } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/conformance/launchToken.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { getEthUsd } from "../support/e2e/chainSwaps.ts";
import { expectEqualToChain } from "../support/e2e/expectEqualToChain.ts";
import { startBuiltStack } from "../support/startBuiltStack.ts";

const worthWaiting: ReadonlySet<string> = new Set(["token_not_indexed", "rate_limited"]);

/** Repeats a call until the service answers, like a careful caller when the server dies. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isAnswer = error instanceof ApiError && error.status < 500 && !worthWaiting.has(error.code);
      if (isAnswer || attempt > 1_200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Moments within a request at which the server dies, in milliseconds after the request was sent. */
const moments = [1, 4, 9, 16];

describe("a server that is killed again and again during the main job", () => {
  let stack: Stack;
  let creator: Signer;
  let trader: Signer;
  let client: Client;
  let weth: string;
  const killed: number[] = [];
  const intents: { key: string; intent: Intent; id: string }[] = [];
  let launch: { token: string; pool: string; weth: string };

  /** Kills the server once, without cleanup: the supervisor starts another one. */
  const kill = (): void => {
    const pid = stack.serverPid();
    if (killed.at(-1) === pid) return;
    process.kill(pid, "SIGKILL");
    killed.push(pid);
  };
  /** Kills the server after this many milliseconds; then resolves. */
  const killAfter = async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    kill();
  };
  const back = () =>
    until(
      async () => {
        if (stack.serverPid() === killed.at(-1)) return false;
        return (await fetch(`${stack.siteUrl}/readyz`).catch(() => null))?.status === 200;
      },
      "the server to be back",
      60_000,
    );

  beforeAll(async () => {
    stack = await startBuiltStack({ serverEnvironment: unlimited });
    client = createClient(stack);
    weth = stack.manifest.wrapped_native.address;
    creator = openSigner(stack.rpcUrl, stack.manifest.chain_id, stack.wallets[0]!.privateKey);
    trader = openSigner(stack.rpcUrl, stack.manifest.chain_id, stack.wallets[1]!.privateKey);
    await trader.wrap(weth, parseEther("3"));
  });
  afterAll(async () => {
    creator?.close();
    trader?.close();
    await stack?.stop();
  });

  it("stores each draft exactly once, whenever it died", async () => {
    let dying: Promise<void> | undefined;
    const stored = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const intent: Intent = {
          name: `Draft ${index}`,
          symbol: `D${index}`,
          image_uri: "ipfs://bafy",
          chain_id: stack.manifest.chain_id as 46630,
          recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
        };
        const key = `killed-draft-${index}`;
        if (index === 12) dying = killAfter(moments[1]!);
        const { id } = await persistently(() => client.createIntent(intent, { idempotencyKey: key }));
        return { key, intent, id };
      }),
    );
    intents.push(...stored);
    await dying;
    expect(killed).toHaveLength(1);
    await back();
    const { items } = await client.listIntents();
    expect(items.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
    for (const { key, intent, id } of stored) {
      expect((await client.createIntent(intent, { idempotencyKey: key })).id).toBe(id);
    }
  });

  it("loses no launch that was mined while it was dead", async () => {
    const { id } = intents[0]!;
    const splitter = await creator.send(await client.prepareSplitter({ intent_id: id, wallet: creator.address }));
    const prepared = await client.prepareLaunch({
      intent_id: id,
      wallet: creator.address,
      splitter: splitter.contractAddress as string,
      salt: hexlify(randomBytes(32)),
    });
    kill();
    await creator.send(prepared);
    await back();
    launch = { token: prepared.expected!.token!, pool: prepared.expected!.pool!, weth };
    const detail = await persistently(() => client.getToken({ address: launch.token }));
    expect(detail).toMatchObject({ name: intents[0]!.intent.name, splitter: splitter.contractAddress });
    expect((await client.listTokens()).total).toBe(1);
  });

  it("loses and doubles no trade when it dies while trades are mined", async () => {
    for (const moment of moments.slice(2)) {
      for (let index = 0; index < 6; index++) {
        const request = {
          token: launch.token,
          wallet: trader.address,
          side: "buy" as const,
          amount_in: String(parseEther("0.03") + BigInt(index)),
          slippage_bps: 500,
        };
        let step = await persistently(() => client.prepareTrade(request));
        if (step.action === "approve") {
          await trader.send(step);
          step = await persistently(() => client.prepareTrade(request));
        }
        await Promise.all([trader.send(step), index === 3 ? killAfter(moment) : undefined]);
      }
      await back();
    }
    expect(killed).toHaveLength(4);
    const head = await trader.provider.getBlockNumber();
    await until(async () => (await client.getAnalytics()).coverage.to_block >= head, `block ${head} to be indexed`);
    const ethUsd = await getEthUsd(trader.provider, stack.manifest.eth_usd!, weth);
    const swaps = await expectEqualToChain(client, trader.provider, launch, ethUsd);
    expect(swaps).toHaveLength(12);
    expect(await client.getAnalytics()).toMatchObject({ launches_total: 1, trades_covered: 12, traders_24h: 1 });
  });
});
