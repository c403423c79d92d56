import type { Wallet } from "@slipway/dev/chain/wallets";
import { launchTokenAbi } from "@slipway/protocol/contracts/launchToken";
import { linkNames } from "@slipway/protocol/launchOptions";
import { launchPosition } from "@slipway/protocol/launchPosition";
import { encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomSalt, sendRaw, sendWithViem, storeDraft, wallets, wrap } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { decodeIndependently } from "../support/security/decodeIndependently.ts";
import { findSalt } from "../support/security/findSalt.ts";
import { type Account, type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, recipient, partner, attacker] = wallets as [Wallet, Wallet, Wallet, Wallet];
const oneEther = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
});

type Draft = { intentId: string; splitter: Hex };
const putOptions = (intentId: string, options: unknown, as?: Account) =>
  stack.call("PUT", `/intents/${intentId}/options`, options, as);

async function prepareDraft(options: object): Promise<Draft> {
  const intentId = await storeDraft(stack);
  const put = await putOptions(intentId, options);
  expect([put.status, put.body.error]).toEqual([200, undefined]);
  const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
  await sendWithViem(stack, split, creator);
  return { intentId, splitter: split.body.expected.splitter };
}

const prepareLaunch = ({ intentId, splitter }: Draft, salt = randomSalt()) =>
  stack.call("POST", "/launch/transactions", { intent_id: intentId, wallet: creator.address, splitter, salt });

/** A launch whose token is on the wanted side of the wrapped native asset. */
async function prepareOnSide(draft: Draft, wantsToken0: boolean): Promise<Answer> {
  const any = await prepareLaunch(draft);
  expect(any.status, JSON.stringify(any.body)).toBe(200);
  const answer = await prepareLaunch(draft, findSalt(stack, any, wantsToken0));
  expect(BigInt(answer.body.expected.token) < BigInt(stack.manifest.wrapped_native.address)).toBe(wantsToken0);
  return answer;
}

const read = (address: string, functionName: "balanceOf" | "contractURI", args: unknown[] = []): Promise<any> =>
  stack.deps.chain.client.readContract({ address: address as Hex, abi: launchTokenAbi, functionName, args } as never);
const getNative = (address: string) => stack.deps.chain.client.getBalance({ address: address as Hex });

describe("C7-35 an initial buy", () => {
  test("C7-35 pays exactly its amount from the wallet, and its tokens to the named recipient alone", async () => {
    const buy = { amount_in: oneEther.toString(), slippage_bps: 300, recipient: recipient.address };
    const draft = await prepareDraft({ initial_buy: buy, partner: partner.address });
    const { launch_factory, fee_locker } = stack.manifest.current;
    const weth = stack.manifest.wrapped_native.address;
    // Tokens that a stranger left at the factory go to nobody.
    await wrap(stack, attacker, oneEther);
    const data = encodeFunctionData({
      abi: launchTokenAbi,
      functionName: "transfer",
      args: [launch_factory.address as Hex, 777n],
    });
    await sendRaw(stack, attacker, { to: weth as Hex, data });

    const answer = await prepareLaunch(draft);
    const { token, amount_out, minimum_out } = answer.body.expected;
    expect(decodeIndependently(answer.body.transaction)).toMatchObject({
      kind: "launch",
      buyRecipient: recipient.address,
      buyMinimumOut: BigInt(minimum_out),
      partner: partner.address,
    });
    expect(BigInt(minimum_out)).toBe((BigInt(amount_out) * 9_700n) / 10_000n);
    const before = await Promise.all([creator, recipient, partner].map(({ address }) => getNative(address)));
    const receipt = await sendWithViem(stack, answer, creator);
    const after = await Promise.all([creator, recipient, partner].map(({ address }) => getNative(address)));
    const gas = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(before.map((balance, index) => balance - after[index]!)).toEqual([oneEther + gas, 0n, 0n]);
    const holders = [creator, recipient, partner, attacker].map(({ address }) => address);
    const balances = await Promise.all(
      [...holders, launch_factory.address].map((holder) => read(token, "balanceOf", [holder])),
    );
    expect(balances).toEqual([0n, BigInt(amount_out), 0n, 0n, 0n]);
    expect(await read(weth, "balanceOf", [launch_factory.address])).toBe(777n);
    expect(await getNative(launch_factory.address)).toBe(0n);
    expect(await read(token, "balanceOf", [fee_locker.address])).toBeLessThan(10n ** 12n);
  });

  test.each(["launch_factory", "fee_locker", "launch_token", "wrapped_native", "precompile", "pool", "token"])(
    "C7-35 is not prepared for a recipient that cannot pass tokens on: %s",
    async (kind) => {
      const launched = await prepareDraft({});
      const earlier = await prepareLaunch(launched);
      await sendWithViem(stack, earlier, creator);
      const { current, wrapped_native, uniswap } = stack.manifest;
      const unfit: Record<string, string> = {
        launch_factory: current.launch_factory.address,
        fee_locker: current.fee_locker.address,
        launch_token: earlier.body.expected.token,
        pool: earlier.body.expected.pool,
        wrapped_native: wrapped_native.address,
        precompile: `0x${"1".padStart(40, "0")}`,
        token: uniswap.router.address,
      };
      const initial_buy = { amount_in: "1000000", slippage_bps: 1, recipient: unfit[kind] };
      const draft = await prepareDraft({ initial_buy });
      const { status, body } = await prepareLaunch(draft);
      expect([status, body.error.code, body.error.field]).toEqual([
        ...[422, "recipient_cannot_receive", "initial_buy.recipient"],
      ]);
    },
  );
});

