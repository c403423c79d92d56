import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { draftSplitterSalt, encodeCreateSplitter, encodeSplitterClone } from "@slipway/protocol/splitter";
import { sendableCalls } from "@slipway/sdk/sendable";
import { concatHex, encodeAbiParameters, encodeDeployData, type Hex, pad } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomSalt, sendRaw, sendWithViem, storeDraft, wallets } from "../support/security/actors.ts";
import { createContractWallet, createSequentialWallet } from "../support/security/batchWallets.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, attacker, other, hostile] = wallets as [Wallet, Wallet, Wallet, Wallet];
const recipients = [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }];
const right = [{ payee: creator.address, shareBps: 10_000 }];

let stack: TestStack;
let proxy: RpcProxy;
let behind: Server;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
  proxy = await startRpcProxy(stack.chain.rpcUrl);
  behind = await stack.openServer({ RPC_URL: proxy.url });
});
afterAll(async () => {
  await behind?.close();
  await proxy?.close();
  await stack?.close();
});

const rpc = <T>(method: string, params: unknown[]) => rpcRequest<T>(stack.chain.rpcUrl, method, params);
const getFactory = () => stack.manifest.current.splitter_factory.address as Hex;
const newRequest = async (wallet: string = creator.address) => ({
  intent_id: await storeDraft(stack, { recipients }),
  wallet,
  splitter: null as string | null,
  salt: randomSalt(),
});
const ask = (body: object, server: Pick<Server, "call"> = stack) => server.call("POST", "/launch/calls", body);
const make = (salt: Hex, allocations = right) =>
  sendRaw(stack, attacker, { to: getFactory(), data: encodeCreateSplitter(allocations, salt) });

