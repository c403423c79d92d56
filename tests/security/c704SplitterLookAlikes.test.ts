import { readFileSync } from "node:fs";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import {
  type Allocation,
  draftSplitterSalt,
  encodeCreateSplitter,
  encodeSplitterClone,
  splitterCreationInput,
} from "@slipway/protocol/splitter";
import {
  concatHex,
  decodeEventLog,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  size,
  toHex,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Recipients, randomSalt, sendRaw, sendWithViem, storeDraft, wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, partner, attacker] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const recipients: Recipients = [
  { provider: "wallet", wallet: creator.address, share_bps: 4_000 },
  { provider: "social", handle: "partner", wallet: partner.address, share_bps: 6_000 },
];
const types = [{ type: "address[]" }, { type: "uint16[]" }] as const;
const toAllocations = (payees: Hex[], shares: number[]): Allocation[] =>
  payees.map((payee, i) => ({ payee, shareBps: shares[i]! }));
const right = toAllocations([creator.address, partner.address], [4_000, 6_000]);
const rightEvent = encodeAbiParameters(types, [right.map(({ payee }) => payee), right.map(({ shareBps }) => shareBps)]);
const splitterFactory = JSON.parse(
  readFileSync(new URL("../../contracts/artifacts/SplitterFactory.json", import.meta.url), "utf8"),
) as { bytecode: Hex };

const getImplementation = () => stack.manifest.current.splitter_implementation.address as Hex;
const getFactory = () => stack.manifest.current.splitter_factory.address as Hex;
const read = async (method: string, params: unknown[]) => (await stack.deps.chain.request({ method, params })) as Hex;

let stack: TestStack;
let intentId: string;
beforeAll(async () => {
  stack = await startTestStack();
  intentId = await storeDraft(stack, { recipients });
});
afterAll(async () => {
  await stack?.close();
});

async function launchWith(splitter: string): Promise<{ status: number; code: string | undefined; message: string }> {
  const body = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
  const answer = await stack.call("POST", "/launch/transactions", body);
  return { status: answer.status, code: answer.body.error?.code, message: answer.body.error?.message ?? "" };
}

async function create(code: Hex): Promise<Hex> {
  const receipt = await sendRaw(stack, attacker, { data: code });
  expect(receipt.status).toBe("success");
  return receipt.contractAddress!;
}

const refused = (message: RegExp) => ({
  status: 422,
  code: "splitter_mismatch",
  message: expect.stringMatching(message),
});

describe("C7-04", () => {
  test("C7-04 accepts the splitter that the service prepared, and one that anybody made of the same bytes", async () => {
    const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
    const receipt = await sendWithViem(stack, split, creator);
    expect(receipt.contractAddress?.toLowerCase()).toBe(split.body.expected.splitter.toLowerCase());
    expect((await launchWith(split.body.expected.splitter)).status).toBe(200);
    expect((await launchWith(await create(splitterCreationInput(getImplementation(), right)))).status).toBe(200);
  });

  test("C7-04 answers splitter_not_deployed where there is nothing yet", async () => {
    const found = await launchWith("0x00000000000000000000000000000000000Abc01");
    expect(found).toMatchObject({ status: 422, code: "splitter_not_deployed" });
  });

  test("C7-04 refuses a wallet, a token, and the service's own contracts as splitters", async () => {
    const { manifest } = stack;
    for (const address of [manifest.wrapped_native.address, manifest.current.fee_locker.address]) {
      expect(await launchWith(address)).toMatchObject({ status: 422, code: "splitter_mismatch" });
    }
    expect(await launchWith(attacker.address)).toMatchObject({ status: 422, code: "splitter_not_deployed" });
  });

  test("C7-04 refuses a contract whose views and events are right but which pays the attacker", async () => {
    const { abi, bytecode } = compileAttacker("LookAlikeSplitter");
    const args = [
      [creator.address, partner.address],
      [4_000, 6_000],
    ];
    const splitter = await create(encodeDeployData({ abi, bytecode, args }));
    expect(await launchWith(splitter)).toEqual(refused(/runtime code is not the pinned one/));
  });

  test("C7-04 refuses the right runtime code that was born with poisoned storage", async () => {
    const splitter = await createPoisoned();
    expect(await read("eth_getCode", [splitter, "latest"])).toBe(encodeSplitterClone(getImplementation(), right));
    expect(await launchWith(splitter)).toEqual(refused(/not created by the pinned creation code/));
  });

  test("C7-04 refuses the genuine code when a contract created it", async () => {
    const splitter = await createByContract(splitterCreationInput(getImplementation(), right));
    expect(await launchWith(splitter)).toEqual(refused(/plain creation transaction/));
  });
});

