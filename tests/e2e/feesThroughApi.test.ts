import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { Contract, JsonRpcProvider } from "ethers";
import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  sendRaw,
  sendWithEthers,
  trade,
  untilIndexed,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

const shares = [1, 3_333, 2_222, 4_444];
const payees = wallets.slice(0, shares.length);
const creator = wallets[0]!;
const trader = wallets[7]!;
const stranger = wallets[8]!;

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
});
afterAll(async () => {
  provider?.destroy();
  await stack?.close();
});

const claim = (stage: string, more: Record<string, unknown> = {}, token = launched.token) =>
  stack.call("POST", "/fees/claim-transactions", { token, wallet: stranger.address, stage, ...more });
const getPositions = (wallet: string, token = launched.token) =>
  stack.call("GET", `/fees/positions?token=${token}&wallet=${wallet}`);

/** Compares every figure with the chain's own views at the answer's block, read by ethers. */
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
    // A share of a sum and a sum of shares differ by at most one wei of rounding.
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
    // The credited amount is claimable now, to the wei; the token side is still pending.
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
    const { abi, bytecode } = compileAttacker("Deployer");
    const deployer = (await sendRaw(stack, stranger, { data: bytecode })).contractAddress!;
    const implementation = stack.manifest.current.splitter_implementation.address as Hex;
    const code = splitterCreationInput(implementation, [{ payee: creator.address, shareBps: 10_000 }]);
    const data = encodeFunctionData({ abi, functionName: "create", args: [code] });
    const created = (await sendRaw(stack, stranger, { to: deployer, data })).logs;
    const { data: word } = created.find(({ address }) => address.toLowerCase() === deployer.toLowerCase())!;
    const token = launchedToken(await sendLaunch(stack, stranger, `0x${word.slice(26)}`, { symbol: "FAKE" }));
    await untilIndexed(stack, token);
    await trade(stack, trader, { token, side: "buy", amount_in: `${10n ** 15n}` });
    expect((await claim("collect", {}, token)).body.status).toBe("ready");
    expect((await claim("release", { recipient: creator.address }, token)).body.error.code).toBe("splitter_mismatch");
    expect((await getPositions(creator.address, token)).body.error.code).toBe("splitter_mismatch");
  });

  test("C7-34 a release goes to the payout that its recipient chose, and every answer names it", async () => {
    const payee = payees[3]!;
    const payout = wallets[9]!.address;
    const setPayout = async (to: Hex, from = payee) =>
      await sendRaw(stack, from, {
        to: launched.splitter,
        data: encodeFunctionData({ abi: feeSplitterAbi, functionName: "setPayout", args: [to] }),
      });
    await trade(stack, trader, { token: launched.token, side: "buy", amount_in: `${10n ** 17n}` });
    for (const stage of ["collect", "settle"]) await sendWithEthers(stack, await claim(stage), stranger);
    expect((await setPayout(payout as Hex, stranger)).status).toBe("reverted");
    expect((await expectExact(payee.address)).payout).toBeNull();
    expect((await setPayout(payout as Hex)).status).toBe("success");

    const shown = await expectExact(payee.address);
    expect(shown.payout).toBe(payout);
    expect(shown.recipients.map((recipient: any) => recipient.payout)).toEqual([null, null, null, payout]);
    const weth = stack.manifest.wrapped_native.address;
    const balance = () =>
      (new Contract(weth, ["function balanceOf(address) view returns (uint256)"], provider) as any).balanceOf(
        payout,
      ) as Promise<bigint>;
    const before = await balance();
    const release = await claim("release", { recipient: payee.address });
    const amount = shown.balances[1].claimable;
    expect(release.body.expected.amounts).toContainEqual({ asset: weth, to: payout, amount });
    await sendWithEthers(stack, release, stranger);
    expect((await balance()) - before).toBe(BigInt(amount));
    await expectExact(payee.address);
    await setPayout("0x0000000000000000000000000000000000000000");
    expect((await expectExact(payee.address)).payout).toBeNull();
  });

  test("C7-34 what a failed payment leaves owed stays in the position, and settle pays it", async () => {
    const weth = stack.manifest.wrapped_native.address;
    const payee = payees[1]!.address;
    await trade(stack, trader, { token: launched.token, side: "buy", amount_in: `${10n ** 17n}` });
    await sendWithEthers(stack, await claim("collect"), stranger);
    const before = await expectExact(payee);
    expect(BigInt(before.balances[1].credited)).toBeGreaterThan(0n);
    // Wrapped native whose transfer fails for every account.
    const { runtime } = compileAttacker("ApproveRaceWrapped");
    await withChangedContract(stack, { address: weth, code: runtime }, async () => {
      const settle = await claim("settle");
      expect(settle.body.status).toBe("ready");
      expect(settle.body.expected.amounts.map(({ asset }: any) => asset)).not.toContain(weth);
      expect(settle.body.warnings.map(({ code }: any) => code)).toEqual(["payment_owed", "payment_owed"]);
      expect((await sendWithEthers(stack, settle, stranger)).status).toBe("success");
      expect((await claim("settle")).body.error.code).toBe("simulation_reverted");
    });

    const owed = (await getPositions(payee)).body;
    expect(owed.balances[1]).toEqual(before.balances[1]);
    const pay = await claim("settle");
    expect(pay.body).toMatchObject({ action: "settle", status: "ready", warnings: [] });
    expect(pay.body.expected.amounts).toEqual([{ asset: weth, to: launched.splitter, amount: expect.any(String) }]);
    expect((await sendWithEthers(stack, pay, stranger)).status).toBe("success");
    const paid = await expectExact(payee);
    expect(paid.balances[1].lifetime).toBe(before.balances[1].lifetime);
    expect([paid.balances[1].credited, (await claim("settle")).body.status]).toEqual(["0", "nothing_to_do"]);
  });
});
