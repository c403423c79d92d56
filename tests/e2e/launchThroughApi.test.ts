import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { draftCommitment } from "@slipway/protocol/draftCommitment";
import { launchAddress } from "@slipway/protocol/launchAddress";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { Contract, JsonRpcProvider } from "ethers";
import { getAddress, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Recipients,
  randomSalt,
  sendRaw,
  sendWithEthers,
  storeDraft,
  trade,
  untilIndexed,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, partner, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const recipients: Recipients = [
  { provider: "code_host", handle: "octo", wallet: partner.address, share_bps: 2_501 },
  { provider: "wallet", wallet: creator.address.toLowerCase(), share_bps: 7_499 },
];

let stack: TestStack;
let provider: JsonRpcProvider;
beforeAll(async () => {
  stack = await startTestStack();
  provider = new JsonRpcProvider(stack.chain.rpcUrl, undefined, { polling: true, pollingInterval: 20 });
});
afterAll(async () => {
  provider?.destroy();
  await stack?.close();
});

const read = (address: string, abi: string[]) => new Contract(address, abi, provider) as any;

/** Stores a draft and deploys its splitter, sent with ethers. */
async function deploySplitter(more: Record<string, unknown> = {}) {
  const intentId = await storeDraft(stack, { recipients, ...more });
  const nonce = await provider.getTransactionCount(creator.address);
  const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
  expect(split.body).toMatchObject({ action: "deploy_splitter", expected: { account_nonce: nonce } });
  const receipt = await sendWithEthers(stack, split, creator);
  expect(getAddress(receipt.contractAddress!)).toBe(split.body.expected.splitter);
  return { intentId, splitter: split.body.expected.splitter as Hex };
}

/** Returns a salt that puts the token on the wanted side of the wrapped native asset. */
async function saltFor(intentId: string, splitter: Hex, tokenIsToken0: boolean): Promise<Hex> {
  const { manifest } = stack;
  const { rows } = await stack.deps.db.api.query("select intent from app.intents where id = $1", [intentId]);
  const { intent } = rows[0];
  const { name, symbol } = intent;
  const commitment = draftCommitment({ draftId: intentId, intent, creator: creator.address });
  for (;;) {
    const salt = randomSalt();
    const params = { name, symbol, contractURI: contractUri(intent, commitment), splitter, salt };
    const { token } = launchAddress(
      {
        launchFactory: manifest.current.launch_factory.address as Hex,
        feeLocker: manifest.current.fee_locker.address as Hex,
        uniswapFactory: manifest.uniswap.factory.address as Hex,
        poolInitCodeHash: manifest.uniswap.pool_init_code_hash as Hex,
        wrappedNative: manifest.wrapped_native.address as Hex,
        tokenCreationCode: launchTokenCreationCode,
      },
      creator.address,
      { ...params, partner: zeroAddress, feeBps: intent.fee_bps },
    );
    if (token.toLowerCase() < manifest.wrapped_native.address.toLowerCase() === tokenIsToken0) return salt;
  }
}

describe("a launch through the API, signed with ethers", () => {
  test.each([true, false])(
    "the chain shows what the draft says and what the answer predicted (token is token0: %s), and both sides trade",
    async (tokenIsToken0) => {
      const { intentId, splitter } = await deploySplitter({ name: 'Tür "7"', symbol: tokenIsToken0 ? "T0" : "T1" });
      const salt = await saltFor(intentId, splitter, tokenIsToken0);
      const body = { intent_id: intentId, wallet: creator.address, splitter, salt };
      const launch = await stack.call("POST", "/launch/transactions", body);
      expect(launch.status).toBe(200);
      const receipt = await sendWithEthers(stack, launch, creator);
      expect(receipt.status).toBe("success");

      const { token, pool } = launch.body.expected;
      const erc20 = read(token, [
        "function name() view returns (string)",
        "function contractURI() view returns (string)",
      ]);
      expect(await erc20.name()).toBe('Tür "7"');
      const uri = (await erc20.contractURI()) as string;
      expect(JSON.parse(Buffer.from(uri.split(",")[1]!, "base64").toString("utf8"))).toMatchObject({
        name: 'Tür "7"',
        description: "Floats.",
        external_link: "https://tin.example/boat#mast",
      });
      const locker = read(stack.manifest.current.fee_locker.address, [
        "function positionOf(address) view returns ((address pool,address splitter,address partner,uint16 partnerShareBps,uint16 totalFeeBps,uint16 protocolFeeBps,int24 tickLower,int24 tickUpper,bool tokenIsToken0,uint128 liquidity))",
      ]);
      const position = await locker.positionOf(token);
      expect([
        position.pool,
        position.splitter,
        position.totalFeeBps,
        position.protocolFeeBps,
        position.tokenIsToken0,
      ]).toEqual([pool, splitter, 100n, 10n, tokenIsToken0]);
      const [payees, shares] = await read(splitter, [
        "function allocations() view returns (address[], uint16[])",
      ]).allocations();
      expect([[...payees], [...shares]]).toEqual([
        [partner.address, creator.address],
        [2_501n, 7_499n],
      ]);

      await untilIndexed(stack, token);
      await wrap(stack, trader, 10n ** 18n);
      const balance = async (asset: string) =>
        (await read(asset, ["function balanceOf(address) view returns (uint256)"]).balanceOf(trader.address)) as bigint;
      const before = await balance(token);
      const bought = await trade(stack, trader, { token, side: "buy", amount_in: `${10n ** 17n}` }, sendWithEthers);
      expect((await balance(token)) - before).toBe(BigInt(bought.answer.body.expected.amount_out));
      const amount = ((await balance(token)) / 2n).toString();
      const wethBefore = await balance(stack.manifest.wrapped_native.address);
      const sold = await trade(stack, trader, { token, side: "sell", amount_in: amount }, sendWithEthers);
      const received = (await balance(stack.manifest.wrapped_native.address)) - wethBefore;
      expect(received).toBe(BigInt(sold.answer.body.expected.amount_out));
    },
  );
});

describe("a splitter of another address than was expected", () => {
  test("is refused with the way to its address, and launches by its receipt's contractAddress", async () => {
    const intent_id = await storeDraft(stack, { recipients });
    const split = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
    expect(split.body.next).toContain("contractAddress");
    // Another transaction uses the nonce of the predicted address.
    await sendRaw(stack, creator, { to: creator.address, value: 1n });
    const receipt = await sendWithEthers(stack, split, creator);
    const launch = { intent_id, wallet: creator.address, salt: randomSalt() };
    const { splitter } = split.body.expected;
    const drifted = await stack.call("POST", "/launch/transactions", { ...launch, splitter });
    expect([drifted.status, drifted.body.error.code, drifted.body.error.field]).toEqual([
      ...[422, "splitter_not_deployed", "splitter"],
    ]);
    expect(drifted.body.error.message).toContain(splitter);
    expect(drifted.body.error.message).toMatch(/receipt.*contractAddress.*another transaction/);
    const launched = await stack.call("POST", "/launch/transactions", { ...launch, splitter: receipt.contractAddress });
    expect(launched.status).toBe(200);
  });
});

test("a draft for another chain is stored with a warning", async () => {
  const intent_id = await storeDraft(stack, { chain_id: 4663 });
  const { body } = await stack.call("GET", "/intents");
  const draft = body.items.find(({ id }: any) => id === intent_id);
  expect(draft.warnings).toEqual([{ code: "other_chain", message: expect.stringContaining("for chain 4663") }]);
});

describe("drafts that cannot be launched", () => {
  const prepare = async (path: string, draft: Record<string, unknown>) => {
    const intent_id = await storeDraft(stack, draft);
    const wallet = creator.address;
    const launch = path.startsWith("/launch") ? { splitter: partner.address, salt: randomSalt() } : {};
    return await stack.call("POST", path, { intent_id, wallet, ...launch });
  };

  test.each([
    ["/splits/transactions", { chain_id: 4663 }, "chain_mismatch"],
    ["/launch/transactions", { chain_id: 4663 }, "chain_mismatch"],
    ["/splits/transactions", { recipients: [] }, "recipients_required"],
    ["/splits/transactions", { recipients: [], fee_bps: 50 }, "recipients_required"],
    ["/launch/transactions", { recipients: [] }, "recipients_required"],
    ["/launch/transactions", { recipients: [], fee_bps: 30 }, "recipients_required"],
    ["/launch/transactions", { recipients: [], fee_bps: 10 }, "splitter_not_deployed"],
    ["/launch/transactions", { fee_bps: 50 }, "splitter_not_deployed"],
    ["/launch/transactions", {}, "splitter_not_deployed"],
  ])("%s of a draft with %j answers %s", async (path, draft, code) => {
    const answer = await prepare(path, draft);
    expect([answer.status, answer.body.error.code]).toEqual([422, code]);
  });
});
