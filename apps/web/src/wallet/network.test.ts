import { describe, expect, test } from "vitest";
import { account, createFakeProvider, walletFailure } from "../../../../tests/support/web/fakeProvider.ts";
import { type Chain, readNetwork, requireReady, switchNetwork } from "./network.ts";

const chain: Chain = {
  id: 46630,
  name: "Local chain",
  currency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: ["http://127.0.0.1:8545"],
  explorerUrl: null,
  factory: `0x${"fa".repeat(20)}`,
  paymasterUrl: null,
  contracts: {},
};

/** Creates a wallet on chain 1, which changes its chain when a request for that succeeds. */
function createElsewhere(answers: Record<string, () => unknown> = {}) {
  let current = "0x1";
  const provider = createFakeProvider({ eth_chainId: () => current, ...answers });
  const arrive = () => {
    current = "0xb626";
    return null;
  };
  return { provider, arrive };
}

describe("a wallet's network", () => {
  test("is right if the chain id and the deployment's code match", async () => {
    expect(await readNetwork(createFakeProvider(), chain)).toBe("right");
    expect(await readNetwork(createFakeProvider({ eth_chainId: () => "0x1" }), chain)).toBe("wrong_chain");
    expect(await readNetwork(createFakeProvider({ eth_getCode: () => "0x" }), chain)).toBe("other_network");
    const delegated = `0xef0100${"aa".repeat(20)}`;
    expect(await readNetwork(createFakeProvider({ eth_getCode: () => delegated }), chain)).toBe("other_network");
  });

  test("is switched, and read again instead of trusting the response", async () => {
    const { provider, arrive } = createElsewhere({ wallet_switchEthereumChain: () => arrive() });
    expect(await switchNetwork(provider, chain)).toBe("right");
    const liar = createElsewhere({ wallet_switchEthereumChain: () => null });
    expect(await switchNetwork(liar.provider, chain)).toBe("wrong_chain");
  });

  test.each([4902, -32603, 4200, -32601])("is added when the switch fails with %s", async (code) => {
    const { provider, arrive } = createElsewhere({
      wallet_switchEthereumChain: () => Promise.reject(walletFailure(code, "Nicht erkannte Kette")),
      wallet_addEthereumChain: () => arrive(),
    });
    expect(await switchNetwork(provider, chain)).toBe("right");
    expect(provider.of("wallet_addEthereumChain")).toEqual([
      [{ chainId: "0xb626", chainName: "Local chain", nativeCurrency: chain.currency, rpcUrls: chain.rpcUrls }],
    ]);
  });

  test("is switched again if adding the chain did not switch", async () => {
    let known = false;
    const { provider, arrive } = createElsewhere({
      wallet_switchEthereumChain: () => (known ? arrive() : Promise.reject(walletFailure(4902))),
      wallet_addEthereumChain: () => {
        known = true;
        return null;
      },
    });
    expect(await switchNetwork(provider, chain)).toBe("right");
  });

  test("stays if the user declines, and no chain is added", async () => {
    for (const [code, fault] of [
      [4001, "declined"],
      [-32002, "busy"],
    ] as const) {
      const { provider } = createElsewhere({ wallet_switchEthereumChain: () => Promise.reject(walletFailure(code)) });
      await expect(switchNetwork(provider, chain)).rejects.toMatchObject({ fault });
      expect(provider.of("wallet_addEthereumChain")).toEqual([]);
    }
  });
});

describe("C10-21 before each send", () => {
  test("the wallet's chain, its code and its account are read again", async () => {
    await requireReady(createFakeProvider(), chain, account);
    const refused = (answers: Parameters<typeof createFakeProvider>[0]) =>
      requireReady(createFakeProvider(answers), chain, account);
    await expect(refused({ eth_chainId: () => "0x1" })).rejects.toMatchObject({ fault: "wrong_chain" });
    await expect(refused({ eth_getCode: () => "0x" })).rejects.toMatchObject({ fault: "other_network" });
    await expect(refused({ eth_accounts: () => [`0x${"b2".repeat(20)}`] })).rejects.toMatchObject({
      fault: "account_changed",
    });
    await expect(refused({ eth_accounts: () => [] })).rejects.toMatchObject({ fault: "account_changed" });
  });
});
