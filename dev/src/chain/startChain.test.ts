import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { processIdentity } from "../process/processIdentity.ts";
import { rpcRequest } from "./rpcRequest.ts";
import { type Chain, type StartChainParameters, startChain } from "./startChain.ts";
import { getWallets } from "./wallets.ts";

async function started(parameters: StartChainParameters): Promise<Chain> {
  const chain = await startChain({ heartbeatMs: 0, ...parameters });
  onTestFinished(chain.stop);
  return chain;
}

const height = async (chain: Chain) => Number(await rpcRequest<string>(chain.rpcUrl, "eth_blockNumber"));
const mine = (chain: Chain, blocks: number) => rpcRequest(chain.rpcUrl, "anvil_mine", [`0x${blocks.toString(16)}`]);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe("startChain", () => {
  test("starts chain 46630 with funded development accounts", async () => {
    const chain = await started({ dir: createTestFolder() });
    expect(Number(await rpcRequest<string>(chain.rpcUrl, "eth_chainId"))).toBe(46630);
    const wallets = [...getWallets("open"), ...getWallets("traders")];
    for (const { address } of wallets) {
      expect(BigInt(await rpcRequest<string>(chain.rpcUrl, "eth_getBalance", [address, "latest"]))).toBe(10n ** 22n);
    }
  });

  test("mines a transaction immediately and no other block without a heartbeat", async () => {
    const chain = await started({ dir: createTestFolder() });
    const [from, to] = getWallets("open");
    await rpcRequest(chain.rpcUrl, "eth_sendTransaction", [{ from: from?.address, to: to?.address, value: "0x1" }]);
    await until(async () => (await height(chain)) === 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await height(chain)).toBe(1);
  });

  test("mines an empty block after a heartbeat without a transaction", async () => {
    const chain = await started({ dir: createTestFolder(), heartbeatMs: 100 });
    await until(async () => (await height(chain)) >= 2);
  });

  test("continues at its last height after a stop", async () => {
    const dir = createTestFolder();
    const first = await started({ dir });
    await mine(first, 7);
    await first.stop();
    const second = await started({ dir });
    expect([second.restored, await height(second)]).toEqual(["saved", 7]);
  });

  test("loses at most the blocks since the last save after kill -9", async () => {
    const dir = createTestFolder();
    const first = await started({ dir });
    await mine(first, 3);
    await until(() => savedHeight(dir) === 3);
    await mine(first, 1);
    process.kill(first.child.pid, "SIGKILL");
    await first.child.exited;
    const second = await started({ dir });
    expect(await height(second)).toBeGreaterThanOrEqual(3);
  });

  test("loads the earlier save when the last one is incomplete", async () => {
    const dir = createTestFolder();
    const first = await started({ dir });
    await mine(first, 5);
    await first.stop();
    const state = join(dir, "chain.json");
    copyFileSync(state, join(dir, "chain.previous.json"));
    truncateSync(state, 1_000);
    const second = await started({ dir });
    expect([second.restored, await height(second)]).toEqual(["previous", 5]);
  });

  test("throws an error with advice when no save can be read", async () => {
    const dir = createTestFolder();
    writeFileSync(join(dir, "chain.json"), '{"block":{"num');
    await expect(startChain({ dir })).rejects.toMatchObject({
      message: expect.stringContaining("is incomplete"),
      whatToDo: expect.stringContaining("npm run reset"),
    });
  });

  test("ends an orphaned chain, which saves its state", async () => {
    const dir = createTestFolder();
    const orphan = await started({ dir });
    await mine(orphan, 9);
    const second = await started({ dir });
    expect(second.endedOrphan).toBe(true);
    expect(processIdentity(orphan.child.pid)).toBeNull();
    expect(await height(second)).toBe(9);
  });

  test("serves the state of recent blocks to calls that name a block", async () => {
    const chain = await started({ dir: createTestFolder() });
    await mine(chain, 200);
    const address = getWallets("open")[0]?.address;
    expect(BigInt(await rpcRequest<string>(chain.rpcUrl, "eth_getBalance", [address, "0x1"]))).toBe(10n ** 22n);
  });
});

function savedHeight(dir: string): number {
  try {
    return Number(JSON.parse(readFileSync(join(dir, "chain.json"), "utf8")).block.number);
  } catch {
    return -1;
  }
}
