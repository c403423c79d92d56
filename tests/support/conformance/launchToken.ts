import type { Draft, Intent } from "@slipway/protocol/intent";
import type { LaunchOptionsRequest } from "@slipway/protocol/launchOptions";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createClient";
import { hexlify, randomBytes, type TransactionReceipt } from "ethers";
import type { Signer } from "./signer.ts";

export type Launched = {
  draft: Draft;
  splitter: { prepared: UnsignedResult; receipt: TransactionReceipt };
  launch: { prepared: UnsignedResult; receipt: TransactionReceipt };
  token: string;
};

/**
 * Takes an intent from draft to launch: the service prepares splitter and launch, and the vesting of the initial buy if the
 * options have one; `creator` signs and sends them.
 */
export async function launchToken(
  client: Client,
  creator: Signer,
  intent: Intent,
  options: LaunchOptionsRequest | null = null,
): Promise<Launched> {
  const draft = await client.createIntent(intent);
  if (options !== null) await client.putIntentOptions({ id: draft.id, ...options });
  if (options?.initial_buy?.vesting) {
    await creator.send(await client.prepareVesting({ intent_id: draft.id, wallet: creator.address }));
  }
  const splitter = await client.prepareSplitter({ intent_id: draft.id, wallet: creator.address });
  const splitterReceipt = await creator.send(splitter);
  const launch = await client.prepareLaunch({
    intent_id: draft.id,
    wallet: creator.address,
    splitter: splitterReceipt.contractAddress as string,
    salt: hexlify(randomBytes(32)),
  });
  const launchReceipt = await creator.send(launch);
  const token = launch.expected?.token as string;
  await indexed(client, token);
  return {
    draft,
    splitter: { prepared: splitter, receipt: splitterReceipt },
    launch: { prepared: launch, receipt: launchReceipt },
    token,
  };
}

/** Waits until the launch is listed. */
export async function indexed(client: Client, token: string): Promise<void> {
  await until(async () => {
    try {
      await client.getToken({ address: token });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === "token_not_indexed") return false;
      throw error;
    }
  }, `${token} to be indexed`);
}

/** Sends the approval if the service requires one, then the swap. */
export async function trade(
  client: Client,
  trader: Signer,
  order: { token: string; side: "buy" | "sell"; amountIn: bigint },
): Promise<{ approval: UnsignedResult | null; swap: UnsignedResult; receipt: TransactionReceipt }> {
  const request = {
    token: order.token,
    wallet: trader.address,
    side: order.side,
    amount_in: String(order.amountIn),
    slippage_bps: 300,
  };
  let approval: UnsignedResult | null = null;
  let prepared = await client.prepareTrade(request);
  if (prepared.action === "approve") {
    approval = prepared;
    await trader.send(prepared);
    prepared = await client.prepareTrade(request);
  }
  const receipt = await trader.send(prepared);
  await until(
    async () => (await client.listTokenTrades({ address: order.token })).items.some((t) => t.tx_hash === receipt.hash),
    `the swap ${receipt.hash} to be indexed`,
  );
  return { approval, swap: prepared, receipt };
}

/** Polls until the condition is true. */
export async function until(holds: () => Promise<boolean>, what: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
