import { readManifestFile, writeManifest } from "@slipway/deploy/readManifest";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { sendableCalls } from "@slipway/sdk/sendable";
import { encodeDeployData, encodeFunctionData, getAddress, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  sendRaw,
  sendWithEthers,
  sendWithViem,
  storeDraft,
  trade,
  wallets,
} from "../support/security/actors.ts";
import { buyWithNative, launchAgain, readHeld, sendClaim } from "../support/security/claims.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { decodeAggregate, decodeClaimCall } from "../support/security/decodeClaim.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

type Wallet = (typeof wallets)[0];
const [creator, payee, trader, stranger, other] = wallets as [Wallet, Wallet, Wallet, Wallet, Wallet];
const native = 10n ** 17n;

let stack: TestStack;
let weth: Hex;
let shared: Awaited<ReturnType<typeof launchToken>>;
let second: Hex;
let alone: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  weth = stack.manifest.wrapped_native.address as Hex;
  shared = await launch([payee.address, other.address]);
  second = await launchAgain(stack, creator, shared);
  alone = await launch([payee.address]);
});
afterAll(async () => {
  await stack?.close();
});

async function launch(payees: string[]) {
  const share = 10_000 / payees.length;
  const recipients = payees.map((wallet) => ({ provider: "wallet", wallet, share_bps: share }));
  return await launchToken(stack, creator, { recipients });
}
const tokens = () => [shared.token, second, alone.token];
const claim = (more: Record<string, unknown> = {}) =>
  stack.call("POST", "/fees/claim-calls", { wallet: payee.address, tokens: tokens(), ...more });
/** Trades every token, so that fees of both of its assets are pending. */
const tradeAll = async () => {
  for (const token of tokens()) {
    await buyWithNative(stack, trader, token, native);
    await trade(stack, trader, { token, side: "sell", amount_in: `${10n ** 21n}` });
  }
};
const codes = (body: any) => body.warnings.map(({ code }: any) => code);
const messages = (body: any) => body.warnings.map(({ message }: any) => message).join("\n");

describe("C7-47", () => {
  test("C7-47 other code at Multicall3's address closes every transaction endpoint", async () => {
    await tradeAll();
    const { address } = stack.manifest.multicall3!;
    const { runtime } = compileAttacker("Deployer");
    await withChangedContract(stack, { address, code: runtime }, async () => {
      const server = await stack.openServer({});
      const answer = await server.call("POST", "/fees/claim-calls", { wallet: payee.address, tokens: tokens() });
      expect([answer.status, answer.body.error.code]).toEqual([503, "manifest_unverified"]);
      expect(server.deps.chain.manifestState().reason).toContain("multicall3.code");
      await server.close();
    });
    expect((await claim()).status).toBe(200);
  });
});

describe("C7-48", () => {
  test("C7-48 Multicall3 is asked for nothing that only a payee may do, and the payee is paid from any sender", async () => {
    const answer = await claim({ unwrap: true });
    const calls = decodeAggregate(answer.body.transaction.data);
    // Throws for setPayout, releaseTo and everything else.
    for (const call of calls) decodeClaimCall(call);
    const { to, data } = answer.body.transaction;
    const before = await readHeld(stack, weth, stranger.address);
    await sendClaim(stack, answer, async () => [await sendRaw(stack, stranger, { to, data })]);
    expect(await readHeld(stack, weth, stranger.address)).toBe(before);
  });

  test("C7-48 Multicall3 is no recipient of a draft, and no payout", async () => {
    const { address } = stack.manifest.multicall3!;
    const recipients = [{ provider: "wallet", wallet: address, share_bps: 10_000 }];
    const body = { intent_id: await storeDraft(stack, { recipients }), wallet: creator.address };
    const split = await stack.call("POST", "/splits/transactions", body);
    expect([split.status, split.body.error?.code]).toEqual([422, "recipient_cannot_receive"]);
    const payout = { token: alone.token, wallet: payee.address, payout: address };
    const refused = await stack.call("POST", "/fees/payout-transactions", payout);
    expect([refused.status, refused.body.error?.code]).toEqual([422, "recipient_cannot_receive"]);
  });
});

