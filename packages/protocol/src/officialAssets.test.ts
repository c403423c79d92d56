import { describe, expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { findOfficialAsset, indexOfficialAssets, type OfficialAssetList } from "./officialAssets.ts";

const manifest = {
  wrapped_native: { address: `0x${"1".repeat(40)}` },
  eth_usd: { stablecoin: { address: `0x${"2".repeat(40)}` }, stablecoin_symbol: "USDG" },
  gas_station_tokens: [
    { symbol: "USDG", address: `0x${"2".repeat(40)}` },
    { symbol: "EURX", address: `0x${"3".repeat(40)}` },
  ],
} as unknown as Manifest;
const names: [symbol: string, name: string][] = [
  ["ETH", "Ether"],
  ["ETH", "Ethereum"],
  ["WETH", "Wrapped Ether"],
  ["BTC", "Bitcoin"],
  ["WBTC", "Wrapped BTC"],
  ["WBTC", "Wrapped Bitcoin"],
  ["USDC", "USD Coin"],
  ["USDT", "Tether USD"],
  ["USDG", "Global Dollar"],
  ["DAI", "Dai Stablecoin"],
  ["WETH", "Wrapped ETH"],
  ["WETH", "Wrapped Ethereum"],
  ["WETH", "WETH.e"],
  ["USDC", "US Dollar Coin"],
  ["USDC", "Bridged USDC"],
  ["USDC", "USDC.e"],
  ["USDT", "Tether"],
  ["USDT", "Bridged USDT"],
  ["USDT", "USDT.e"],
  ["USDG", "Paxos Global Dollar"],
];
const toList = (chain_id: number | null, listed: [string, string][]): OfficialAssetList => ({
  chain_id,
  source: "test",
  date: "2026-11-26",
  assets: listed.map(([symbol, name]) => ({ symbol, name })),
});
const everyChain = toList(null, names);
const stocks = toList(4663, [
  ["TSLA", "Tesla"],
  ["F", "Ford Motor"],
]);
const assets = indexOfficialAssets(manifest, [everyChain]);
const find = (...texts: string[]) => findOfficialAsset(assets, texts)?.symbol ?? null;

describe("findOfficialAsset", () => {
  test.each([
    ["WETH", "WETH"],
    ["weth", "WETH"],
    ["W E T H", "WETH"],
    ["$WETH", "WETH"],
    ["w-e_t.h", "WETH"],
    // Cyrillic letters.
    ["W\u0415\u0422\u041d", "WETH"],
    // Spaces and invisible characters, more than the compared length.
    [`W${" \u200b".repeat(200)}ETH`, "WETH"],
    ["wrapped  ether", "WETH"],
    ["WrappedEther", "WETH"],
    ["USDG", "USDG"],
    ["Global Dollar", "USDG"],
    ["eurx", "EURX"],
    ["Bitcoin", "BTC"],
  ])("C7-60 finds the official asset that %j resembles", (text, symbol) => {
    expect(find(text)).toBe(symbol);
    expect(find("Tin Boat", text)).toBe(symbol);
  });

  test.each(["Tin Boat", "TIN", "WETHER", "Ether Boat", "USD", "", " ", "-", "WETH".repeat(100)])(
    "C7-60 finds no official asset for %j",
    (text) => {
      expect(find(text)).toBeNull();
    },
  );

  test.each([
    // A symbol instead of a letter, also beside symbols that are ornaments.
    ["U$DC", "USDC"],
    ["U$DG", "USDG"],
    ["U$DT", "USDT"],
    ["$U$DC", "USDC"],
    ["$U$DC\u2122", "USDC"],
    ["U\uff04DC", "USDC"],
    ["USD\u20ae", "USDT"],
    ["$USD\u20ae", "USDT"],
    ["USD\u00a2", "USDC"],
    ["\u20bfitcoin", "BTC"],
    ["W\u20acTH", "WETH"],
    ["G|obal Dollar", "USDG"],
    ["D@I", "DAI"],
    // Greek letters.
    ["W\u039eTH", "WETH"],
    ["\u039eTH", "ETH"],
    ["\u039eTH\u039eR", "ETH"],
    ["\u03beth", "ETH"],
    ["W\u03a3TH", "WETH"],
    // Enclosed letters, regional indicators and small capitals.
    ["🅤🅢🅓🅖", "USDG"],
    ["🅤🅢🅓🅒", "USDC"],
    ["🆆🅴🆃🅷", "WETH"],
    ["🅆🄴🅃🄷", "WETH"],
    ["🇼🇪🇹🇭", "WETH"],
    ["ⓌⒺⓉⒽ", "WETH"],
    ["⒲⒠⒯⒣", "WETH"],
    ["\u1d21\u1d07\u1d1b\u029c", "WETH"],
    ["\ua731\u1d1b\u1d07\u1d1b\u029c", null],
    // Ornaments.
    ["W·E·T·H", "WETH"],
    ["W•E•T•H", "WETH"],
    ["(WETH)", "WETH"],
    ["[WETH]", "WETH"],
    ["WETH!", "WETH"],
    ["*WETH*", "WETH"],
    ["#WETH", "WETH"],
    ["|WETH|", "WETH"],
    ["WETH✓", "WETH"],
    ["WETH ✅", "WETH"],
    ["WETH ☑️", "WETH"],
    ["WETH™", "WETH"],
    ["WETH®", "WETH"],
    ["“WETH”", "WETH"],
    // Accents.
    ["WẸTH", "WETH"],
    ["WÉTH", "WETH"],
    ["W̲E̲T̲H̲", "WETH"],
    ["USḌG", "USDG"],
    ["USĐC", "USDC"],
    [`W${"\u0301".repeat(200)}ETH`, "WETH"],
    // Digits, and letters that look like one.
    ["USDC1", "USDC"],
    ["USDC0", "USDC"],
    ["WETH9", "WETH"],
    ["WETH²", "WETH"],
    ["ETH0", "ETH"],
    ["U5DC", "USDC"],
    ["U5DC20", "USDC"],
    ["W3TH", "WETH"],
    ["WE7H", "WETH"],
    ["D4I", "DAI"],
    ["W8TC", null],
    ["VVETH", "WETH"],
    // Other names of the same assets.
    ["Wrapped ETH", "WETH"],
    ["Wrapped Ethereum", "WETH"],
    ["WETH.e", "WETH"],
    ["WETHE", "WETH"],
    ["Tether", "USDT"],
    ["Bridged USDC", "USDC"],
    ["USDC.e", "USDC"],
    ["US Dollar Coin", "USDC"],
    ["Paxos Global Dollar", "USDG"],
  ])("C7-75 finds the official asset that %j imitates", (text, symbol) => {
    expect(find(text)).toBe(symbol);
    expect(find("Tin Boat", text)).toBe(symbol);
  });

  test.each([
    ...["TIDE", "ETHOS", "METH", "WHET", "STETH", "rETH", "cbETH", "weETH", "BETH", "TEETH", "Seth", "Beth", "$ETHOS"],
    ...[
      "USD",
      "USDE",
      "USDS",
      "PYUSD",
      "FDUSD",
      "EURC",
      "EURC5",
      "BTCFI",
      "tBTC",
      "WBTCX",
      "BIT",
      "DAISY",
      "Daily",
      "DA",
    ],
    ...["Tethered Boat", "Ethereal", "Etherfield", "Bitcoin Pizza", "Global Village", "Dollar", "Coin", "Wrapped"],
    ...[
      "Ether & Boat",
      "Tin Boat 9",
      "C-3PO",
      "4Chan",
      "7th Heaven",
      "100%",
      "A$AP",
      "Ca$h",
      "$$$",
      "!!!",
      "42",
      "🇺🇸",
      "🚢",
    ],
    ...["ΞΕΝΙΑ", "Σοφία", "Éclair", "Dr. Who?", "Cafe\u0301", "U.S. Open", "Wet Hat", "東京", "Ђорђе"],
    // USD1 is another dollar. No official asset is named USD, so that the digit at the end changes nothing.
    "USD1",
  ])("C7-75 finds no official asset for the ordinary text %j", (text) => {
    expect(find(text)).toBeNull();
  });

  test.each([
    ["Official WETH", "WETH"],
    ["The Real Wrapped Ether", "WETH"],
    ["0fficial WETH", "WETH"],
    ["\u041efficial W\u0415TH", "WETH"],
    ["USDG Token (verified)", "USDG"],
    ["WETH Boat", null],
    ["The Real Official Token", null],
    ["Officially", null],
  ])("C7-75 finds the official asset behind the claim %j", (text, symbol) => {
    expect(find(text)).toBe(symbol);
  });

  test("C7-75 compares with the list of the chain only, and with no symbol of one or two letters", () => {
    const on = (chain_id: number) => indexOfficialAssets({ ...manifest, chain_id }, [everyChain, stocks]);
    expect(findOfficialAsset(on(4663), ["TSLA"])).toEqual({ symbol: "TSLA", name: "Tesla", address: null });
    expect(findOfficialAsset(on(4663), ["Tesla \u2022 Robinhood Token"])?.symbol).toBe("TSLA");
    expect(findOfficialAsset(on(46630), ["TSLA", "Tesla"])).toBeNull();
    expect(findOfficialAsset(on(4663), ["F"])).toBeNull();
    expect(findOfficialAsset(on(4663), ["Ford Motor"])?.symbol).toBe("F");
  });

  test("C7-75 compares hostile texts of any length in bounded time", () => {
    const texts = ["$|\u2124", "U$|D\u0301", "🅤$", "\u212e5", "(", "\u0301"].map((part) => part.repeat(20_000));
    const started = performance.now();
    for (const text of texts) {
      expect(find(text)).toBeNull();
      for (let count = 0; count < 20; count++) find(text.slice(0, 60));
    }
    // Quadratic work takes minutes for these texts; a slow machine needs some seconds for linear work.
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("names the address of an asset of the manifest, and none without a manifest", () => {
    expect(findOfficialAsset(assets, ["weth"])).toEqual({
      symbol: "WETH",
      name: "Wrapped Ether",
      address: manifest.wrapped_native.address,
    });
    expect(findOfficialAsset(assets, ["EURX"])).toMatchObject({ name: null, address: `0x${"3".repeat(40)}` });
    expect(findOfficialAsset(indexOfficialAssets(null, [everyChain]), ["weth"])).toMatchObject({ address: null });
    expect(findOfficialAsset(indexOfficialAssets(null, [everyChain]), ["EURX"])).toBeNull();
  });
});
