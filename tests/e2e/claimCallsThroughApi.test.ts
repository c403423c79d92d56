import { multicall3Address } from "@slipway/deploy/multicall3";
import { readManifestFile, writeManifest } from "@slipway/deploy/readManifest";
import { sendableCalls } from "@slipway/sdk/sendable";
import { Contract, JsonRpcProvider } from "ethers";
import { getAddress, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithEthers, sendWithViem, wallets } from "../support/security/actors.ts";
import { createContractWallet } from "../support/security/batchWallets.ts";
import { buyWithNative, launchAgain, readHeld, sendClaim } from "../support/security/claims.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, payee, trader, stranger] = wallets as [
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
];
const zero = "0x0000000000000000000000000000000000000000";
const native = 10n ** 17n;

let stack: TestStack;
let provider: JsonRpcProvider;
let weth: string;
/** Two launches of one splitter, and one launch of another. */
let first: Awaited<ReturnType<typeof launchToken>>;
let second: Hex;
let third: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  provider = new JsonRpcProvider(stack.chain.rpcUrl, undefined, { polling: true, pollingInterval: 20 });
  weth = stack.manifest.wrapped_native.address;
  const recipients = [
    { provider: "social", handle: "tin_sailor", wallet: payee.address, share_bps: 3_333 },
    { provider: "wallet", wallet: creator.address, share_bps: 6_667 },
  ];
  first = await launchToken(stack, creator, { recipients });
  second = await launchAgain(stack, creator, first);
  third = await launchToken(stack, creator, {
    recipients: [{ provider: "wallet", wallet: payee.address, share_bps: 10_000 }],
  });
});
afterAll(async () => {
  provider?.destroy();
  await stack?.close();
});

const tokens = () => [first.token, second, third.token];
const claim = (more: Record<string, unknown> = {}, server: Pick<Server, "call"> = stack) =>
  server.call("POST", "/fees/claim-calls", { wallet: payee.address, tokens: tokens(), ...more });
const claimOneStage = (token: string, stage: string) =>
  stack.call("POST", "/fees/claim-transactions", { token, wallet: stranger.address, stage });
const getPending = (token: string) => stack.call("GET", `/fees/pending?token=${token}`);
const getPositions = async (token: string, wallet = payee.address) =>
  (await stack.call("GET", `/fees/positions?token=${token}&wallet=${wallet}`)).body;
const codes = (body: any) => body.warnings.map(({ code }: any) => code);

describe("GET /fees/pending", () => {
  test("is zero before a trade", async () => {
    const { status, body } = await getPending(first.token);
    expect([status, body.assets.map(({ asset, amount }: any) => [asset, amount])]).toEqual([
      200,
      [
        [first.token, "0"],
        [weth, "0"],
      ],
    ]);
  });

  test("is exactly what the collection then collects, and what it then gives each recipient", async () => {
    const { token, splitter } = first;
    const readLifetimes = async () =>
      await Promise.all(
        [payee, creator].map(async ({ address }) =>
          (await getPositions(token, address)).balances.map(({ lifetime }: any) => BigInt(lifetime)),
        ),
      );
    for (let round = 0; round < 12; round++) {
      // Odd amounts, so that shares are rounded.
      await buyWithNative(stack, trader, token, native / 1_000n + 1_237n * BigInt(round));
      const { body } = await getPending(token);
      expect(body).toMatchObject({ token, splitter, partner: null, treasury: stack.manifest.treasury });
      expect(body.recipients.map(({ handle, share_bps }: any) => [handle, share_bps])).toEqual([
        ["tin_sailor", 3_333],
        [null, 6_667],
      ]);
      for (const { amount, protocol, partner, collaborators } of body.assets) {
        expect(BigInt(protocol) + BigInt(partner) + BigInt(collaborators)).toBe(BigInt(amount));
        // A tenth of the cumulative amount, so the part of one collection may be one unit more.
        expect(BigInt(protocol) - BigInt(amount) / 10n).toBeOneOf([0n, 1n]);
      }
      const before = await readLifetimes();
      const collect = await claimOneStage(token, "collect");
      await sendWithEthers(stack, collect, stranger);
      const collected = collect.body.expected.amounts.map(({ asset, amount }: any) => [asset, amount]);
      const pending = body.assets.filter(({ amount }: any) => amount !== "0");
      expect(pending.map(({ asset, amount }: any) => [asset, amount])).toEqual(collected);
      const after = await readLifetimes();
      const gained = after.map((lifetimes, k) =>
        lifetimes.map((lifetime: bigint, i: number) => lifetime - before[k]![i]),
      );
      expect(body.recipients.map(({ amounts }: any) => amounts.map(({ amount }: any) => BigInt(amount)))).toEqual(
        gained,
      );
      // With an unsettled credit, and with a splitter that has released nothing.
      if (round % 4 === 3) await sendWithEthers(stack, await claimOneStage(token, "settle"), stranger);
    }
    expect((await getPending(token)).body.assets.map(({ amount }: any) => amount)).toEqual(["0", "0"]);
  });

  test("refuses a token without a launch", async () => {
    const { status, body } = await getPending(stack.stablecoin);
    expect([status, body.error.code]).toEqual([422, "pool_not_supported"]);
  });
});

