import { TypedDataEncoder } from "ethers";
import { hashTypedData, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { launchForTypedData, type SignedLaunch } from "./launchSignature.ts";

const factory = "0x00000000000000000000000000000000000000fa";
const creator = "0x00000000000000000000000000000000000000C1";
const launch: SignedLaunch = {
  creator,
  params: {
    name: "Tin Boat",
    symbol: "TIN",
    contractURI: "data:,",
    splitter: "0x00000000000000000000000000000000000000f1",
    salt: `0x${"01".repeat(32)}`,
    partner: zeroAddress,
    feeBps: 100,
  },
  buy: { recipient: creator, minimumOut: 5n },
  value: 7n,
  deadline: 1_900_000_000n,
  epoch: 0n,
};

const digest = (typed: ReturnType<typeof launchForTypedData>) => hashTypedData(typed as never);

// packages/deploy/src/deployLocal.test.ts proves on a chain that the digest equals the factory's digestOf.
test("the typed data of launchFor has the same digest in viem, ethers and after JSON", () => {
  const typed = launchForTypedData(launch, factory, 46_630);
  const { EIP712Domain: _, ...types } = typed.types;
  const inEthers = TypedDataEncoder.hash(typed.domain, types as never, typed.message);
  expect(inEthers).toBe(digest(typed));
  expect(digest(JSON.parse(JSON.stringify(typed)))).toBe(inEthers);
});

test("the digest of launchFor depends on every field, the factory and the chain", () => {
  const other = "0x00000000000000000000000000000000000000e1";
  const { params, buy } = launch;
  const changed: SignedLaunch[] = [
    launch,
    { ...launch, creator: other },
    { ...launch, params: { ...params, name: "Tin boat" } },
    { ...launch, params: { ...params, symbol: "TIM" } },
    { ...launch, params: { ...params, contractURI: "data:,x" } },
    { ...launch, params: { ...params, splitter: other } },
    { ...launch, params: { ...params, salt: `0x${"02".repeat(32)}` } },
    { ...launch, params: { ...params, partner: other } },
    { ...launch, buy: { ...buy, recipient: other } },
    { ...launch, buy: { ...buy, minimumOut: 6n } },
    { ...launch, value: 8n },
    { ...launch, deadline: 1_900_000_001n },
    { ...launch, epoch: 1n },
  ];
  const digests = changed.map((one) => digest(launchForTypedData(one, factory, 46_630)));
  digests.push(digest(launchForTypedData(launch, other, 46_630)), digest(launchForTypedData(launch, factory, 1)));
  expect(new Set(digests).size).toBe(changed.length + 2);
});