describe("C7-30 to C7-33", () => {
  test("C7-30 refuses the splitter of another genuine factory, whose implementation is another one", async () => {
    const args = encodeAbiParameters([{ type: "address" }], [stack.manifest.wrapped_native.address as Hex]);
    const other = await create(concatHex([splitterFactory.bytecode, args]));
    const { logs } = await sendRaw(stack, attacker, { to: other, data: encodeCreateSplitter(right, randomSalt()) });
    const { splitter } = decodeEventLog({
      abi: splitterFactoryAbi,
      eventName: "SplitterCreated",
      data: logs[0]!.data,
      topics: logs[0]!.topics,
    }).args as unknown as { splitter: Hex };
    expect(await launchWith(splitter)).toEqual(refused(/runtime code is not the pinned one/));
    const own = await create(splitterCreationInput(getContractAddress({ from: other, nonce: 1n }), right));
    expect(await launchWith(own)).toEqual(refused(/runtime code is not the pinned one/));
  });

  test.each([
    ["a byte", () => "0x00"],
    ["an entry", () => concatHex([attacker.address, "0x0001"])],
    ["an entry of no share", () => concatHex([attacker.address, "0x0000"])],
  ] as [string, () => Hex][])("C7-31 refuses a clone with %s behind its entries", async (_, more) => {
    const splitter = await create(concatHex([splitterCreationInput(getImplementation(), right), more()]));
    expect(await launchWith(splitter)).toEqual(refused(/runtime code is not the pinned one/));
  });

  test("C7-32 refuses a clone that a stranger's contract made, with the storage that it wrote", async () => {
    const runtime = encodeSplitterClone(getImplementation(), right);
    const splitter = await createByContract(toPoisonedCreationCode(runtime, getPaidSlot(), "0x"));
    expect(await read("eth_getCode", [splitter, "latest"])).toBe(runtime);
    expect(await launchWith(splitter)).toEqual(refused(/its creation is not on the chain/));
  });

  test("C7-32 a poisoned clone that is launched elsewhere is listed unproven, and never released from", async () => {
    const splitter = await createPoisoned();
    const token = launchedToken(await sendLaunch(stack, attacker, splitter, {}));
    const query =
      "select proven from chain.tokens t join chain.splitters s on s.address = t.splitter where t.address = $1";
    await expect
      .poll(async () => (await stack.deps.db.read.query(query, [token.toLowerCase()])).rows)
      .toEqual([{ proven: false }]);
    const claim = { token, wallet: attacker.address, stage: "release", recipient: partner.address };
    const answer = await stack.call("POST", "/fees/claim-transactions", claim);
    expect([answer.status, answer.body.error.code]).toEqual([422, "splitter_mismatch"]);
  });

  test("C7-33 who makes a draft's factory splitter first changes nothing, and it is offered with nothing to do", async () => {
    const body = { intent_id: intentId, wallet: creator.address, method: "factory" };
    const before = await stack.call("POST", "/splits/transactions", body);
    expect(before.body).toMatchObject({ status: "ready", transaction: { to: getFactory() } });
    expect(before.body.expected.account_nonce).toBeUndefined();
    await sendRaw(stack, attacker, {
      to: getFactory(),
      data: encodeCreateSplitter(right, draftSplitterSalt(intentId)),
    });
    const { splitter } = before.body.expected;
    // The prepared transaction still succeeds: the factory is idempotent.
    expect((await sendWithViem(stack, before, creator)).status).toBe("success");
    const after = await stack.call("POST", "/splits/transactions", body);
    expect(after.body).toMatchObject({ status: "nothing_to_do", transaction: null, expected: { splitter } });
    expect((await launchWith(splitter)).status).toBe(200);
  });

  test("C7-33 a factory splitter of another draft with equal recipients is another one, of the same shares", async () => {
    const other = await storeDraft(stack, { recipients });
    const ask = (intent_id: string) =>
      stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address, method: "factory" });
    const [first, second] = await Promise.all([ask(intentId), ask(other)]);
    expect(first.body.expected.splitter).not.toBe(second.body.expected.splitter);
  });

  test("C7-33 a wallet with code gets the factory, and a contract is refused a creation transaction", async () => {
    const other = await storeDraft(stack, { recipients });
    const ask = (wallet: string, method?: string) =>
      stack.call("POST", "/splits/transactions", { intent_id: other, wallet, ...(method ? { method } : {}) });
    const contract = stack.manifest.wrapped_native.address;
    expect((await ask(contract)).body).toMatchObject({ status: "ready", transaction: { to: getFactory() } });
    const refusal = await ask(contract, "creation");
    expect([refusal.status, refusal.body.error]).toEqual([
      422,
      expect.objectContaining({ code: "invalid_fields", field: "method" }),
    ]);
    // Delegated by EIP-7702: by default the factory, on request its own creation transaction.
    const delegated = wallets[6]!.address;
    await read("anvil_setCode", [delegated, concatHex(["0xef0100", contract as Hex])]);
    expect((await ask(delegated)).body.transaction.to).toBe(getFactory());
    const created = await ask(delegated, "creation");
    expect([created.status, created.body.transaction.to]).toEqual([200, undefined]);
    await read("anvil_setCode", [delegated, "0x"]);
  });
});

