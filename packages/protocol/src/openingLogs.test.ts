import {
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  zeroAddress,
  zeroHash,
} from "viem";
import { expect, test } from "vitest";
import { openingFactoryAbi } from "./contracts/openingFactory.ts";
import { decodeOpeningCreated, maxLaunchTextBytes, openingCreatedTopic } from "./openingLogs.ts";
import type { RawLog } from "./rawLog.ts";

const account = `0x${"12".repeat(20)}` as const;

/** Creates the log of an opening with three texts, as the factory emits it. */
function createLog({ name = "Tin", symbol = "TIN", contractURI = "" }): RawLog {
  const topics = encodeEventTopics({
    abi: openingFactoryAbi,
    eventName: "OpeningCreated",
    args: { opening: account, creator: account, paramsHash: zeroHash },
  });
  const { inputs } = getAbiItem({ abi: openingFactoryAbi, name: "OpeningCreated" });
  const params = { name, symbol, contractURI, splitter: account, salt: zeroHash, partner: zeroAddress, feeBps: 100 };
  const unindexed: readonly AbiParameter[] = inputs.filter((input) => !("indexed" in input));
  const data = encodeAbiParameters(unindexed, [params, 1n, 2n, 3]);
  const place = { blockNumber: "0x1", blockHash: zeroHash, transactionHash: zeroHash, transactionIndex: "0x0" };
  return { address: account, topics: topics as Hex[], data, ...place, logIndex: "0x0" };
}

test("decodes the terms and the exact texts", () => {
  const log = createLog({ name: "Über", contractURI: "data:application/json,{}" });
  expect(log.topics[0]).toBe(openingCreatedTopic);
  expect(decodeOpeningCreated(log)).toMatchObject({
    opening: account,
    name: "Über",
    symbol: "TIN",
    contractUri: "data:application/json,{}",
    feeBps: 100,
    minimum: 1n,
    cap: 2n,
    deadline: 3,
  });
});

test("C7-99 refuses texts that are longer than those of any launch, in bytes", () => {
  const rest = maxLaunchTextBytes - "TinTIN".length;
  expect(decodeOpeningCreated(createLog({ contractURI: "a".repeat(rest) }))).not.toBeNull();
  expect(decodeOpeningCreated(createLog({ name: "a".repeat(rest + 3), contractURI: "" }))).not.toBeNull();
  for (const contractURI of ["a".repeat(rest + 1), `${"a".repeat(rest - 1)}é`, "a".repeat(1_000_000)]) {
    expect(decodeOpeningCreated(createLog({ contractURI }))).toBeNull();
  }
});
