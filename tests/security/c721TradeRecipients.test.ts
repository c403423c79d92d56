import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithViem, wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const erc20 = parseAbi(["function balanceOf(address account) view returns (uint256)"]);
const uniswap = parseAbi([
  "function createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)",
  "function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)",
]);

describe.each(["swap_router_02", "swap_router"] as const)("C7-21 with %s", (routerKind) => {
  let stack: TestStack;
  let token: Hex;
  let pool: Hex;
  let other: { token: Hex; pool: Hex };
  beforeAll(async () => {
    stack = await startTestStack({ routerKind });
    ({ token, pool } = await launchToken(stack, creator));
    other = await launchToken(stack, creator);
  });
  afterAll(async () => {
    await stack?.close();
  });

  const ask = (more: Record<string, unknown>) =>
    stack.call("POST", "/trade/calls", {
      token,
      wallet: trader.address,
      side: "buy",
      pay: "native",
      amount_in: "1000000000000000",
      slippage_bps: 100,
      ...more,
    });
  const expectRefused = async (more: Record<string, unknown>, field = "recipient") => {
    const { status, body } = await ask(more);
    expect([status, body.error?.code, body.error?.field], JSON.stringify(more)).toEqual([
      422,
      "recipient_cannot_receive",
      field,
    ]);
    expect(body.transaction).toBeUndefined();
    expect(body.calls).toBeUndefined();
  };

  test("C7-21 refuses every precompile, among them the addresses that a router takes for the sender and for itself", async () => {
    const precompiles = [1n, 2n, 9n, 0x11n, 0x64n, 0x6cn, 0x74n, 0xc8n, 0xffn, 0x100n];
    for (const value of precompiles) await expectRefused({ recipient: `0x${value.toString(16).padStart(40, "0")}` });
    expect((await ask({ recipient: `0x${"0".repeat(40)}` })).body.error.code).toBe("invalid_fields");
  });

  test("C7-21 refuses every contract of the manifest, in any case of the address", async () => {
    const { uniswap: set, current, gas_station, wrapped_native, eth_usd } = stack.manifest;
    const contracts = [set.router, set.quoter, set.factory, current.launch_factory, current.fee_locker, gas_station!];
    const addresses = [
      ...contracts.map(({ address }) => address),
      ...[wrapped_native.address, eth_usd!.pool, eth_usd!.stablecoin.address, stack.stablecoin],
    ];
    for (const recipient of addresses) {
      await expectRefused({ recipient });
      await expectRefused({ recipient: recipient.toLowerCase() });
    }
  });

  test("C7-21 refuses launch tokens and pools: the trade's own, another launch's, one that no launch made", async () => {
    const weth = stack.manifest.wrapped_native.address as Hex;
    const args = [token, weth, 3_000] as const;
    const factory = stack.manifest.uniswap.factory.address as Hex;
    await sendRaw(stack, trader, {
      to: factory,
      data: encodeFunctionData({ abi: uniswap, functionName: "createPool", args }),
    });
    const foreign = await stack.deps.chain.client.readContract({
      address: factory,
      abi: uniswap,
      functionName: "getPool",
      args,
    });
    for (const recipient of [token, pool, other.token, other.pool, foreign]) {
      await expectRefused({ recipient });
      await expectRefused({ side: "sell", pay: undefined, receive: "native", recipient });
    }
  });

  test("C7-21 refuses such a wallet too, which receives when no recipient is named", async () => {
    for (const wallet of ["0x0000000000000000000000000000000000000002", stack.manifest.uniswap.router.address, pool]) {
      await expectRefused({ wallet }, "wallet");
    }
  });

  test("C7-21 warns of another contract, and pays an account that delegates without a warning", async () => {
    const { runtime } = compileAttacker("BatchWallet");
    const contract = "0x00000000000000000000000000000000000c0de1";
    const account = "0x00000000000000000000000000000000000c0de2";
    const setCode = (address: string, code: string) =>
      stack.deps.chain.request({ method: "anvil_setCode", params: [address, code] });
    await setCode(contract, runtime);
    await setCode(account, `0xef0100${contract.slice(2)}`);
    const codes = async (recipient: string) =>
      (await ask({ recipient })).body.warnings.map(({ code }: { code: string }) => code);
    expect(await codes(contract)).toContain("recipient_is_contract");
    expect(await codes(account)).not.toContain("recipient_is_contract");
  });

  test("C7-21 a recipient whose code uses up all gas does not disturb what is read beside it", async () => {
    const endless = "0x00000000000000000000000000000000000c0de3";
    await stack.deps.chain.request({ method: "anvil_setCode", params: [endless, "0x5b600056"] });
    const plain = await ask({});
    const burning = await ask({ recipient: endless });
    expect([burning.status, burning.body.quote.amount_out]).toEqual([200, plain.body.quote.amount_out]);
    expect(burning.body.warnings.map(({ code }: { code: string }) => code)).toContain("recipient_is_contract");
  });

  test("C7-21 a recipient that refuses native gets none, and one that uses up all gas is refused", async () => {
    const { abi, bytecode } = compileAttacker("HostileWallet");
    const station = stack.manifest.gas_station!.address as Hex;
    const deploy = async (kind: number) => {
      const args = `${kind.toString(16).padStart(64, "0")}${station.slice(2).padStart(64, "0")}`;
      return (await sendRaw(stack, trader, { data: `${bytecode}${args}` as Hex })).contractAddress!;
    };
    expect(abi.length).toBeGreaterThan(0);
    const buy = await ask({ amount_in: `${10n ** 17n}` });
    await sendWithViem(stack, buy, trader);
    const held = await stack.deps.chain.client.readContract({
      address: token,
      abi: erc20,
      functionName: "balanceOf",
      args: [trader.address],
    });
    const sell = { side: "sell", pay: undefined, receive: "native", amount_in: `${held / 2n}` };
    for (const kind of [0, 1]) {
      const { status, body } = await ask({ ...sell, recipient: await deploy(kind) });
      expect([kind, status, body.error?.code]).toEqual([kind, 422, "simulation_reverted"]);
      expect(body.error.details.call).toBe(1);
    }
  });
});
