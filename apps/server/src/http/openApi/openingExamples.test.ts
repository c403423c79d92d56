import { openingAbi } from "@slipway/protocol/contracts/opening";
import {
  encodeCreateOpening,
  encodeOpen,
  encodeOpeningDeposit,
  hashOpeningParams,
  type OpeningParams,
  predictOpening,
} from "@slipway/protocol/opening";
import { openingAuthorization, openingDetail, openingList } from "@slipway/protocol/openings";
import { settings } from "@slipway/protocol/settings";
import { unsignedResult } from "@slipway/protocol/transaction";
import { decodeFunctionData, type Hex } from "viem";
import { expect, test } from "vitest";
import { getAnswerExample, getRequestExample } from "./operationExamples.ts";

const getAnswer = (name: string): any => Object.values(getAnswerExample(name, "200")!).map((one: any) => one.value)[0];
const getRequest = (name: string): any => Object.values(getRequestExample(name)!).map((one: any) => one.value)[0];

const { contracts } = settings.parse(getAnswer("getConfig"));
const opening = openingDetail.parse(getAnswer("getOpening"));
const shownParams = opening.params!;
const params: OpeningParams = {
  name: shownParams.name,
  symbol: shownParams.symbol,
  contractURI: shownParams.contract_uri,
  splitter: shownParams.splitter as Hex,
  partner: shownParams.partner as Hex,
  feeBps: shownParams.fee_bps,
};
const bounds = { minimum: BigInt(opening.minimum), cap: BigInt(opening.cap), deadline: opening.deadline };
const factory = contracts.opening_factory as Hex;

test("the opening in the examples has the address of its terms, and is in the example of the list", () => {
  const deployed = { factory, implementation: contracts.opening_implementation as Hex };
  const predicted = predictOpening(deployed, opening.creator as Hex, params, bounds);
  expect(predicted.toLowerCase()).toBe(opening.address.toLowerCase());
  const listed = openingList.parse(getAnswer("listOpenings")).items.find(({ address }) => address === opening.address);
  const { params: _, params_hash, other_launch, account, as_of, ...fields } = opening;
  expect(listed).toEqual(fields);
  expect(params_hash).toBe(hashOpeningParams(params));
  expect(account?.deposit).toBe(opening.total);
  expect(other_launch).toBeNull();
  expect(opening.deadline - opening.seconds_left).toBe(Date.parse(as_of.timestamp) / 1_000);
  expect(getAnswer("listOpeningDeposits").items[0]).toMatchObject({ account: account?.address, total: opening.total });
  expect(getAnswer("moderateOpening")).toMatchObject({ kind: "opening", id: opening.address });
});

test("the examples of an opening's transactions have the calls that their requests ask for", () => {
  const deposit = getRequest("prepareOpeningDeposit");
  const call = (name: string) => unsignedResult.parse(getAnswer(name)).transaction;
  expect(call("prepareOpeningDeposit")).toMatchObject({
    from: deposit.wallet,
    to: opening.address,
    data: encodeOpeningDeposit(deposit.wallet),
    value: `0x${BigInt(deposit.amount).toString(16)}`,
  });
  const { minimum, cap, deadline, wallet } = getRequest("prepareOpening");
  const created = encodeCreateOpening(params, { minimum: BigInt(minimum), cap: BigInt(cap), deadline });
  expect(call("prepareOpening")).toMatchObject({ from: wallet, to: factory, data: created, value: "0x0" });

  const offer = openingAuthorization.parse(getAnswer("authorizeOpening"));
  const { message } = offer.typed_data;
  expect(hashOpeningParams(message.params as OpeningParams)).toBe(hashOpeningParams(params));
  expect(message).toMatchObject({ creator: opening.creator, value: offer.value, deadline: String(opening.deadline) });
  expect(message.buy).toEqual({ recipient: opening.address, minimumOut: offer.expected?.minimum_out });
  expect(offer.typed_data.domain.verifyingContract).toBe(contracts.launch_factory);

  const { salt, value, signature } = getRequest("prepareOpeningLaunch");
  const launch = unsignedResult.parse(getAnswer("prepareOpeningLaunch"));
  const opened = encodeOpen({ ...params, salt }, BigInt(value), BigInt(launch.expected!.minimum_out!), signature);
  expect(launch.transaction).toMatchObject({ to: opening.address, data: opened, value: "0x0" });

  const closing = unsignedResult.parse(getAnswer("prepareOpeningClosing"));
  expect(closing.transaction?.to).toBe(closing.expected?.opening);
  expect(decodeFunctionData({ abi: openingAbi, data: closing.transaction!.data as Hex }).functionName).toBe("close");
  expect(getAnswer("prepareOpeningClaim")).toMatchObject({ status: "nothing_to_do", transaction: null });
});
