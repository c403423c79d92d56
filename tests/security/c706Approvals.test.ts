import { reorganise } from "@slipway/dev/chain/reorganise";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface } from "ethers";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  sendRaw,
  sendWithEthers,
  sendWithViem,
  trade,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { decodeIndependently } from "../support/security/decodeIndependently.ts";
import { decodeTradeCall } from "../support/security/decodeTradeCall.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const erc20 = new Interface([
  "function approve(address spender, uint256 amount)",
  "function allowance(address owner, address spender) view returns (uint256)",
]);

let stack: TestStack;
let token: Hex;
beforeAll(async () => {
  // Without a heartbeat, so that the block that a test removes is the block of its own transaction.
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token } = await launchToken(stack, creator));
  await wrap(stack, trader, 10n ** 19n);
});
afterAll(async () => {
  await stack?.close();
});

const order = (amount: bigint, side = "buy") => ({
  token,
  wallet: trader.address,
  side,
  amount_in: amount.toString(),
  slippage_bps: 100,
});
const ask = (amount: bigint, side?: string, server: Server = stack) =>
  server.call("POST", "/trade/transactions", order(amount, side));

async function allowance(asset: string): Promise<bigint> {
  const data = erc20.encodeFunctionData("allowance", [trader.address, stack.manifest.uniswap.router.address]);
  return BigInt(await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [{ to: asset, data }, "latest"]));
}

describe("C7-06", () => {
  test("C7-06 the approval is of exactly the amount, and the swap uses it up", async () => {
    const weth = stack.manifest.wrapped_native.address;
    const amount = 123_456_789_012_345_678n;
    const approval = await ask(amount);
    expect(approval.body).toMatchObject({
      action: "approve",
      step: { index: 1, total: 2 },
      issues: { allowance: { asset: weth, needed: `${amount}`, available: "0" } },
    });
    expect(approval.body.next).toMatch(/POST \/trade\/transactions/);
    const spender = stack.manifest.uniswap.router.address;
    expect(decodeIndependently(approval.body.transaction)).toEqual({ kind: "approve", spender, amount });
    await sendWithEthers(stack, approval, trader);
    expect(await allowance(weth)).toBe(amount);
    const swap = await ask(amount);
    expect(swap.body).toMatchObject({ action: "swap", step: { index: 2, total: 2 }, next: null });
    await sendWithEthers(stack, swap, trader);
    expect(await allowance(weth)).toBe(0n);
  });

  test("C7-06 an approval that is too small by one is made exact, not raised without end", async () => {
    await sendWithViem(stack, await ask(1_000_000_000n), trader);
    const approval = await ask(1_000_000_001n);
    expect(decodeIndependently(approval.body.transaction)).toMatchObject({ kind: "approve", amount: 1_000_000_001n });
    const smaller = await ask(999_999_999n);
    expect(smaller.body.action).toBe("swap");
  });

  test("C7-06 the swap is not offered before the approval is on the canonical chain, and no more after a reorg", async () => {
    const amount = 7n * 10n ** 17n;
    const approval = await ask(amount);
    expect(approval.body.action).toBe("approve");
    expect((await ask(amount)).body.action).toBe("approve");
    await sendWithViem(stack, approval, trader);
    expect((await ask(amount)).body.action).toBe("swap");
    await reorganise(stack.chain.rpcUrl);
    expect((await ask(amount)).body.action).toBe("approve");
  });

  test("C7-06 a token that refuses to change an allowance is reset to zero first", async () => {
    const weth = stack.manifest.wrapped_native.address as Hex;
    const data = erc20.encodeFunctionData("approve", [stack.manifest.uniswap.router.address, 5n]) as Hex;
    await sendRaw(stack, trader, { to: weth, data });
    const { runtime } = compileAttacker("ApproveRaceWrapped");
    // The proof is just before the change: the stack's own server could verify the chain again meanwhile.
    const server = await stack.openServer({});
    try {
      await withChangedContract(stack, { address: weth, code: runtime }, async () => {
        const amount = 10n ** 16n;
        const actions: unknown[] = [];
        for (let step = 0; step < 3; step++) {
          const answer = await ask(amount, "buy", server);
          const decoded = decodeIndependently(answer.body.transaction);
          actions.push([
            answer.body.action,
            answer.body.step.total,
            decoded.kind === "approve" ? decoded.amount : null,
          ]);
          expect((await sendWithViem(stack, answer, trader)).status).toBe("success");
        }
        expect(actions).toEqual([
          ["approve", 3, 0n],
          ["approve", 2, amount],
          ["swap", 2, null],
        ]);
      });
    } finally {
      await server.close();
    }
  });

  test("C7-06 a batch with a token that refuses to change an allowance takes the old one back first", async () => {
    const weth = stack.manifest.wrapped_native.address as Hex;
    const router = stack.manifest.uniswap.router.address;
    const data = erc20.encodeFunctionData("approve", [router, 5n]) as Hex;
    await sendRaw(stack, trader, { to: weth, data });
    const { runtime } = compileAttacker("ApproveRaceWrapped");
    const server = await stack.openServer({});
    try {
      const amount = 10n ** 16n;
      const plain = await server.call("POST", "/trade/calls", order(amount));
      expect(plain.body.calls.map(({ to }: { to: Hex }) => to)).toEqual([weth, router]);
      await withChangedContract(stack, { address: weth, code: runtime }, async () => {
        const { body } = await server.call("POST", "/trade/calls", order(amount));
        const parts = body.calls.map((call: { data: string }) => decodeTradeCall("swap_router_02", call.data).parts[0]);
        expect(parts).toMatchObject([
          { kind: "approve", spender: router, amount: 0n },
          { kind: "approve", spender: router, amount },
          { kind: "exact_input", amountIn: amount },
        ]);
        for (const { to, data } of body.calls)
          expect((await sendRaw(stack, trader, { to, data })).status).toBe("success");
        expect(await allowance(weth)).toBe(0n);
      });
    } finally {
      await server.close();
    }
  });

  test("C7-06 a sale approves the launch token, exactly", async () => {
    const amount = 10n ** 21n;
    const approval = await ask(amount, "sell");
    expect(approval.body.transaction.to).toBe(token);
    expect(decodeIndependently(approval.body.transaction)).toMatchObject({ kind: "approve", amount });
    const { receipt } = await trade(stack, trader, { token, side: "sell", amount_in: amount.toString() });
    expect(receipt.status).toBe("success");
    expect(await allowance(token)).toBe(0n);
  });
});