describe("C7-44", () => {
  test("C7-44 a batch still launches where a stranger makes the splitter in front of it", async () => {
    const sequential = createSequentialWallet(stack, creator);
    for (const wallet of [await createContractWallet(stack, other), sequential]) {
      const request = await newRequest(wallet.address);
      const { body } = await ask(request);
      expect(body.calls).toHaveLength(2);
      await make(draftSplitterSalt(request.intent_id));
      const batch = sendableCalls(body, wallet.address)!;
      const receipts = await (wallet === sequential ? sequential.sendOneByOne(batch) : wallet.sendCalls(batch));
      for (const { status } of receipts) expect(status).toBe("success");
      expect(await rpc("eth_getCode", [body.expected.token, "latest"])).not.toBe("0x");
    }
  });

  test("C7-44 once a stranger has made the splitter the answer has the launch alone, to the same token", async () => {
    const request = await newRequest();
    const before = await ask(request);
    await make(draftSplitterSalt(request.intent_id));
    const after = await ask(request);
    expect(after.body.expected).toEqual(before.body.expected);
    expect(after.body.calls).toEqual([before.body.calls[1]]);
    expect((await sendWithViem(stack, after, creator)).status).toBe("success");
  });

  test("C7-44 a splitter that a stranger makes with other payees, or for another draft, is none of the draft's", async () => {
    const request = await newRequest();
    const before = await ask(request);
    await make(draftSplitterSalt(request.intent_id), [{ payee: attacker.address, shareBps: 10_000 }]);
    await make(draftSplitterSalt(crypto.randomUUID()));
    const after = await ask(request);
    expect([after.body.calls, after.body.expected]).toEqual([before.body.calls, before.body.expected]);
  });

  test("C7-44 the address of a splitter that is not made yet is no splitter that a caller can name", async () => {
    const request = await newRequest();
    const { splitter } = (await ask(request)).body.expected;
    const named = await ask({ ...request, splitter });
    expect([named.status, named.body.error.code, named.body.calls]).toEqual([422, "splitter_not_deployed", undefined]);
  });

  test("C7-44 other code at the splitter's address, or the right code without the factory's record, yields nothing", async () => {
    const request = await newRequest();
    const { splitter } = (await ask(request)).body.expected;
    const implementation = stack.manifest.current.splitter_implementation.address as Hex;
    for (const code of [encodeSplitterClone(implementation, right), "0x60006000fd"]) {
      await rpc("anvil_setCode", [splitter, code]);
      await rpc("evm_mine", []);
      const answer = await ask(request);
      expect([answer.status, answer.body.error.code]).toEqual([503, "manifest_unverified"]);
    }
    await rpc("anvil_setCode", [splitter, "0x"]);
    await rpc("evm_mine", []);
    expect((await ask(request)).status).toBe(200);
  });

  test("C7-44 a record of the splitter that the head's block does not have yields nothing", async () => {
    const request = await newRequest();
    const yes = { result: pad("0x01", { size: 32 }) };
    proxy.answerWith(({ method, params = [] }) => {
      const [call, block] = params as [{ to?: string; input?: string }, string];
      const isRecord = method === "eth_call" && call.to === getFactory() && call.input?.startsWith("0xa4c597d1");
      return isRecord && block === "latest" ? yes : undefined;
    });
    const answer = await ask(request, behind);
    expect([answer.status, answer.body.error?.code]).toEqual([503, "chain_unavailable"]);
    proxy.answerWith(() => undefined);
  });

  test("C7-44 a simulation that makes another splitter, token, or digest than was predicted yields nothing", async () => {
    const request = await newRequest();
    const { token, pool, splitter } = (await ask(request)).body.expected;
    const word = (value: string) => pad(value as Hex, { size: 32 });
    const launched = (by: string) =>
      encodeAbiParameters([{ type: "address" }, { type: "address" }, { type: "uint256" }], [by as Hex, pool, 0n]);
    const simulate = (...returned: Hex[]) =>
      proxy.answerWith(({ method }) => {
        const calls = returned.map((returnData) => ({ status: "0x1", returnData, gasUsed: "0x5208", logs: [] }));
        return method === "eth_simulateV1" ? { result: [{ calls }] } : undefined;
      });
    const expectNothing = async (body: object) => {
      const answer = await ask(body, behind);
      expect([answer.status, answer.body.error?.code]).toEqual([503, "manifest_unverified"]);
    };
    simulate(word(splitter), launched(token));
    expect((await ask(request, behind)).status).toBe(200);
    simulate(word(attacker.address), launched(token));
    await expectNothing(request);
    simulate(word(splitter), launched(attacker.address));
    await expectNothing(request);
    const options = { creator: request.wallet };
    await stack.call("PUT", `/intents/${request.intent_id}/options`, options);
    simulate(word(splitter), launched(token), word("0x01"), word("0x00"));
    await expectNothing({ ...request, wallet: other.address });
    proxy.answerWith(() => undefined);
  });
});

describe("C7-46", () => {
  test("C7-46 a wallet that delegates to hostile code (EIP-7702) gets the calls of any other, and its code is never called", async () => {
    const request = await newRequest(hostile.address);
    const plain = await ask(request);
    const { abi, bytecode } = compileAttacker("HostileWallet");
    for (const kind of [0, 1, 2, 3]) {
      const data = encodeDeployData({ abi, bytecode, args: [kind, stack.manifest.current.launch_factory.address] });
      const { contractAddress } = await sendRaw(stack, attacker, { data });
      await rpc("anvil_setCode", [hostile.address, concatHex(["0xef0100", contractAddress!])]);
      const delegated = await ask(request);
      expect(delegated.body.calls).toEqual(plain.body.calls);
      expect(delegated.body.simulation.asset_changes).toEqual(plain.body.simulation.asset_changes);
    }
    const receipts = await createSequentialWallet(stack, hostile).sendOneByOne(plain.body);
    expect(receipts.map(({ status }) => status)).toEqual(["success", "success"]);
    await rpc("anvil_setCode", [hostile.address, "0x"]);
  });
});
