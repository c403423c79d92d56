import { readFileSync } from "node:fs";
import {
  concatHex,
  decodeEventLog,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  size,
  toHex,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Recipients, randomSalt, sendRaw, sendWithViem, storeDraft, wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, partner, attacker] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const recipients: Recipients = [
  { provider: "wallet", wallet: creator.address, share_bps: 4_000 },
  { provider: "social", handle: "partner", wallet: partner.address, share_bps: 6_000 },
];
const genuine = JSON.parse(
  readFileSync(new URL("../../contracts/artifacts/FeeSplitter.json", import.meta.url), "utf8"),
) as { bytecode: Hex };
const types = [{ type: "address[]" }, { type: "uint16[]" }] as const;
const getArguments = (payees: Hex[], shares: number[]) => encodeAbiParameters(types, [payees, shares]);
const right = getArguments([creator.address, partner.address], [4_000, 6_000]);

let stack: TestStack;
let intentId: string;
beforeAll(async () => {
  stack = await startTestStack();
  intentId = await storeDraft(stack, { recipients });
}, 120_000);
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
    expect((await launchWith(await create(concatHex([genuine.bytecode, right])))).status).toBe(200);
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
    expect(await launchWith(splitter)).toEqual(refused(/not born from the pinned creation code/));
  });

  test("C7-04 refuses the right runtime code that was born with poisoned storage", async () => {
    const honest = await create(concatHex([genuine.bytecode, right]));
    const runtime = (await stack.deps.chain.request({ method: "eth_getCode", params: [honest, "latest"] })) as Hex;
    // Marks the partner as paid already: released[weth][partner] in the splitter's second mapping.
    const weth = stack.manifest.wrapped_native.address as Hex;
    const inner = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [weth, 1n]));
    const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [partner.address, inner]));
    const splitter = await create(toPoisonedCreationCode(runtime, slot));
    const code = await stack.deps.chain.request({ method: "eth_getCode", params: [splitter, "latest"] });
    expect(code).toBe(runtime);
    const word = await stack.deps.chain.request({ method: "eth_getStorageAt", params: [splitter, slot, "latest"] });
    expect(BigInt(word as Hex)).toBe(10n ** 30n);
    expect(await launchWith(splitter)).toEqual(refused(/not born from the pinned creation code/));
  });

  test("C7-04 refuses the genuine code when a contract created it", async () => {
    const { abi, bytecode } = compileAttacker("Deployer");
    const deployer = await create(bytecode);
    const data = encodeFunctionData({
      abi,
      functionName: "create",
      args: [concatHex([genuine.bytecode, right])],
    });
    const receipt = await sendRaw(stack, attacker, { to: deployer, data });
    const log = receipt.logs.find(({ address }) => address.toLowerCase() === deployer.toLowerCase())!;
    const { args } = decodeEventLog({ abi, data: log.data, topics: log.topics }) as unknown as {
      args: { created: Hex };
    };
    expect(await launchWith(args.created)).toEqual(refused(/plain creation transaction/));
  });

  test("C7-04 refuses creation code with something behind its arguments", async () => {
    const splitter = await create(concatHex([genuine.bytecode, right, "0x00"]));
    expect(await launchWith(splitter)).toEqual(refused(/not born from the pinned creation code/));
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
    const splitter = await create(concatHex([genuine.bytecode, getArguments(payees, shares)]));
    expect(await launchWith(splitter)).toEqual(refused(/not exactly the draft's recipients/));
  });

  test.each([
    ["an extra zero share", [creator.address, partner.address, attacker.address], [4_000, 6_000, 0]],
    ["9,999 bp", [creator.address, partner.address], [4_000, 5_999]],
  ] as [string, Hex[], number[]][])(
    "C7-05 refuses a look-alike with %s, which the genuine code cannot hold",
    async (_, payees, shares) => {
      const receipt = await sendRaw(stack, attacker, {
        data: concatHex([genuine.bytecode, getArguments(payees, shares)]),
      });
      expect(receipt.status).toBe("reverted");
      const { abi, bytecode } = compileAttacker("LookAlikeSplitter");
      const splitter = await create(encodeDeployData({ abi, bytecode, args: [payees, shares] }));
      expect(await launchWith(splitter)).toMatchObject({ status: 422, code: "splitter_mismatch" });
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

/** Creation code that writes one storage word, logs SplitterCreated with the right allocations, and returns `runtime`. */
function toPoisonedCreationCode(runtime: Hex, slot: Hex): Hex {
  const topic = keccak256(toHex("SplitterCreated(address[],uint16[])"));
  const logData = right;
  const push = (value: bigint) => concatHex(["0x63", numberToHex(value, { size: 4 })]);
  const copy = (length: bigint, from: bigint) => concatHex([push(length), push(from), "0x6000", "0x39"]);
  const build = (codeStart: bigint) => {
    const dataStart = codeStart + BigInt(size(runtime));
    const store = concatHex(["0x7f", numberToHex(10n ** 30n, { size: 32 }), "0x7f", slot, "0x55"]);
    const log = concatHex(["0x7f", topic, push(BigInt(size(logData))), "0x6000", "0xa1"]);
    const finish = concatHex([push(BigInt(size(runtime))), "0x6000", "0xf3"]);
    const [loadLog, loadCode] = [copy(BigInt(size(logData)), dataStart), copy(BigInt(size(runtime)), codeStart)];
    return concatHex([store, loadLog, log, loadCode, finish]);
  };
  return concatHex([build(BigInt(size(build(0n)))), runtime, logData]);
}
