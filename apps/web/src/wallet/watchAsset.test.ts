import { describe, expect, test } from "vitest";
import { createFakeProvider, walletFailure } from "../../../../tests/support/web/fakeProvider.ts";
import { walletApps } from "./walletApps.ts";
import { watchAsset } from "./watchAsset.ts";

const token = { address: `0x${"12".repeat(20)}`, symbol: "TIDE", decimals: 18, image: null };

describe("a token for the wallet's list", () => {
  test("is requested with the parameters of EIP-747, without a picture where there is none", async () => {
    const provider = createFakeProvider({ wallet_watchAsset: () => true });
    expect(await watchAsset(provider, token)).toBe(true);
    expect(await watchAsset(provider, { ...token, image: "https://slipway.example/picture.webp" })).toBe(true);
    const { image, ...options } = token;
    expect(provider.of("wallet_watchAsset")).toEqual([
      { type: "ERC20", options },
      { type: "ERC20", options: { ...options, image: "https://slipway.example/picture.webp" } },
    ]);
    expect(image).toBeNull();
  });

  test("is not added after a refusal, whether the wallet answers false or an error", async () => {
    expect(await watchAsset(createFakeProvider({ wallet_watchAsset: () => false }), token)).toBe(false);
    const declined = createFakeProvider({ wallet_watchAsset: () => Promise.reject(walletFailure(4001)) });
    await expect(watchAsset(declined, token)).rejects.toMatchObject({ fault: "declined" });
    await expect(watchAsset(createFakeProvider(), token)).rejects.toMatchObject({ fault: "failed", code: -32601 });
  });
});

test("the links of wallet apps open the whole page, with its search parameters", () => {
  const page = new URL("https://slipway.example/t/0x12?tab=holders&interval=1m#top");
  expect(walletApps.map(({ toLink }) => toLink(page))).toEqual([
    "https://link.metamask.io/dapp/slipway.example/t/0x12?tab=holders&interval=1m",
    "https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fslipway.example%2Ft%2F0x12%3Ftab%3Dholders%26interval%3D1m%23top",
    "https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fslipway.example%2Ft%2F0x12%3Ftab%3Dholders%26interval%3D1m%23top",
  ]);
  for (const { toLink } of walletApps) expect(new URL(toLink(page)).protocol).toBe("https:");
});