describe("C7-56 the recipient of an initial buy", () => {
  test("C7-56 is named by a warning wherever a launch is prepared, unless it is the creator", async () => {
    const prepareAll = async (owner: string) => {
      const buy = { amount_in: "1000000000000000", slippage_bps: 300, recipient: owner };
      const { intentId: intent_id, splitter } = await prepareDraft({ initial_buy: buy });
      const wallet = creator.address;
      const answers = [
        await stack.call("POST", "/launch/preview", { intent_id, wallet }),
        await stack.call("POST", "/launch/transactions", { intent_id, wallet, splitter, salt: randomSalt() }),
        await stack.call("POST", "/launch/calls", { intent_id, wallet, splitter: null, salt: randomSalt() }),
      ];
      return answers.map(({ body }) => body.warnings);
    };
    const message = expect.stringContaining(attacker.address);
    const named = [{ code: "initial_buy_recipient", message }];
    expect(await prepareAll(attacker.address)).toEqual([named, named, named]);
    expect(await prepareAll(creator.address.toLowerCase())).toEqual([[], [], []]);
  });
});

describe("C7-36 a price that moves between quote and inclusion", () => {
  const openPool = async (token: Hex, price: bigint) => {
    const { abi, bytecode } = compileAttacker("EarlyLiquidity");
    const args = [stack.manifest.wrapped_native.address];
    const deployed = await sendRaw(stack, attacker, { data: encodeDeployData({ abi, bytecode, args }) });
    const to = deployed.contractAddress!;
    const call = (functionName: string, values: unknown[], value = 0n) =>
      sendRaw(stack, attacker, { to, data: encodeFunctionData({ abi, functionName, args: values }), value });
    const opened = await call("open", [stack.manifest.uniswap.factory.address, token, 10_000, price]);
    expect(opened.status).toBe("success");
    return call;
  };
  const buyOne = () => prepareDraft({ initial_buy: { amount_in: oneEther.toString(), slippage_bps: 1 } });

  test.each([
    ["dearer", true, 2n],
    ["dearer", false, 2n],
    ["cheaper", true, 1n],
    ["cheaper", false, 1n],
  ])(
    "C7-36 takes nothing but gas where the pool was opened %s before (token is token0: %s)",
    async (kind, side, factor) => {
      const draft = await buyOne();
      const answer = await prepareOnSide(draft, side);
      const { sqrtPriceX96 } = launchPosition(stack.manifest.current.start_tick, side);
      const hostile = (kind === "dearer") === side ? sqrtPriceX96 * factor * 2n : sqrtPriceX96 / (factor * 2n);
      await openPool(answer.body.expected.token, hostile);
      const before = await getNative(creator.address);
      const receipt = await sendWithViem(stack, answer, creator);
      const gas = receipt.gasUsed * receipt.effectiveGasPrice;
      expect([receipt.status, before - (await getNative(creator.address))]).toEqual(["reverted", gas]);
      const again = await stack.call("POST", "/launch/transactions", {
        intent_id: draft.intentId,
        wallet: creator.address,
        splitter: draft.splitter,
        salt: (decodeIndependently(answer.body.transaction) as { salt: Hex }).salt,
      });
      expect([again.status, again.body.error.code]).toEqual([422, "pool_taken"]);
      const other = await prepareOnSide(draft, side);
      expect(other.body.expected.amount_out).toBe(answer.body.expected.amount_out);
      expect((await sendWithViem(stack, other, creator)).status).toBe("success");
    },
  );

  test.each([true, false])(
    "C7-36 yields exactly the quoted amount where native was placed in the pool before (token is token0: %s)",
    async (side) => {
      const answer = await prepareOnSide(await buyOne(), side);
      const { token, pool, amount_out } = answer.body.expected;
      const { sqrtPriceX96, tickStart } = launchPosition(stack.manifest.current.start_tick, side);
      const call = await openPool(token, sqrtPriceX96);
      const range = side ? [tickStart - 400, tickStart] : [tickStart, tickStart + 400];
      const placed = await call("place", [pool, ...range, 10n ** 18n], 1_000n * oneEther);
      expect(placed.status).toBe("success");
      expect((await sendWithViem(stack, answer, creator)).status).toBe("success");
      expect(await read(token, "balanceOf", [creator.address])).toBe(BigInt(amount_out));
    },
  );
});