describe("C7-05", () => {
  test.each([
    ["the other order", [partner.address, creator.address], [6_000, 4_000]],
    ["other shares", [creator.address, partner.address], [4_001, 5_999]],
    ["another wallet", [creator.address, attacker.address], [4_000, 6_000]],
    ["one recipient more", [creator.address, partner.address, attacker.address], [4_000, 5_999, 1]],
    ["one recipient less", [creator.address], [10_000]],
  ] as [string, Hex[], number[]][])("C7-05 refuses a splitter with %s", async (_, payees, shares) => {
    const splitter = await create(splitterCreationInput(getImplementation(), toAllocations(payees, shares)));
    expect(await launchWith(splitter)).toEqual(refused(/not exactly the draft's recipients/));
  });

  test.each([
    ["an extra zero share", [creator.address, partner.address, attacker.address], [4_000, 6_000, 0]],
    ["9,999 bp", [creator.address, partner.address], [4_000, 5_999]],
  ] as [string, Hex[], number[]][])(
    "C7-05 refuses a clone with %s, which no launch accepts",
    async (_, payees, shares) => {
      const splitter = await create(splitterCreationInput(getImplementation(), toAllocations(payees, shares)));
      expect(await launchWith(splitter)).toEqual(refused(/runtime code is not the pinned one/));
      expect((await sendLaunch(stack, attacker, splitter, {})).status).toBe("reverted");
      const { abi, bytecode } = compileAttacker("LookAlikeSplitter");
      const lookAlike = await create(encodeDeployData({ abi, bytecode, args: [payees, shares] }));
      expect(await launchWith(lookAlike)).toMatchObject({ status: 422, code: "splitter_mismatch" });
    },
  );

  test("C7-05 the handle decides nothing: the same handle with another wallet is another splitter", async () => {
    const theirs = [{ ...recipients[0]! }, { ...recipients[1]!, wallet: attacker.address }];
    const other = await storeDraft(stack, { recipients: theirs });
    const split = await stack.call("POST", "/splits/transactions", { intent_id: other, wallet: attacker.address });
    expect(split.body.warnings).toContainEqual(expect.objectContaining({ code: "unverified_handle" }));
    await sendWithViem(stack, split, attacker);
    expect(await launchWith(split.body.expected.splitter)).toEqual(refused(/not exactly the draft's recipients/));
  });
});

/** Deploys the right runtime code by a separate transaction, with the right event and poisoned storage. */
async function createPoisoned(): Promise<Hex> {
  const slot = getPaidSlot();
  const splitter = await create(
    toPoisonedCreationCode(encodeSplitterClone(getImplementation(), right), slot, rightEvent),
  );
  const abi = feeSplitterAbi;
  const args = [stack.manifest.wrapped_native.address as Hex, creator.address] as const;
  const data = encodeFunctionData({ abi, functionName: "released", args });
  expect(BigInt(await read("eth_call", [{ to: splitter, input: data }, "latest"]))).toBe(paid);
  return splitter;
}

/** Deploys creation code through a contract. */
async function createByContract(code: Hex): Promise<Hex> {
  const { abi, bytecode } = compileAttacker("Deployer");
  const deployer = await create(bytecode);
  const data = encodeFunctionData({ abi, functionName: "create", args: [code] });
  const receipt = await sendRaw(stack, attacker, { to: deployer, data });
  const log = receipt.logs.find(({ address }) => address.toLowerCase() === deployer.toLowerCase())!;
  return (decodeEventLog({ abi, data: log.data, topics: log.topics }) as unknown as { args: { created: Hex } }).args
    .created;
}

const paid = 10n ** 30n;

/**
 * The slot of _released[weth][0] and [1]: the total released to all payees in the lower half, to the first payee in the
 * upper.
 */
function getPaidSlot(): Hex {
  const weth = stack.manifest.wrapped_native.address as Hex;
  return keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [weth, 0n]));
}

/**
 * Returns creation code that writes one storage word, logs SplitterCreated with `event`, or nothing, and returns
 * `runtime`.
 */
function toPoisonedCreationCode(runtime: Hex, slot: Hex, event: Hex): Hex {
  const topic = keccak256(toHex("SplitterCreated(address[],uint16[])"));
  const push = (value: bigint) => concatHex(["0x63", numberToHex(value, { size: 4 })]);
  const copy = (length: bigint, from: bigint) => concatHex([push(length), push(from), "0x6000", "0x39"]);
  const build = (codeStart: bigint) => {
    const dataStart = codeStart + BigInt(size(runtime));
    const store = concatHex(["0x7f", numberToHex(paid << 128n, { size: 32 }), "0x7f", slot, "0x55"]);
    const log = concatHex(["0x7f", topic, push(BigInt(size(event))), "0x6000", "0xa1"]);
    const finish = concatHex([push(BigInt(size(runtime))), "0x6000", "0xf3"]);
    const loadLog = copy(BigInt(size(event)), dataStart);
    const loadCode = copy(BigInt(size(runtime)), codeStart);
    return concatHex([store, ...(event === "0x" ? [] : [loadLog, log]), loadCode, finish]);
  };
  return concatHex([build(BigInt(size(build(0n)))), runtime, event]);
}
