import type { AssetChange } from "@slipway/protocol/transaction";
import { zeroAddress } from "viem";
import { expect, test } from "vitest";
import { assertLaunchEffects } from "./assertLaunchEffects.ts";

const address = (digit: number) => `0x${`${digit}`.repeat(40)}` as const;
const [creator, payer, buyer, factory] = [address(1), address(2), address(3), address(4)];
const [token, pool, weth] = [address(5), address(6), address(7)];
const params = {
  name: "Tin",
  symbol: "TIN",
  contractURI: "",
  splitter: pool,
  salt: "0x",
  partner: zeroAddress,
  feeBps: 100,
} as const;
const terms = { creator, params, buy: { recipient: buyer, minimumOut: 90n }, vesting: null, value: 10n };
const accounts = { payer, factory, token };
const move = (asset: string, from: string, to: string, amount: bigint): AssetChange => ({
  asset,
  from,
  to,
  amount: `${amount}`,
});
/** A launch with an initial buy of 10 wei. */
const honest = [
  move(token, zeroAddress, pool, 1_000n),
  move(zeroAddress, payer, factory, 10n),
  move(zeroAddress, factory, weth, 10n),
  move(token, pool, buyer, 90n),
  move(weth, factory, pool, 10n),
];
const check = (changes: AssetChange[], by = accounts) => assertLaunchEffects(changes, terms, by);

test("accepts a launch whose payer spends the value and whose buyer gets the minimum", () => {
  expect(() => check(honest)).not.toThrow();
});

test("accepts a refund to the creator of native that the pool does not take", () => {
  const refund = [move(zeroAddress, weth, factory, 4n), move(zeroAddress, factory, creator, 4n)];
  expect(() => check([...honest, ...refund])).not.toThrow();
});

test.each<[string, AssetChange[]]>([
  ["takes more native than the value", [...honest, move(zeroAddress, payer, pool, 1n)]],
  ["takes another asset from the payer", [...honest, move(weth, payer, pool, 1n)]],
  [
    "takes another asset from the payer in place of native",
    [
      move(zeroAddress, payer, factory, 9n),
      move(weth, payer, factory, 1n),
      ...honest.filter(({ from }) => from !== payer),
    ],
  ],
  ["takes the new token from the payer", [...honest, move(token, payer, pool, 1n)]],
  ["takes native from a creator who does not pay", [...honest, move(zeroAddress, creator, pool, 1n)]],
  [
    "takes another asset from the creator, as the creator's code can do during a refund",
    [...honest, move(weth, creator, pool, 1n)],
  ],
  ["gives the buyer less than the minimum", honest.filter(({ to }) => to !== buyer)],
  ["gives the buyer another asset", honest.map((one) => (one.to === buyer ? { ...one, asset: weth } : one))],
  ["gives the tokens to another account", honest.map((one) => (one.to === buyer ? { ...one, to: payer } : one))],
  ["leaves native in the factory", honest.filter(({ to }) => to !== weth)],
  ["leaves tokens in the factory", [...honest, move(token, pool, factory, 1n)]],
])("C7-46 refuses a launch that %s", (_, changes) => {
  expect(() => check(changes)).toThrow(/makes other transfers/);
});