describe("C7-37 options of another account's draft", () => {
  test("C7-37 cannot be put, and those of one's own draft change no other's launch", async () => {
    const own = { initial_buy: { amount_in: "1000000", slippage_bps: 1 } };
    const draft = await prepareDraft(own);
    const stranger = await stack.createAccount("stranger");
    const theirs = { partner: attacker.address, creator: attacker.address };
    const refused = await putOptions(draft.intentId, theirs, stranger);
    expect([refused.status, refused.body.error.code]).toEqual([404, "not_found"]);
    const invalid = await putOptions(draft.intentId, { partner: 1 }, stranger);
    expect([invalid.status, invalid.body.error.code]).toEqual([422, "invalid_fields"]);
    const foreign = await storeDraft(stack, {}, stranger);
    expect((await putOptions(foreign, theirs, stranger)).status).toBe(200);
    const decoded = decodeIndependently((await prepareLaunch(draft)).body.transaction);
    expect(decoded).toMatchObject({ partner: `0x${"0".repeat(40)}`, buyRecipient: creator.address });
    for (const path of [`/intents/${draft.intentId}`, `/intents/${draft.intentId}/progress`]) {
      expect((await stack.call("GET", path, undefined, stranger)).body.error.code).toBe("not_found");
    }
    const preview = { intent_id: draft.intentId, wallet: creator.address };
    expect((await stack.call("POST", "/launch/preview", preview, stranger)).body.error.code).toBe("draft_not_found");
  });

  test("C7-37 cannot be put with a key that may only read, nor for a draft that was deleted", async () => {
    const draft = await storeDraft(stack);
    const reader = await stack.createAccount("reader", ["read"]);
    const refused = await putOptions(draft, {}, reader);
    expect([refused.status, refused.body.error.code]).toEqual([403, "scope_required"]);
    const deletion = await stack.deps.db.api.query("delete from app.intents where id = $1", [draft]);
    expect(deletion.rowCount).toBe(1);
    expect((await putOptions(draft, {})).body.error.code).toBe("not_found");
  });
});