describe("C7-49", () => {
  /** Code that reverts, that uses all gas, that moves nothing but returns success, and that returns a megabyte. */
  const hostile = {
    reverts: "0x60006000fd",
    "uses up all gas": "0x5b600056",
    "returns a megabyte": "0x620f42406000f3",
  };

  test.each(Object.entries(hostile))("C7-49 a token that %s is named, and the others are claimed", async (_, code) => {
    await tradeAll();
    await withChangedContract(stack, { address: alone.token, code }, async () => {
      // The hostile one first: it leaves too little gas for the others.
      const answer = await claim({ tokens: [alone.token, shared.token, second] });
      expect([answer.status, answer.body.status]).toEqual([200, "ready"]);
      expect(codes(answer.body)).toContain("claim_failed");
      expect(messages(answer.body)).toContain(alone.token);
      for (const token of [shared.token, second]) expect(messages(answer.body)).not.toContain(token);
      const targets = answer.body.calls.map(({ to }: any) => to);
      expect(targets).toContain(shared.splitter);
      expect(targets).not.toContain(alone.splitter);
      await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
    });
    const rest = await claim();
    expect(new Set(rest.body.calls.map(({ to }: any) => to))).toEqual(
      new Set([stack.manifest.current.fee_locker.address, alone.splitter]),
    );
    await sendClaim(stack, rest, async () => [await sendWithViem(stack, rest, payee)]);
  });

  const ofOneSplitter = ["reverts", "uses up all gas"] as const;
  test.each(ofOneSplitter)(
    "C7-49 of two tokens of one splitter the one that %s is left out, and the other's is paid",
    async (kind) => {
      await tradeAll();
      await withChangedContract(stack, { address: second, code: hostile[kind] }, async () => {
        const answer = await claim({ tokens: [second, shared.token] });
        expect(messages(answer.body)).not.toContain(shared.token);
        expect(messages(answer.body)).toContain(second);
        const assets = answer.body.expected.amounts.map(({ asset }: any) => asset);
        expect(assets).toContain(weth);
        await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
      });
    },
  );

  test("C7-49 without Multicall3 in the manifest a token that uses up all gas is left out as well", async () => {
    await tradeAll();
    const path = `${stack.manifestPath}.plain`;
    const sha256 = writeManifest(path, { ...readManifestFile(stack.manifestPath).manifest, multicall3: null });
    const server = await stack.openServer({ MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
    await withChangedContract(stack, { address: alone.token, code: hostile["uses up all gas"] }, async () => {
      const body = { wallet: payee.address, tokens: tokens() };
      const answer = await server.call("POST", "/fees/claim-calls", body);
      expect([answer.status, codes(answer.body)]).toEqual([
        200,
        expect.arrayContaining(["claim_failed", "calls_only"]),
      ]);
      for (const token of [shared.token, second]) expect(messages(answer.body)).not.toContain(token);
      await sendClaim(stack, answer, async () => {
        const receipts = [];
        for (const { to, data } of answer.body.calls) receipts.push(await sendRaw(stack, payee, { to, data }));
        return receipts;
      });
    });
    await server.close();
  });

  test("C7-49 wrapped native that cannot be transferred leaves nothing to do, and is named; what is owed is paid later", async () => {
    await tradeAll();
    const { runtime } = compileAttacker("ApproveRaceWrapped");
    const collect = { token: alone.token, wallet: stranger.address, stage: "collect" };
    await sendWithEthers(stack, await stack.call("POST", "/fees/claim-transactions", collect), stranger);
    await withChangedContract(stack, { address: weth, code: runtime }, async () => {
      const answer = await claim({ tokens: [alone.token] });
      expect(codes(answer.body)).toContain("payment_owed");
      expect(answer.body.expected.amounts.map(({ asset }: any) => asset)).toEqual([alone.token]);
      const settle = { ...collect, stage: "settle" };
      await sendWithEthers(stack, await stack.call("POST", "/fees/claim-transactions", settle), stranger);
    });
    const answer = await claim({ tokens: [alone.token] });
    expect(decodeAggregate(answer.body.transaction.data).map((call) => decodeClaimCall(call).kind)).toContain(
      "pay_owed",
    );
    await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
  });

  test("C7-49 another payee that refuses everything holds up no one", async () => {
    const { abi, bytecode } = compileAttacker("HostileWallet");
    const data = encodeDeployData({ abi, bytecode, args: [1, zeroAddress] });
    const hostilePayee = (await sendRaw(stack, stranger, { data })).contractAddress!;
    const launched = await launch([getAddress(hostilePayee), payee.address]);
    await buyWithNative(stack, trader, launched.token, native);
    const answer = await claim({ tokens: [launched.token], unwrap: true });
    expect(codes(answer.body)).toEqual([]);
    await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
  });
});

describe("C7-50", () => {
  const setPayout = async (from: Wallet, payout: Hex) =>
    await sendRaw(stack, from, {
      to: alone.splitter,
      data: encodeFunctionData({ abi: feeSplitterAbi, functionName: "setPayout", args: [payout] }),
    });

  test("C7-50 a payout that is moved between the simulation and the inclusion is paid there, all of it", async () => {
    await buyWithNative(stack, trader, alone.token, native);
    const answer = await claim({ tokens: [alone.token], unwrap: true });
    const { amount, to } = answer.body.expected.amounts.find(({ asset }: any) => asset === zeroAddress);
    expect(to).toBe(payee.address);
    expect((await setPayout(payee, other.address)).status).toBe("success");
    const before = await readHeld(stack, zeroAddress, other.address);
    expect((await sendWithViem(stack, answer, payee)).status).toBe("success");
    expect((await readHeld(stack, zeroAddress, other.address)) - before).toBe(BigInt(amount));
    await setPayout(payee, zeroAddress);
  });

  test("C7-50 another account gets the same claim for a wallet, and cannot move its payout", async () => {
    await tradeAll();
    const account = await stack.createAccount("stranger");
    const body = { wallet: payee.address, tokens: tokens() };
    // Blocks come between the two answers.
    const answers = await Promise.all([
      stack.call("POST", "/fees/claim-calls", body),
      stack.call("POST", "/fees/claim-calls", body, account),
    ]);
    const [own, foreign] = answers.map(({ body: found }) => [found.calls, found.expected, found.transaction.data]);
    expect(foreign).toEqual(own);
    const order = { token: alone.token, wallet: payee.address, payout: stranger.address };
    const prepared = await stack.call("POST", "/fees/payout-transactions", order, account);
    expect(prepared.body.transaction.from).toBe(payee.address);
    const { to, data } = prepared.body.transaction;
    expect((await sendRaw(stack, stranger, { to, data })).status).toBe("reverted");
    const refused = await stack.call("POST", "/fees/payout-transactions", { ...order, wallet: stranger.address });
    expect([refused.status, refused.body.error.code]).toEqual([422, "not_recipient"]);
  });

  test("C7-50 a key without the scope for transactions prepares neither, and reads what is pending", async () => {
    const reader = await stack.createAccount("reader", ["read"]);
    const order = { token: alone.token, wallet: payee.address, payout: null };
    for (const [path, body] of [
      ["/fees/claim-calls", { wallet: payee.address, tokens: tokens() }],
      ["/fees/payout-transactions", order],
    ] as const) {
      const { status, body: answer } = await stack.call("POST", path, body, reader);
      expect([status, answer.error.code]).toEqual([403, "scope_required"]);
    }
    expect((await stack.call("GET", `/fees/pending?token=${alone.token}`, undefined, reader)).status).toBe(200);
  });
});

describe("C7-51", () => {
  test.each(["reverts", "uses up all gas", "returns a megabyte"])(
    "C7-51 a payee with code that %s when it is paid native is paid wrapped native",
    async (kind) => {
      const { abi, bytecode } = compileAttacker("HostileWallet");
      const args = [["reverts", "uses up all gas", "returns a megabyte"].indexOf(kind), zeroAddress];
      const data = encodeDeployData({ abi, bytecode, args });
      const hostilePayee = getAddress((await sendRaw(stack, stranger, { data })).contractAddress!);
      const launched = await launch([hostilePayee]);
      await buyWithNative(stack, trader, launched.token, native);
      const body = { wallet: hostilePayee, tokens: [launched.token], unwrap: true };
      const answer = await stack.call("POST", "/fees/claim-calls", body);
      const isPaid = kind === "returns a megabyte";
      expect(codes(answer.body)).toEqual([isPaid ? "calls_only" : "unwrap_refused"]);
      const expected = [{ asset: isPaid ? zeroAddress : weth, to: hostilePayee, amount: expect.any(String) }];
      expect(answer.body.expected.amounts).toEqual(expected);
      const zeros = answer.body.simulation.asset_changes.filter(
        ({ asset, to }: any) => asset === zeroAddress && to === hostilePayee,
      );
      expect(zeros.length).toBe(isPaid ? 1 : 0);
      if (isPaid) return;
      const { to, data: sent } = answer.body.transaction;
      await sendClaim(stack, answer, async () => [await sendRaw(stack, stranger, { to, data: sent })]);
    },
  );

  test("C7-51 a payout to a contract that refuses native is paid wrapped native, also when the payee sends", async () => {
    const { abi, bytecode } = compileAttacker("HostileWallet");
    const data = encodeDeployData({ abi, bytecode, args: [0, zeroAddress] });
    const refusing = getAddress((await sendRaw(stack, stranger, { data })).contractAddress!);
    const order = { token: alone.token, wallet: payee.address, payout: refusing };
    await sendWithViem(stack, await stack.call("POST", "/fees/payout-transactions", order), payee);
    await buyWithNative(stack, trader, alone.token, native);
    const answer = await claim({ tokens: [alone.token], unwrap: true });
    expect(codes(answer.body)).toEqual(["unwrap_refused"]);
    await sendClaim(stack, answer, async () => {
      const receipts = [];
      for (const call of sendableCalls(answer.body, payee.address)!.calls) {
        receipts.push(await sendRaw(stack, payee, { to: call.to, data: call.data }));
      }
      return receipts;
    });
  });
});
