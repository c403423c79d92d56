import { Contract, JsonRpcProvider } from "ethers";
import { encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  randomSalt,
  sendRaw,
  sendWithEthers,
  trade,
  untilIndexed,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const shares = [1, 3_333, 2_222, 4_444];
const payees = wallets.slice(0, shares.length);
const [creator, trader, stranger] = [wallets[0]!, wallets[7]!, wallets[8]!];

let stack: TestStack;
let provider: JsonRpcProvider;
let launched: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  provider = new JsonRpcProvider(stack.chain.rpcUrl, undefined, { polling: true, pollingInterval: 20 });
  const recipients = shares.map((share_bps, i) => ({
    ...(i === 2 ? { provider: "social", handle: "tin_sailor" } : { provider: "wallet" }),
    wallet: payees[i]!.address,
    share_bps,
  }));
  launched = await launchToken(stack, creator, { recipients });
  await wrap(stack, trader, 10n ** 19n);
}, 120_000);
afterAll(async () => {
  provider?.destroy();
  await stack?.close();
});

const claim = (stage: string, more: Record<string, unknown> = {}, token = launched.token) =>
  stack.call("POST", "/fees/claim-transactions", { token, wallet: stranger.address, stage, ...more });
const getPositions = (wallet: string, token = launched.token) =>
  stack.call("GET", `/fees/positions?token=${token}&wallet=${wallet}`);

/** Compares every figure with the chain's own views at the block that the answer names, read by ethers. */
async function expectExact(wallet: string): Promise<any> {
  const { status, body } = await getPositions(wallet);
  expect(status).toBe(200);
  const at = { blockTag: Number(body.as_of_block) };
  const splitter = new Contract(
    launched.splitter,
    [
      "function claimable(address,address) view returns (uint256)",
      "function released(address,address) view returns (uint256)",
      "function totalReleased(address) view returns (uint256)",
      "function shareOf(address) view returns (uint16)",
    ],
    provider,
  ) as any;
  const locker = new Contract(
    stack.manifest.current.fee_locker.address,
    [
      "function ledgerOf(address,address) view returns ((uint256 collected,uint256 protocolCredit,uint256 partnerCredit,uint256 collaboratorsCredit,uint256 protocolTotal,uint256 partnerTotal,uint256 collaboratorsTotal))",
    ],
    provider,
  ) as any;
  const assets = [launched.token, stack.manifest.wrapped_native.address];
  expect(body.balances.map(({ asset }: any) => asset)).toEqual(assets);
  for (const [i, recipient] of body.recipients.entries()) {
    for (const [k, asset] of assets.entries()) {
      expect(recipient.claimable[k]).toEqual({
        asset,
        amount: `${await splitter.claimable(asset, payees[i]!.address, at)}`,
      });
      expect(recipient.claimed[k]).toEqual({
        asset,
        amount: `${await splitter.released(asset, payees[i]!.address, at)}`,
      });
    }
  }
  const share = (await splitter.shareOf(wallet, at)) as bigint;
  expect(body.share_bps).toBe(Number(share));
  for (const [k, asset] of assets.entries()) {
    const balance = body.balances[k];
    expect(BigInt(balance.claimable)).toBe(await splitter.claimable(asset, wallet, at));
    expect(BigInt(balance.claimed)).toBe(await splitter.released(asset, wallet, at));
    const credit: bigint = (await locker.ledgerOf(launched.token, asset, at)).collaboratorsCredit;
    // At the most one wei of rounding separates a share of a sum from the sum of shares.
    expect(BigInt(balance.credited) - (credit * share) / 10_000n).toBeOneOf([0n, 1n]);
    expect(BigInt(balance.lifetime)).toBe(
      BigInt(balance.credited) + BigInt(balance.claimable) + BigInt(balance.claimed),
    );
  }
  return body;
}

