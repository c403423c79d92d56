import type { Wallet } from "@slipway/dev/chain/wallets";
import { erc20Abi, type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import { randomSalt, sendWithViem, untilIndexed } from "./actors.ts";
import type { Answer, TestStack } from "./startTestStack.ts";

/** Returns the balance of an account in an asset; the zero address is native. */
export async function readHeld(stack: TestStack, asset: string, account: string): Promise<bigint> {
  const { client } = stack.deps.chain;
  if (asset === zeroAddress) return await client.getBalance({ address: account as Hex });
  return await client.readContract({
    address: asset as Hex,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account as Hex],
  });
}

/** Buys with native, in one transaction. */
export async function buyWithNative(stack: TestStack, wallet: Wallet, token: string, amount: bigint): Promise<void> {
  const body = { token, wallet: wallet.address, side: "buy", pay: "native", amount_in: `${amount}`, slippage_bps: 500 };
  const receipt = await sendWithViem(stack, await stack.call("POST", "/trade/calls", body), wallet);
  expect(receipt.status).toBe("success");
}

/** Launches a draft once more, with the same splitter. */
export async function launchAgain(
  stack: TestStack,
  creator: Wallet,
  { intentId, splitter }: { intentId: string; splitter: string },
): Promise<Hex> {
  const body = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
  const launch = await stack.call("POST", "/launch/transactions", body);
  await sendWithViem(stack, launch, creator);
  await untilIndexed(stack, launch.body.expected.token);
  return launch.body.expected.token;
}

type Sum = { asset: string; to: string; amount: string };

/** Sends a claim and compares the received with the promised amounts; native excludes the gas of the receiver. */
export async function sendClaim(
  stack: TestStack,
  answer: Answer,
  send: () => Promise<{ status: string; gasUsed: bigint; effectiveGasPrice: bigint; from: string }[]>,
): Promise<void> {
  const promised: Sum[] = answer.body.expected.amounts;
  expect(promised.length).toBeGreaterThan(0);
  const before = await Promise.all(promised.map(({ asset, to }) => readHeld(stack, asset, to)));
  const receipts = await send();
  for (const { status } of receipts) expect(status).toBe("success");
  for (const [i, { asset, to, amount }] of promised.entries()) {
    const gas = receipts
      .filter(({ from }) => asset === zeroAddress && from.toLowerCase() === to.toLowerCase())
      .reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
    const change = (await readHeld(stack, asset, to)) - before[i]! + gas;
    expect([asset, to, change]).toEqual([asset, to, BigInt(amount)]);
  }
}