describe("POST /fees/claim-calls", () => {
  test("claims three tokens of two splitters in one transaction of Multicall3, to the wei", async () => {
    for (const token of tokens()) await buyWithNative(stack, trader, token, native);
    const answer = await claim();
    const { body } = answer;
    expect([answer.status, body.action, body.status, body.warnings]).toEqual([200, "claim", "ready", []]);
    expect(body.transaction).toMatchObject({ from: payee.address, to: multicall3Address, value: "0x0" });
    // Three collections, three settlements, and each splitter once.
    const names = body.calls.map(({ to }: any) => to);
    const locker = stack.manifest.current.fee_locker.address;
    expect(names).toEqual([...Array(6).fill(locker), first.splitter, third.splitter]);
    expect(body.expected.amounts.map(({ to }: any) => to)).toEqual(
      Array(body.expected.amounts.length).fill(payee.address),
    );
    await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
    const again = (await claim()).body;
    expect([again.status, again.transaction, again.calls, again.expected]).toEqual([
      "nothing_to_do",
      null,
      [],
      { amounts: [] },
    ]);
    for (const token of tokens()) expect((await getPositions(token)).balances[1].claimable).toBe("0");
  });

  test("leaves out what has nothing: one token traded, three named", async () => {
    await buyWithNative(stack, trader, third.token, native);
    const { body } = await claim();
    expect(body.calls.length).toBe(3);
    expect(body.calls.map(({ to }: any) => to)).not.toContain(first.splitter);
    const release = await claim({ stages: "release" });
    expect(release.body.status).toBe("nothing_to_do");
    for (const stage of ["collect", "settle"])
      await sendWithEthers(stack, await claimOneStage(third.token, stage), stranger);
    const released = await claim({ stages: "release" });
    // A single call needs no Multicall3.
    expect([released.body.calls.length, released.body.transaction.to]).toEqual([1, third.splitter]);
    await sendClaim(stack, released, async () => [await sendWithEthers(stack, released, payee)]);
  });

  test("pays native with unwrap, and gas and arrivals are those of the transaction", async () => {
    for (const token of tokens()) await buyWithNative(stack, trader, token, native);
    const answer = await claim({ unwrap: true });
    const { body } = answer;
    expect([body.warnings, body.transaction.to]).toEqual([[], multicall3Address]);
    expect(body.expected.amounts.map(({ asset }: any) => asset)).toContain(zero);
    expect(body.expected.amounts.map(({ asset }: any) => asset)).not.toContain(weth);
    let used = 0n;
    await sendClaim(stack, answer, async () => {
      const receipt = await sendWithViem(stack, answer, payee);
      used = receipt.gasUsed;
      return [receipt];
    });
    expect(used <= BigInt(body.simulation.gas_used)).toBe(true);
    expect(BigInt(body.fees.gas_limit)).toBe(BigInt(body.transaction.gas));
    expect(await readHeld(stack, weth, multicall3Address)).toBe(0n);
  });

  test("a recipient with code unwraps by the batch, and has no transaction through Multicall3 then", async () => {
    const wallet = await createContractWallet(stack, stranger);
    const address = getAddress(wallet.address);
    const launched = await launchToken(stack, creator, {
      recipients: [{ provider: "wallet", wallet: wallet.address, share_bps: 10_000 }],
    });
    await buyWithNative(stack, trader, launched.token, native);
    const body = { wallet: wallet.address, tokens: [launched.token] };
    const wrapped = await stack.call("POST", "/fees/claim-calls", body);
    expect([wrapped.body.transaction.to, codes(wrapped.body)]).toEqual([multicall3Address, []]);
    const answer = await stack.call("POST", "/fees/claim-calls", { ...body, unwrap: true });
    expect([answer.body.transaction, codes(answer.body)]).toEqual([null, ["calls_only"]]);
    expect(answer.body.expected.amounts).toEqual([{ asset: zero, to: address, amount: expect.any(String) }]);
    await sendClaim(stack, answer, () => wallet.sendCalls(sendableCalls(answer.body, wallet.address)!));
  });

  test("refuses a wallet that is no recipient and a token without a launch, each by its place", async () => {
    const cases: [Record<string, unknown>, string, string][] = [
      [{ wallet: creator.address }, "not_recipient", "tokens[2]"],
      [{ wallet: stranger.address }, "not_recipient", "tokens[0]"],
      [{ tokens: [first.token, stack.stablecoin] }, "pool_not_supported", "tokens[1]"],
      [{ tokens: [] }, "invalid_fields", "tokens"],
      [{ tokens: Array(21).fill(first.token) }, "invalid_fields", "tokens"],
      [{ stages: "collect" }, "invalid_fields", "stages"],
      [{ unwrap: "yes" }, "invalid_fields", "unwrap"],
      [{ tokens: [first.token, "0x12"] }, "invalid_fields", "tokens[1]"],
    ];
    for (const [change, code, field] of cases) {
      const { status, body } = await claim(change);
      expect([status, body.error.code, body.error.field], JSON.stringify(change)).toEqual([422, code, field]);
    }
  });

  test("without Multicall3 in the manifest the calls remain, with a warning", async () => {
    const { manifest } = readManifestFile(stack.manifestPath);
    const path = `${stack.manifestPath}.plain`;
    const sha256 = writeManifest(path, { ...manifest, multicall3: null });
    const server = await stack.openServer({ MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
    await buyWithNative(stack, trader, first.token, native);
    const { body } = await claim({}, server);
    expect([body.transaction, codes(body), body.calls.length]).toEqual([null, ["calls_only"], 3]);
    await sendClaim(stack, { status: 200, body }, async () => {
      const receipts = [];
      for (const { to, data } of body.calls) receipts.push(await sendRaw(stack, payee, { to, data }));
      return receipts;
    });
    await server.close();
  });
});

describe("POST /fees/payout-transactions", () => {
  const preparePayout = (more: Record<string, unknown> = {}) =>
    stack.call("POST", "/fees/payout-transactions", {
      token: first.token,
      wallet: payee.address,
      payout: stranger.address,
      ...more,
    });

  test("moves the payout, and every claim then names and pays it; null puts it back", async () => {
    const answer = await preparePayout();
    expect(answer.body).toMatchObject({
      action: "set_payout",
      status: "ready",
      transaction: { from: payee.address, to: first.splitter, value: "0x0" },
      simulation: { asset_changes: [] },
      expected: { splitter: first.splitter },
      next: null,
    });
    expect(codes(answer.body)).toEqual(["payout_changed"]);
    for (const named of [first.splitter, payee.address, stranger.address]) {
      expect(answer.body.warnings[0].message).toContain(named);
    }
    expect((await sendWithViem(stack, answer, payee)).status).toBe("success");
    const splitter = new Contract(
      first.splitter,
      ["function payoutOf(address) view returns (address)"],
      provider,
    ) as any;
    expect(await splitter.payoutOf(payee.address)).toBe(stranger.address);
    expect((await preparePayout()).body.status).toBe("nothing_to_do");

    for (const token of tokens()) await buyWithNative(stack, trader, token, native);
    const claimed = await claim({ unwrap: true });
    const receivers = new Set(claimed.body.expected.amounts.map(({ to }: any) => to));
    expect(receivers).toEqual(new Set([stranger.address, payee.address]));
    await sendClaim(stack, claimed, async () => [await sendWithEthers(stack, claimed, payee)]);

    const back = await preparePayout({ payout: null });
    expect(back.body.warnings[0].message).toContain(`to ${payee.address}`);
    expect((await sendWithEthers(stack, back, payee)).status).toBe("success");
    for (const payout of [null, payee.address]) {
      expect((await preparePayout({ payout })).body.status).toBe("nothing_to_do");
    }
  });

  test("refuses who is no recipient, and payouts that cannot pass on", async () => {
    const { current, uniswap, multicall3 } = stack.manifest;
    const unfit = [
      ...["0x0000000000000000000000000000000000000001", "0x0000000000000000000000000000000000000064"],
      ...[current.fee_locker, current.launch_factory, current.splitter_factory, current.splitter_implementation],
      ...[uniswap.router, uniswap.quoter, uniswap.factory, multicall3!, stack.manifest.gas_station!],
      ...[weth, stack.stablecoin, stack.manifest.eth_usd!.pool],
      ...[first.token, second, third.token, first.pool, third.pool, first.splitter, third.splitter],
    ].map((item) => (typeof item === "string" ? item : item.address));
    for (const payout of unfit) {
      const { status, body } = await preparePayout({ payout });
      expect([status, body.error?.code, body.error?.field], payout).toEqual([
        422,
        "recipient_cannot_receive",
        "payout",
      ]);
    }
    const cases: [Record<string, unknown>, string, string][] = [
      [{ wallet: stranger.address, payout: creator.address }, "not_recipient", "wallet"],
      [{ token: stack.stablecoin }, "pool_not_supported", "token"],
      [{ payout: undefined }, "invalid_fields", "payout"],
      [{ payout: zero }, "invalid_fields", "payout"],
      [{ payout: stranger.address.replace(/[a-f]/, (digit) => digit.toUpperCase()) }, "address_checksum", "payout"],
    ];
    for (const [change, code, field] of cases) {
      const { status, body } = await preparePayout(change);
      expect([status, body.error?.code, body.error?.field], JSON.stringify(change)).toEqual([422, code, field]);
    }
  });

  test("warns of a payout that is a contract", async () => {
    const wallet = await createContractWallet(stack, stranger);
    const { body } = await preparePayout({ payout: wallet.address });
    expect(codes(body)).toEqual(["payout_changed", "recipient_is_contract"]);
  });
});
