import { readFileSync } from "node:fs";
import type { Stack } from "@slipway/dev/startStack";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { claimFees } from "@slipway/sdk/claimFees";
import { createClient } from "@slipway/sdk/createClient";
import { type Eip1193Provider, eip1193Wallet } from "@slipway/sdk/eip1193Wallet";
import { ethersWallet } from "@slipway/sdk/ethersWallet";
import { launchToken } from "@slipway/sdk/launchToken";
import { runSteps } from "@slipway/sdk/runSteps";
import {
  createTrust,
  type Order,
  type PreparedForOrder,
  type ReviewedDraft,
  requireVerified,
  type Trust,
  verifyPrepared,
} from "@slipway/sdk/verifyPrepared";
import { viemWallet } from "@slipway/sdk/viemWallet";
import { parseEther } from "ethers";
import { createPublicClient, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexed } from "../support/conformance/launchToken.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { tamper } from "../support/sdk/tamper.ts";
import { startBuiltStack } from "../support/startBuiltStack.ts";

type FeeClaim = Extract<Order, { operation: "prepareFeeClaim" }>;

const image = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

describe("the SDK's flows on real contracts", () => {
  let stack: Stack;
  let trader: Signer;
  let trust: Trust;
  let draft: ReviewedDraft;
  let token: string;
  /** Every verified result, which the last test tampers with. */
  const recorded: { order: Order; result: PreparedForOrder }[] = [];
  const client = () => createClient(stack);
  const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 50));

  /** Verifies a result before it is signed. */
  const verify = <Result extends PreparedForOrder>(order: Order, result: Result): Result => {
    requireVerified(result, order, trust);
    recorded.push({ order, result });
    return result;
  };
  const accept = (order: Order) => (result: UnsignedResult) => {
    verify(order, result);
    return true;
  };

  /** Creates the clients of viem for an account of the stack. */
  const openViem = (index: number) => {
    const transport = http(stack.rpcUrl);
    const account = privateKeyToAccount(stack.wallets[index]!.privateKey as Hex);
    return {
      walletClient: createWalletClient({ account, transport }),
      publicClient: createPublicClient({ transport, pollingInterval: 40 }),
    };
  };

  beforeAll(async () => {
    stack = await startBuiltStack({ serverEnvironment: unlimited });
    trader = openSigner(stack.rpcUrl, stack.manifest.chain_id, stack.wallets[1]!.privateKey);
    trust = await createTrust(readFileSync(stack.manifestPath, "utf8"), stack.manifestSha256);
  });
  afterAll(async () => {
    trader?.close();
    await stack?.stop();
  });

  it("C10-81 launches with viem, and goes on after each interruption without sending a step twice", async () => {
    const { walletClient, publicClient } = openViem(0);
    const wallet = viemWallet(walletClient, publicClient);
    const recipients = [
      { provider: "wallet" as const, wallet: wallet.address, share_bps: 6_000 },
      { provider: "wallet" as const, wallet: stack.wallets[2]!.address, share_bps: 4_000 },
    ];
    const intent = { name: "Tin Boat", symbol: "TIN", image_uri: image, website: "https://tinboat.example/" };
    const { id } = await client().createIntent({ ...intent, chain_id: stack.manifest.chain_id as 46630, recipients });
    const initial_buy = { amount_in: parseEther("0.01").toString(), slippage_bps: 100 };
    await client().putIntentOptions({ id, initial_buy, links: { x: "https://x.com/tin" } });
    draft = await client().getIntent({ id });

    let deployed: string | null = null;
    let stopped = "";
    const launch = () =>
      launchToken(client(), wallet, id, {
        sleep,
        accept: (result, asked) =>
          accept(
            asked.operation === "prepareLaunch" ? { ...asked, draft, provenSplitter: deployed } : { ...asked, draft },
          )(result),
      });
    // A process that ends after a step was sent, and one that ends after a step was mined.
    for (const state of ["sent", "confirmed"]) {
      for await (const step of launch()) {
        stopped = step.state;
        if (step.state === "confirmed") deployed ??= step.receipt.contractAddress;
        if (step.state === state) break;
      }
      expect(stopped).toBe(state);
      deployed ??= (await client().getIntentProgress({ id })).splitters.at(-1)?.address ?? null;
    }
    const steps = await Array.fromAsync(launch());
    const launched = steps.at(-1)!;
    expect(launched.state).toBe("launched");
    token = (launched as { token: string }).token;
    await indexed(client(), token);
    expect(await Array.fromAsync(launch())).toEqual([launched]);
    const { splitters, launches } = await client().getIntentProgress({ id });
    expect([splitters.length, launches.length]).toEqual([1, 1]);
    expect(launches[0]!.token).toBe(token);
  });

  it("C10-84 launches a token whose address ends with the wanted digits, and no other token", async () => {
    const wallet = ethersWallet(trader.wallet);
    const intent = { name: "Vane", symbol: "VANE", image_uri: image, website: "https://vane.example/" };
    const recipients = [{ provider: "wallet" as const, wallet: wallet.address, share_bps: 10_000 }];
    const { id } = await client().createIntent({ ...intent, chain_id: stack.manifest.chain_id as 46630, recipients });
    const reviewed = await client().getIntent({ id });
    let provenSplitter: string | null = null;
    const progress: number[] = [];
    const launch = (suffix: string, from = client()) =>
      launchToken(from, wallet, id, {
        sleep,
        vanity: { suffix, manifest: trust.manifest, onProgress: (tried) => progress.push(tried) },
        accept: async (result, asked) => {
          provenSplitter ??= (await client().getIntentProgress({ id })).splitters.at(-1)?.address ?? null;
          return accept(
            asked.operation === "prepareLaunch"
              ? { ...asked, draft: reviewed, provenSplitter }
              : { ...asked, draft: reviewed },
          )(result);
        },
      });
    await expect(Array.fromAsync(launch("0xab"))).rejects.toThrow("1 to 8 hex digits");
    expect((await client().getIntentProgress({ id })).splitters).toEqual([]);
    // A service that lets the search run for another launch than the one to sign.
    const stranger = "0x000000000000000000000000000000000000dEaD";
    let asked = 0;
    const deceiving = {
      ...client(),
      prepareLaunch: async (request: Parameters<ReturnType<typeof client>["prepareLaunch"]>[0]) => {
        const result = await client().prepareLaunch(request);
        const { transaction } = result;
        return asked++ > 0 ? result : { ...result, transaction: { ...transaction!, from: stranger } };
      },
    };
    await expect(Array.fromAsync(launch("C0d", deceiving))).rejects.toThrow(
      "another token than the one with the suffix",
    );
    expect((await client().getIntentProgress({ id })).launches).toEqual([]);
    const launched = (await Array.fromAsync(launch("C0d"))).at(-1) as { token: string };
    expect(launched.token.toLowerCase()).toMatch(/c0d$/);
    expect(progress.length).toBeGreaterThan(0);
    // Another run finds the indexed launch and searches nothing.
    await indexed(client(), launched.token);
    expect((await Array.fromAsync(launch("ffffffff"))).at(-1)).toEqual(launched);
  });

  it("C10-81 trades with ethers: after an interruption the chain's allowance decides", async () => {
    await trader.wrap(stack.manifest.wrapped_native.address, parseEther("1"));
    const wallet = ethersWallet(trader.wallet);
    const amount_in = parseEther("0.2").toString();
    const request = { token, wallet: trader.address, side: "buy" as const, amount_in, slippage_bps: 300 };
    const options = { sleep, accept: accept({ operation: "prepareTrade", request }) };
    const buy = () => runSteps(() => client().prepareTrade(request), wallet, options);
    const actions: string[] = [];
    for await (const step of buy()) {
      if (step.state !== "confirmed") continue;
      actions.push(step.result.action);
      break;
    }
    for await (const step of buy()) if (step.state === "confirmed") actions.push(step.result.action);
    expect(actions).toEqual(["approve", "swap"]);
  });

  it("claims all stages with a provider of EIP-1193, once", async () => {
    const { walletClient, publicClient } = openViem(0);
    const provider: Eip1193Provider = {
      request: async ({ method, params = [] }) => {
        if (method !== "eth_sendTransaction") return await publicClient.request({ method, params } as never);
        const { to, data, value, gas, chainId } = params[0] as Record<string, Hex>;
        expect(Number(chainId)).toBe(stack.manifest.chain_id);
        const quantities = { value: BigInt(value!), gas: BigInt(gas!) };
        return await walletClient.sendTransaction({ chain: null, to: to!, data: data!, ...quantities });
      },
    };
    const address = walletClient.account.address;
    const wallet = eip1193Wallet(provider, address, { sleep });
    const claim = async () => {
      const confirmed: string[] = [];
      const { splitter } = await client().getFeePositions({ token, wallet: address });
      const splitters = [splitter];
      const verified = {
        sleep,
        accept: (result: UnsignedResult, asked: FeeClaim) => accept({ ...asked, splitters })(result),
      };
      for await (const step of claimFees(client(), wallet, token, verified))
        if (step.state === "confirmed") confirmed.push(step.result.action);
      return confirmed;
    };
    expect(await claim()).toEqual(["collect", "settle", "release"]);
    expect(await claim()).toEqual([]);
    const { balances } = await client().getFeePositions({ token, wallet: address });
    expect(balances.some(({ claimed }) => BigInt(claimed) > 0n)).toBe(true);
  });

  it("C10-82 verifies every kind of prepared result, and refuses it for another order", async () => {
    const creator = stack.wallets[0]!.address;
    const [recipient, stranger] = [stack.wallets[3]!.address, stack.wallets[4]!.address];
    const amount = parseEther("0.05").toString();
    const shared = { token, wallet: trader.address };
    const trades = [
      { ...shared, side: "buy", pay: "native", amount_in: amount, slippage_bps: 100 },
      { ...shared, side: "buy", amount_in: parseEther("0.4").toString(), slippage_bps: 100, recipient },
      { ...shared, side: "sell", receive: "native", amount_in: parseEther("1000").toString(), slippage_bps: 50 },
      { ...shared, side: "buy", pay: "native", amount_out: parseEther("1000").toString(), maximum_in: amount },
      { ...shared, side: "sell", amount_out: "100000000", maximum_in: parseEther("5000").toString() },
    ] as const;
    for (const request of trades) {
      const result = verify({ operation: "prepareTradeCalls", request }, await client().prepareTradeCalls(request));
      const other = { ...request, token: stranger };
      expect(() => requireVerified(result, { operation: "prepareTradeCalls", request: other }, trust)).toThrow();
      const dear = { operation: "prepareTradeCalls", request, minimumOut: 10n ** 40n } as const;
      expect(() => requireVerified(result, dear, trust)).toThrow("minimum_accepted");
      const typed = result.permit_typed_data;
      if (typed === null) continue;
      const { EIP712Domain: _, ...types } = typed.types;
      const signature = await trader.wallet.signTypedData(typed.domain, types, typed.message);
      const signed = { ...request, permit: { deadline: Number(typed.message.deadline), signature } };
      verify({ operation: "prepareTradeCalls", request: signed }, await client().prepareTradeCalls(signed));
    }

    const buyMore = { ...trades[0], amount_in: parseEther("0.3").toString() };
    await trader.send(
      verify({ operation: "prepareTradeCalls", request: buyMore }, await client().prepareTradeCalls(buyMore)),
    );
    const { splitter } = await client().getFeePositions({ token, wallet: creator });
    for (const unwrap of [false, true]) {
      const request = { wallet: creator, tokens: [token], unwrap };
      const result = verify(
        { operation: "prepareClaimCalls", request, splitters: [splitter] },
        await client().prepareClaimCalls(request),
      );
      const other = { ...request, wallet: stranger };
      expect(() => requireVerified(result, { operation: "prepareClaimCalls", request: other }, trust)).toThrow();
    }
    const payout = { token, wallet: creator, payout: recipient };
    verify({ operation: "preparePayout", request: payout, splitter }, await client().preparePayout(payout));
  });

  it("C10-82 verifies launches as a batch, and what a creator signs", async () => {
    const creator = stack.wallets[0]!.address;
    const intent = { name: "Tin Raft", symbol: "RAFT", image_uri: image, chain_id: stack.manifest.chain_id as 46630 };
    const recipients = [{ provider: "wallet" as const, wallet: creator, share_bps: 10_000 }];
    const { id } = await client().createIntent({ ...intent, description: "A raft.", recipients });
    const request = { intent_id: id, wallet: trader.address, splitter: null, salt: `0x${"5a".repeat(32)}` };
    const own = await client().getIntent({ id });
    verify({ operation: "prepareLaunchCalls", request, draft: own }, await client().prepareLaunchCalls(request));

    await client().putIntentOptions({ id, creator, initial_buy: { amount_in: "1000000000000000", slippage_bps: 100 } });
    const signed = await client().getIntent({ id });
    const offer = verify(
      { operation: "prepareLaunchCalls", request, draft: signed },
      await client().prepareLaunchCalls(request),
    );
    const { EIP712Domain: _, ...types } = offer.typed_data!.types;
    const { domain, message } = offer.typed_data!;
    const signer = openSigner(stack.rpcUrl, stack.manifest.chain_id, stack.wallets[0]!.privateKey);
    const signature = await signer.wallet.signTypedData(domain, types, message);
    signer.close();
    const authorization = { deadline: Number(message.deadline), epoch: Number(message.epoch), signature };
    const authorized = { ...request, authorization };
    verify(
      { operation: "prepareLaunchCalls", request: authorized, draft: signed },
      await client().prepareLaunchCalls(authorized),
    );
    const day = 86_400;
    const cliff = Math.floor(Date.now() / 1_000) + day;
    const initial_buy = { amount_in: "1000000000000000", slippage_bps: 100, vesting: { cliff, end: cliff + day } };
    await client().putIntentOptions({ id, initial_buy });
    const vested = await client().getIntent({ id });
    verify({ operation: "prepareLaunchCalls", request, draft: vested }, await client().prepareLaunchCalls(request));
    const creation = { intent_id: id, wallet: trader.address };
    verify({ operation: "prepareVesting", request: creation, draft: vested }, await client().prepareVesting(creation));

    const cancelling = { wallet: creator };
    verify(
      { operation: "prepareLaunchCancellation", request: cancelling },
      await client().prepareLaunchCancellation(cancelling),
    );
  });

  it("C10-83 refuses every result that differs in one field from a prepared one", () => {
    const accepted: string[] = [];
    const paths = new Set<string>();
    for (const { order, result } of recorded) {
      // The results are older than a minute on a slow machine.
      const now = result.expires_at - 30;
      expect(verifyPrepared(result, order, trust, now)).toMatchObject({ ok: true });
      for (const { path, result: tampered } of tamper(order, result)) {
        paths.add(`${order.operation} ${path}`);
        if (isAccepted(tampered, order, now)) accepted.push(`${order.operation} ${path}`);
      }
    }
    expect(accepted).toEqual([]);
    expect(paths.size).toBeGreaterThan(60);
    expect(paths).toContain("prepareTradeCalls calls.0.data deadline");
  });

  /** A result whose fields have the wrong form makes the verification throw, which is a refusal. */
  function isAccepted(result: PreparedForOrder, order: Order, now: number): boolean {
    try {
      return verifyPrepared(result, order, trust, now).ok;
    } catch {
      return false;
    }
  }
});
