import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { compareTokenNames } from "@slipway/server/features/tokens/compareTokenNames";
import { decodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  launchToken,
  randomSalt,
  sendWithViem,
  storeDraft,
  untilIndexed,
  wallets,
} from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const creator = wallets[0]!;
const character = (codePoint: number) => String.fromCodePoint(codePoint);

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const draftBody = (name: string) => ({
  name,
  symbol: "TIN",
  image_uri: "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
  chain_id: stack.manifest.chain_id,
  recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
});

describe("C4-22 the text of a launch", () => {
  it.each([
    [0x0a, "U+000A LINE FEED"],
    [0x00, "U+0000 NULL"],
    [0x07, "U+0007"],
    [0xd83d, "U+D83D"],
    [0x202e, "U+202E RIGHT-TO-LEFT OVERRIDE"],
    [0x200b, "U+200B ZERO WIDTH SPACE"],
    [0x200d, "U+200D ZERO WIDTH JOINER"],
    [0xfeff, "U+FEFF ZERO WIDTH NO-BREAK SPACE"],
    [0xe0041, "U+E0041"],
  ])("C4-22 a name with the code point %i is refused, and the code point is named", async (codePoint, named) => {
    const { status, body } = await stack.call("POST", "/intents", draftBody(`Tin${character(codePoint)}Boat`));
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "name"]);
    expect(body.error.message).toContain(named);
  });

  it.each([" ", "\u00a0\u3000"])("C4-22 a name of spaces alone (%j) is refused", async (name) => {
    const { status, body } = await stack.call("POST", "/intents", draftBody(name));
    expect([status, body.error.field, body.error.details.reason]).toEqual([422, "name", "empty"]);
  });

  it.each([
    ["  Cafe\u0301 \u00a0 Boat ", "Caf\u00e9 Boat"],
    ["👩\u200d👩\u200d👧 \u{1f6f6}", "👩\u200d👩\u200d👧 \u{1f6f6}"],
  ])("C4-22 the draft of %j says what the launch writes, byte for byte", async (sent, name) => {
    const draft = await stack.call("POST", "/intents", draftBody(sent));
    expect([draft.status, draft.body.intent.name]).toEqual([201, name]);
    const split = await stack.call("POST", "/splits/transactions", {
      intent_id: draft.body.id,
      wallet: creator.address,
    });
    await sendWithViem(stack, split, creator);
    const launch = await stack.call("POST", "/launch/transactions", {
      intent_id: draft.body.id,
      wallet: creator.address,
      splitter: split.body.expected.splitter,
      salt: randomSalt(),
    });
    const { args } = decodeFunctionData({ abi: launchFactoryAbi, data: launch.body.transaction.data as Hex });
    const params = args![0] as { name: string; contractURI: string };
    expect(Buffer.from(params.name)).toEqual(Buffer.from(draft.body.intent.name));
    const document = JSON.parse(Buffer.from(params.contractURI.split(",")[1]!, "base64").toString());
    expect(document).toMatchObject({ name: draft.body.intent.name, image: draft.body.intent.image_uri });
    await sendWithViem(stack, launch, creator);
    await untilIndexed(stack, launch.body.expected.token);
    const { body } = await stack.call("GET", `/tokens/${launch.body.expected.token}`);
    expect(body.name).toBe(draft.body.intent.name);
  });

  it("C4-22 a name that can be confused with an indexed token's has a warning in drafts and in both steps", async () => {
    const { token } = await launchToken(stack, creator, { name: "Copper Kettle", symbol: "KETTLE" });
    const job = compareTokenNames(stack.deps);
    const forged = "С\u043epper Kettle";
    const draft = async () => (await stack.call("POST", "/intents", { ...draftBody(forged), symbol: "FORGED" })).body;
    const expected = [{ code: "confusable_name", message: expect.stringContaining(token) }];
    await expect.poll(async () => (await draft()).warnings).toEqual(expected);
    await job.stop();
    const { id: intent_id } = await draft();
    const split = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
    expect(split.body.warnings).toEqual(expected);
    await sendWithViem(stack, split, creator);
    const { splitter } = split.body.expected;
    const body = { intent_id, wallet: creator.address, splitter, salt: randomSalt() };
    expect((await stack.call("POST", "/launch/transactions", body)).body.warnings).toEqual(expected);
    expect((await stack.call("GET", "/intents")).body.items[0].warnings).toEqual(expected);
    const other = { ...draftBody("Copper Cattle"), symbol: "CATTLE" };
    expect((await stack.call("POST", "/intents", other)).body.warnings).toEqual([]);
    const sameSymbol = { ...other, symbol: "kett1e" };
    expect((await stack.call("POST", "/intents", sameSymbol)).body.warnings).toEqual(expected);
  });

  it.each([
    ["Wrapped Ether", "TIN", "WETH"],
    ["Tin Boat", "weth", "WETH"],
    ["W E T H", "TIN", "WETH"],
    ["Tin Boat", "USDG", "USDG"],
  ])(
    "C7-60 a draft named %j with the symbol %j has a warning about %s, in the draft and in both steps",
    async (name, symbol, asset) => {
      const expected = [{ code: "confusable_name", message: expect.stringContaining(`the official asset ${asset}`) }];
      const draft = await stack.call("POST", "/intents", { ...draftBody(name), symbol });
      expect(draft.body.warnings).toEqual(expected);
      const { id: intent_id } = draft.body;
      const split = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
      expect(split.body.warnings).toEqual(expected);
      await sendWithViem(stack, split, creator);
      const { splitter } = split.body.expected;
      const body = { intent_id, wallet: creator.address, splitter, salt: randomSalt() };
      expect((await stack.call("POST", "/launch/transactions", body)).body.warnings).toEqual(expected);
    },
  );

  it.each([
    ["🅤🅢🅓🅖", "TIN", "USDG"],
    ["U$DC", "TIN", "USDC"],
    ["W\u039eTH", "TIN", "WETH"],
    ["W·E·T·H", "TIN", "WETH"],
    ["🇼🇪🇹🇭", "TIN", "WETH"],
    ["WETH™", "TIN", "WETH"],
    ["WẸTH", "TIN", "WETH"],
    ["Wrapped Ethereum", "TIN", "WETH"],
    ["Tin Boat", "USDC1", "USDC"],
    ["Tin Boat", "U5DC", "USDC"],
  ])("C7-75 a draft named %j with the symbol %j has a warning about %s", async (name, symbol, asset) => {
    const { body } = await stack.call("POST", "/intents", { ...draftBody(name), symbol });
    const message = expect.stringContaining(`the official asset ${asset}`);
    expect(body.warnings).toEqual([{ code: "confusable_name", message }]);
  });

  it("C7-75 a draft with an ordinary name and symbol has no warning", async () => {
    for (const [name, symbol] of [
      ["Tethered Boat", "TIDE"],
      ["Ethereal", "ETHOS"],
      ["C-3PO & Friends!", "METH"],
    ]) {
      const { body } = await stack.call("POST", "/intents", { ...draftBody(name!), symbol });
      expect(body.warnings).toEqual([]);
    }
  });

  it("C4-22 a draft of an earlier version with a name that is refused now is not launched", async () => {
    const intent_id = await storeDraft(stack);
    await stack.deps.db.api.query(
      `update app.intents set intent = jsonb_set(intent, '{name}', to_jsonb($2::text)) where id = $1`,
      [intent_id, "Tin\u202eBoat"],
    );
    for (const [path, more] of [
      ["/splits/transactions", {}],
      ["/launch/transactions", { splitter: creator.address, salt: randomSalt() }],
    ] as const) {
      const { status, body } = await stack.call("POST", path, { intent_id, wallet: creator.address, ...more });
      expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "name"]);
    }
  });
});