describe("C7-38 links of a launch", () => {
  const hostile = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    " https://x.com/a",
    "https://x.com/a\u0000",
    "https://x.com/a\nhttps://evil.example",
    "https://x.com\\@evil.example/",
    "https://x.com@evil.example/a",
    "https://evil.example/https://x.com/a",
    "https://x.com.evil.example/a",
    "https://x\u3002com.evil.example/a",
    "//x.com/a",
    `https://x.com/${"a".repeat(300)}`,
    `https://x.com/${"ü".repeat(100)}`,
    '"><script>alert(1)</script>',
    { toString: "https://x.com/a" },
    ["https://x.com/a"],
  ];

  test("C7-38 are refused as anything but an https link on their own host, in every field", async () => {
    const intentId = await storeDraft(stack);
    for (const link of hostile) {
      for (const name of linkNames.filter((one) => one !== "website2")) {
        const { status, body } = await putOptions(intentId, { links: { [name]: link } });
        expect([status, body.error?.code, body.error?.field], `${name} ${JSON.stringify(link)}`).toEqual([
          ...[422, "invalid_fields", `links.${name}`],
        ]);
      }
    }
    for (const link of hostile.filter((one) => typeof one !== "string" || !one.startsWith("https://evil"))) {
      if (typeof link === "string" && /^https:\/\/x(\.com\.|\u3002com\.)/.test(link)) continue;
      for (const options of [{ links: { website2: link } }, { banner_uri: link }]) {
        const { status } = await putOptions(intentId, options);
        expect(status, JSON.stringify(options)).toBe(422);
      }
    }
    const huge = await putOptions(intentId, { links: { x: `https://x.com/${"a".repeat(70_000)}` } });
    expect([huge.status, huge.body.error.code]).toEqual([413, "body_too_large"]);
    expect((await stack.call("GET", `/intents/${intentId}`)).body.options).toBeNull();
  });

  test("C7-38 of the longest kind, with markup in them, launch as one ASCII document with nothing else in it", async () => {
    const fill = (start: string, markup: string) => `${start}${markup}`.padEnd(240, "a");
    const links = Object.fromEntries(
      linkNames.map((name) => {
        const host = { x: "x.com", telegram: "t.me", discord: "discord.gg", farcaster: "farcaster.xyz" }[
          name as string
        ];
        return [name, fill(`https://${host ?? "github.com"}/`, `</script>"'\\u0022`.replace("\\", ""))];
      }),
    );
    const banner_uri = fill("https://cdn.example/", '"},"image":"ipfs://evil"');
    const draft = await prepareDraft({ links, banner_uri });
    const answer = await prepareLaunch(draft);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect((await sendWithViem(stack, answer, creator)).status).toBe("success");
    const uri: string = await read(answer.body.expected.token, "contractURI");
    const text = Buffer.from(uri.split(",")[1]!, "base64").toString("utf8");
    expect(text).not.toMatch(/[<>]|[^\x20-\x7e]/);
    const document = JSON.parse(text);
    expect([document.image, Object.keys(document.links)]).toEqual([
      "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      [...linkNames],
    ]);
    for (const link of [...Object.values<string>(document.links), document.banner_image]) {
      expect(new URL(link).href).toBe(link);
    }
  });
});

describe("C7-39 stored options that this version would not store", () => {
  const none = { x: null, telegram: null, discord: null, farcaster: null, github: null, website2: null };
  const valid = { initial_buy: null, partner: null, links: none, banner_uri: null, creator: null };
  const buy = { amount_in: "1000000", slippage_bps: 1, recipient: null };

  test.each<[string, unknown]>([
    ["a partner in lower case", { ...valid, partner: partner.address.toLowerCase() }],
    ["a partner that is no address", { ...valid, partner: "0x12" }],
    ["the zero address", { ...valid, partner: `0x${"0".repeat(40)}` }],
    ["a script as a link", { ...valid, links: { ...none, x: "javascript:alert(1)" } }],
    ["a link of another host", { ...valid, links: { ...none, x: "https://evil.example/a" } }],
    ["another link", { ...valid, links: { ...none, other: "https://x.com/a" } }],
    ["a banner of another scheme", { ...valid, banner_uri: "data:image/png,x" }],
    ["an amount in hex", { ...valid, initial_buy: { ...buy, amount_in: "0x10" } }],
    ["an amount with leading zeros", { ...valid, initial_buy: { ...buy, amount_in: "007" } }],
    ["an amount beyond 2^128", { ...valid, initial_buy: { ...buy, amount_in: `${2n ** 255n}` } }],
    ["a number as amount", { ...valid, initial_buy: { ...buy, amount_in: 1_000_000 } }],
    ["no slippage", { ...valid, initial_buy: { ...buy, slippage_bps: 0 } }],
    ["a slippage of everything", { ...valid, initial_buy: { ...buy, slippage_bps: 10_000 } }],
    ["an unknown field", { ...valid, data: "0xdeadbeef" }],
    ["a missing field", { ...valid, links: undefined }],
    ["no object", [1]],
  ])("C7-39 never become a transaction: %s", async (_, stored) => {
    const draft = await prepareDraft({});
    await stack.deps.db.api.query("update app.intents set options = $2 where id = $1", [
      draft.intentId,
      JSON.stringify(stored),
    ]);
    const wallet = creator.address;
    const requests: [string, object][] = [
      ["/splits/transactions", { intent_id: draft.intentId, wallet }],
      ["/launch/transactions", { intent_id: draft.intentId, wallet, splitter: draft.splitter, salt: randomSalt() }],
      ["/launch/calls", { intent_id: draft.intentId, wallet, splitter: null, salt: randomSalt() }],
      ["/launch/preview", { intent_id: draft.intentId, wallet }],
    ];
    for (const [path, body] of requests) {
      const answer = await stack.call("POST", path, body);
      expect([path, answer.status, answer.body.error?.code, answer.body.error?.field]).toEqual([
        ...[path, 422, "invalid_fields", "options"],
      ]);
      expect(answer.body.transaction).toBeUndefined();
    }
  });
});
