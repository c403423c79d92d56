import { poolAddress } from "@slipway/protocol/launchAddress";
import { encodeDeployData, encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchToken, sendRaw, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, payee] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

/** Requests the splitter step of a draft that pays half to an address. */
async function prepare(wallet: string, more: object = { provider: "wallet" }) {
  const intent_id = await storeDraft(stack, {
    recipients: [
      { provider: "wallet", wallet: payee.address, share_bps: 5_000 },
      { ...more, wallet, share_bps: 5_000 },
    ],
  });
  const answer = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
  await expectSameOfBatch(answer, intent_id);
  return answer;
}

/**
 * A batch that creates the splitter before the launch has the same rejection, and the same warnings about contracts.
 */
async function expectSameOfBatch({ status, body }: Answer, intent_id: string): Promise<void> {
  const request = { intent_id, wallet: creator.address, splitter: null, salt: `0x${"24".repeat(32)}` };
  const batch = await stack.call("POST", "/launch/calls", request);
  const summarize = (one: any) => ({
    error: { ...one.error, request_id: "" },
    contracts: one.warnings?.filter(({ code }: { code: string }) => code === "recipient_is_contract"),
  });
  expect([batch.status, summarize(batch.body)]).toEqual([status, summarize(body)]);
}

const addressAt = (value: bigint): Hex => `0x${value.toString(16).padStart(40, "0")}`;

describe("C4-24 payout addresses", () => {
  it("C4-24 a mixed-case address with a wrong checksum is stored and refused before its splitter costs gas", async () => {
    const right = getAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
    const wrong = right.replace("A", "a");
    const { status, body } = await prepare(wrong);
    expect([status, body.error.code, body.error.field]).toEqual([422, "address_checksum", "recipients[1].wallet"]);
    expect(body.error.message).toContain(wrong);
    expect(body.error.details).toEqual({ wallet: wrong, checksummed: right });
    for (const wallet of [right, right.toLowerCase()]) expect((await prepare(wallet)).status).toBe(200);
  });

  it.each([0x01n, 0x09n, 0x11n, 0x64n, 0x6cn, 0xc8n, 0x100n])("C4-24 the precompile %i is refused", async (value) => {
    const { status, body } = await prepare(addressAt(value));
    expect([status, body.error.code, body.error.field]).toEqual([
      422,
      "recipient_cannot_receive",
      "recipients[1].wallet",
    ]);
  });

  it("C4-24 every contract of the manifest is refused, the treasury is not", async () => {
    const { current, uniswap, wrapped_native, eth_usd, gas_station, treasury } = stack.manifest;
    const contracts = [
      current.launch_factory.address,
      current.fee_locker.address,
      current.splitter_factory.address,
      current.splitter_implementation.address,
      uniswap.factory.address,
      uniswap.router.address,
      uniswap.quoter.address,
      wrapped_native.address,
      ...(eth_usd ? [eth_usd.pool, eth_usd.stablecoin.address] : []),
      ...(gas_station ? [gas_station.address] : []),
    ];
    for (const address of contracts) {
      const { status, body } = await prepare(address);
      expect([status, body.error?.code], address).toEqual([422, "recipient_cannot_receive"]);
      expect(body.error.details).toEqual({ wallet: getAddress(address) });
    }
    expect((await prepare(treasury)).status).toBe(200);
  });

  it("C4-24 launch tokens and pools are refused, pools of other tokens and tiers too", async () => {
    const { token, pool } = await launchToken(stack, creator);
    const { uniswap, wrapped_native } = stack.manifest;
    const abi = parseAbi(["function createPool(address a, address b, uint24 fee) returns (address)"]);
    const args = [token, wrapped_native.address as Hex, 500] as const;
    const data = encodeFunctionData({ abi, functionName: "createPool", args });
    await sendRaw(stack, creator, { to: uniswap.factory.address as Hex, data });
    const other = poolAddress(uniswap.factory.address as Hex, uniswap.pool_init_code_hash as Hex, ...args);
    for (const [address, kind] of [
      [token, /a launch token/],
      [pool, /a pool/],
      [other, /a pool/],
    ] as const) {
      const { status, body } = await prepare(address);
      expect([status, body.error?.code]).toEqual([422, "recipient_cannot_receive"]);
      expect(body.error.message).toMatch(kind);
    }
  });

  it("C4-24 another address with code is a warning that names it", async () => {
    const { abi, bytecode } = compileAttacker("Deployer");
    const receipt = await sendRaw(stack, creator, { data: encodeDeployData({ abi, bytecode }) });
    const address = getAddress(receipt.contractAddress!);
    const { status, body } = await prepare(address);
    expect(status).toBe(200);
    expect(body.warnings).toEqual([{ code: "recipient_is_contract", message: expect.stringContaining(address) }]);
  });

  it("C4-24 a handle is shown only where its provider could grant it, and never beside provider wallet", async () => {
    const shown = async (provider: string, handle: string) => {
      const recipients = [{ provider, handle, wallet: creator.address, share_bps: 10_000 }];
      const intentId = await storeDraft(stack, { recipients });
      const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
      await sendWithViem(stack, split, creator);
      const launch = await stack.call("POST", "/launch/transactions", {
        intent_id: intentId,
        wallet: creator.address,
        splitter: split.body.expected.splitter,
        salt: `0x${"11".repeat(32)}`,
      });
      await sendWithViem(stack, launch, creator);
      const { token } = launch.body.expected;
      await untilIndexed(stack, token);
      const detail = await stack.call("GET", `/tokens/${token}`);
      const positions = await stack.call("GET", `/fees/positions?token=${token}&wallet=${creator.address}`);
      const warnings = JSON.stringify([split.body.warnings, launch.body.warnings]);
      return { warnings, labels: [detail, positions].map(({ body }) => body.recipients[0].handle) };
    };
    expect((await shown("code_host", "octo-cat")).labels).toEqual(["octo-cat", "octo-cat"]);
    for (const [provider, handle] of [
      ["wallet", "vitalik"],
      ["social", "pays-you-100"],
      ["code_host", "Verified ✅ team"],
    ] as const) {
      const { warnings, labels } = await shown(provider, handle);
      expect(labels).toEqual([null, null]);
      expect(warnings).not.toContain(handle);
    }
  });
});
