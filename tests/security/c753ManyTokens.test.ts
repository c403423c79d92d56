import { readManifestFile, writeManifest } from "@slipway/deploy/readManifest";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendWithViem, wallets } from "../support/security/actors.ts";
import { buyWithNative, launchAgain, sendClaim } from "../support/security/claims.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

type Wallet = (typeof wallets)[0];
const [creator, payee, trader] = wallets as [Wallet, Wallet, Wallet];
const recipients = [{ provider: "wallet", wallet: payee.address, share_bps: 10_000 }];
const maxTokens = 20;

let stack: TestStack;
/** Twenty launches of one splitter, and twenty launches of twenty splitters. */
const ofOne: Hex[] = [];
const ofMany: Hex[] = [];
beforeAll(async () => {
  stack = await startTestStack();
  const first = await launchToken(stack, creator, { recipients });
  ofOne.push(first.token);
  while (ofOne.length < maxTokens) ofOne.push(await launchAgain(stack, creator, first));
  while (ofMany.length < maxTokens) ofMany.push((await launchToken(stack, creator, { recipients })).token);
});
afterAll(async () => {
  await stack?.close();
});

const body = (tokens: readonly string[]) => ({ wallet: payee.address, tokens, unwrap: true });
const claim = (tokens: readonly string[]) => stack.call("POST", "/fees/claim-calls", body(tokens));
const codes = (answer: any) => answer.warnings.map(({ code }: any) => code);

describe("C7-53", () => {
  test.each([
    ["one splitter", ofOne, 1],
    ["twenty splitters", ofMany, maxTokens],
  ] as const)(
    "C7-53 twenty tokens of %s are one transaction, prepared in two rounds, and in one again",
    async (_, tokens, splitters) => {
      for (const token of tokens) await buyWithNative(stack, trader, token, 10n ** 16n);
      const proxy = await startRpcProxy(stack.chain.rpcUrl);
      const server = await stack.openServer({ RPC_URL: proxy.url });
      // The first request detects which methods the node supports.
      await server.call("POST", "/fees/claim-calls", body(tokens.slice(1)));
      let answer: any;
      const ask = async (order: readonly string[]) => {
        proxy.reset();
        answer = await server.call("POST", "/fees/claim-calls", body(order));
        return proxy.rounds();
      };
      // No block may come between the reads. Another order is another request.
      let turn = 0;
      await expect.poll(async () => await ask([...tokens.slice(++turn), ...tokens.slice(0, turn)])).toBe(2);
      await expect.poll(async () => await ask(tokens)).toBe(1);
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body.calls.length).toBe(2 * maxTokens + splitters);
      expect(codes(answer.body)).toEqual([]);
      expect(BigInt(answer.body.transaction.gas) <= 2n ** 24n).toBe(true);
      console.info(`C7-53 ${splitters} splitters: ${answer.body.simulation.gas_used} gas`);
      await server.close();
      await proxy.close();
      await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee)]);
      expect((await claim(tokens)).body.status).toBe("nothing_to_do");
    },
  );

  test.each([
    ["one splitter", ofOne, 1],
    ["twenty splitters", ofMany, maxTokens],
  ] as const)("C7-53 without Multicall3 twenty tokens of %s are one batch", async (_, tokens, splitters) => {
    const path = `${stack.manifestPath}.plain`;
    const sha256 = writeManifest(path, { ...readManifestFile(stack.manifestPath).manifest, multicall3: null });
    const server = await stack.openServer({ MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
    for (const token of tokens) await buyWithNative(stack, trader, token, 10n ** 16n);
    const answer = await server.call("POST", "/fees/claim-calls", body(tokens));
    expect(answer).toMatchObject({ status: 200 });
    expect([answer.body.calls.length, codes(answer.body)]).toEqual([2 * maxTokens + splitters, ["calls_only"]]);
    const whole = await claim(tokens);
    expect([answer.body.calls, answer.body.expected]).toEqual([whole.body.calls, whole.body.expected]);
    await sendClaim(stack, whole, async () => [await sendWithViem(stack, whole, payee)]);
    await server.close();
  });

  test("C7-53 a token that is named twice, in any case, is refused, and so is the twenty-first", async () => {
    const [token] = ofOne as [Hex];
    const twice = await claim([token, token.toLowerCase()]);
    expect([twice.status, twice.body.error.code, twice.body.error.field]).toEqual([422, "invalid_fields", "tokens[1]"]);
    const many = await claim([...ofOne, ofMany[0]!]);
    expect([many.status, many.body.error.code, many.body.error.field]).toEqual([422, "invalid_fields", "tokens"]);
  });

  test("C7-53 a claim above the gas of a block is offered call by call", async () => {
    for (const token of ofOne.slice(0, 10)) await buyWithNative(stack, trader, token, 10n ** 16n);
    const whole = await claim(ofOne);
    expect(whole).toMatchObject({ status: 200 });
    const used = BigInt(whole.body.simulation.gas_used);
    expect(whole.body.transaction).not.toBeNull();
    // The gas margin does not fit, but the claim itself does.
    await rpcRequest(stack.chain.rpcUrl, "evm_setBlockGasLimit", [`0x${(used + used / 10n).toString(16)}`]);
    await rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
    const answer = await claim(ofOne);
    expect(answer).toMatchObject({ status: 200 });
    expect([answer.status, answer.body.transaction, codes(answer.body)]).toEqual([200, null, ["calls_only"]]);
    expect(answer.body.warnings[0].message).toMatch(/would take \d+ gas, and \d+ is the most/);
    const fewer = await claim(ofOne.slice(0, 5));
    expect(fewer.body.transaction).not.toBeNull();
    await sendClaim(stack, fewer, async () => [await sendWithViem(stack, fewer, payee)]);
    await rpcRequest(stack.chain.rpcUrl, "evm_setBlockGasLimit", ["0x1c9c380"]);
    await rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
  });
});