describe("fees through the API", () => {
  test("every stage of a launch without trades is nothing_to_do", async () => {
    for (const stage of ["collect", "settle"]) {
      const { status, body } = await claim(stage);
      expect([status, body.status, body.transaction, body.action]).toEqual([200, "nothing_to_do", null, stage]);
    }
    const release = await claim("release", { recipient: payees[0]!.address });
    expect(release.body).toMatchObject({ status: "nothing_to_do", transaction: null, expected: { amounts: [] } });
  });

  test("collect, settle, release: anybody sends, and positions are exact to the wei at each step", async () => {
    await trade(stack, trader, { token: launched.token, side: "buy", amount_in: `${10n ** 18n + 7n}` });
    await trade(stack, trader, { token: launched.token, side: "sell", amount_in: `${10n ** 24n + 13n}` });
    await expectExact(payees[1]!.address);

    const collect = await claim("collect");
    expect(collect.body).toMatchObject({ action: "collect", step: { index: 1, total: 3 } });
    await sendWithEthers(stack, collect, stranger);
    const credited = await expectExact(payees[1]!.address);
    expect(BigInt(credited.balances[1].credited)).toBeGreaterThan(0n);

    const settle = await claim("settle", { asset: stack.manifest.wrapped_native.address });
    await sendWithEthers(stack, settle, stranger);
    const half = await expectExact(payees[1]!.address);
    // What was credited is claimable now, to the wei; the token side still waits.
    expect(half.balances[1].claimable).toBe(credited.balances[1].credited);
    expect(half.balances[0]).toEqual(credited.balances[0]);
    await sendWithEthers(stack, await claim("settle"), stranger);
    await expectExact(payees[1]!.address);

    for (const payee of payees) {
      const release = await claim("release", { recipient: payee.address });
      const promised = release.body.expected.amounts;
      const receipt = await sendWithEthers(stack, release, stranger);
      expect(receipt.status).toBe("success");
      const after = await expectExact(payee.address);
      const paid = after.balances.filter(({ claimed }: any) => claimed !== "0");
      expect(paid.map(({ asset, claimed }: any) => ({ asset, to: payee.address, amount: claimed }))).toEqual(promised);
      expect((await claim("release", { recipient: payee.address })).body.status).toBe("nothing_to_do");
    }
    expect((await claim("settle")).body.status).toBe("nothing_to_do");
    expect((await claim("collect")).body.status).toBe("nothing_to_do");
  });

  test("labels come from the draft, and a wallet without a share sees everybody's and none of its own", async () => {
    const body = await expectExact(payees[2]!.address);
    expect(body.recipients.map(({ provider: from, handle, verified }: any) => [from, handle, verified])).toEqual([
      ["wallet", null, false],
      ["wallet", null, false],
      ["social", "tin_sailor", false],
      ["wallet", null, false],
    ]);
    const outside = (await getPositions(stranger.address)).body;
    expect([outside.is_recipient, outside.share_bps]).toEqual([false, 0]);
    expect(outside.balances[1]).toMatchObject({ symbol: "WETH", decimals: 18, credited: "0", lifetime: "0" });
  });

  test("release of a wallet without a share is not_recipient; an asset of neither side is invalid_fields", async () => {
    const release = await claim("release");
    expect([release.status, release.body.error.code]).toEqual([422, "not_recipient"]);
    for (const stage of ["settle", "release"]) {
      const answer = await claim(stage, { asset: stack.stablecoin, recipient: payees[0]!.address });
      expect([answer.status, answer.body.error.code, answer.body.error.field]).toEqual([
        422,
        "invalid_fields",
        "asset",
      ]);
    }
    const unknown = await claim("collect", {}, stack.stablecoin);
    expect([unknown.status, unknown.body.error.code]).toEqual([422, "pool_not_supported"]);
    expect((await getPositions(creator.address, stack.stablecoin)).body.error.code).toBe("pool_not_supported");
  });

  test("the splitter is verified by the request while the index has not verified its deployment", async () => {
    const setVerdict = (proven: boolean | null) =>
      stack.deps.db.indexer.query("update chain.splitters set proven = $1 where address = $2", [
        proven,
        launched.splitter.toLowerCase(),
      ]);
    await setVerdict(null);
    await expectExact(payees[3]!.address);
    const release = await claim("release", { recipient: payees[3]!.address });
    expect([release.status, release.body.status]).toEqual([200, "nothing_to_do"]);
    expect((await claim("release")).body.error.code).toBe("not_recipient");
    await setVerdict(false);
    expect((await getPositions(creator.address)).body.error.code).toBe("splitter_mismatch");
    await setVerdict(true);
    await expectExact(creator.address);
  });

  test("a launch with a splitter of unknown deployment can be collected and settled, but is never released from", async () => {
    const { abi, bytecode } = compileAttacker("LookAlikeSplitter");
    const args = [[creator.address], [10_000]];
    const { contractAddress } = await sendRaw(stack, stranger, { data: encodeDeployData({ abi, bytecode, args }) });
    const params = {
      name: "Fake",
      symbol: "FAKE",
      contractURI: "",
      splitter: contractAddress!,
      salt: randomSalt(),
      partner: zeroAddress,
      partnerShareBps: 0,
    } as const;
    const buy = { recipient: zeroAddress, minimumOut: 0n };
    const data = encodeFunctionData({ abi: launchFactoryAbi, functionName: "launch", args: [params, buy] });
    const factory = stack.manifest.current.launch_factory.address as Hex;
    const receipt = await sendRaw(stack, stranger, { to: factory, data });
    const launch = receipt.logs.find(({ address }) => address.toLowerCase() === factory.toLowerCase())!;
    const token = `0x${launch.topics[1]!.slice(26)}` as Hex;
    await untilIndexed(stack, token);
    await trade(stack, trader, { token, side: "buy", amount_in: `${10n ** 15n}` });
    expect((await claim("collect", {}, token)).body.status).toBe("ready");
    expect((await claim("release", { recipient: creator.address }, token)).body.error.code).toBe("splitter_mismatch");
    expect((await getPositions(creator.address, token)).body.error.code).toBe("splitter_mismatch");
  });
});
