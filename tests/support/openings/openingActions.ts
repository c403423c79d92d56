import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { openingDetail } from "@slipway/protocol/openings";
import { type Order, type PreparedForOrder, verifyPrepared } from "@slipway/sdk/verifyPrepared";
import { erc20Abi, type Hex } from "viem";
import { expect } from "vitest";
import { sendWithEthers, storeDraft, wallets } from "../security/actors.ts";
import type { TestStack } from "../security/startTestStack.ts";

const [creator] = wallets as [Wallet, ...Wallet[]];
const stranger = wallets[6]!;

type Created = { intentId: string; opening: string; deadline: number };

/** Creates the steps of openings of the first wallet. @param getStack - Called by each step: the stack starts later. */
export function createOpeningActions(getStack: () => TestStack) {
  let drafts = 0;
  const readTime = async () => Number((await getStack().deps.chain.client.getBlock()).timestamp);
  const readNative = (address: string) => getStack().deps.chain.client.getBalance({ address: address as Hex });
  const readTokens = (token: string, account: string) =>
    getStack().deps.chain.client.readContract({
      address: token as Hex,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [account as Hex],
    });
  const moveTime = async (time: number) => {
    await rpcRequest(getStack().chain.rpcUrl, "evm_setNextBlockTimestamp", [time]);
    await rpcRequest(getStack().chain.rpcUrl, "evm_mine", []);
  };
  const getOpening = async (opening: string, account?: string) => {
    const path = `/openings/${opening}${account === undefined ? "" : `?account=${account}`}`;
    const { status, body } = await getStack().call("GET", path);
    expect([status, body.error]).toEqual([200, undefined]);
    expect(openingDetail.parse(body)).toEqual(body);
    return body;
  };
  /** Waits until the index shows a state of an opening. */
  const untilShown = (opening: string, state: Record<string, unknown>) =>
    expect.poll(async () => (await getStack().call("GET", `/openings/${opening}`)).body).toMatchObject(state);

  /** Stores a draft with its splitter at the factory. */
  async function storeDraftWithSplitter(): Promise<string> {
    const intent_id = await storeDraft(getStack(), { name: `Tin Boat ${++drafts}` });
    const request = { intent_id, wallet: creator.address, method: "factory" };
    await sendWithEthers(getStack(), await getStack().call("POST", "/splits/transactions", request), creator);
    return intent_id;
  }

  /** Returns the names of the comparisons that fail when a wallet verifies a prepared result. */
  function findFaults(result: PreparedForOrder, order: Order): string[] {
    const trust = { manifest: getStack().manifest, sha256: getStack().manifestSha256 };
    return verifyPrepared(result, order, trust)
      .checks.filter(({ ok }) => !ok)
      .map(({ name }) => name);
  }

  async function createOpening(minimum: bigint, cap: bigint, seconds = 86_400): Promise<Created> {
    const intentId = await storeDraftWithSplitter();
    const deadline = (await readTime()) + seconds;
    const terms = { minimum: minimum.toString(), cap: cap.toString(), deadline };
    const request = { intent_id: intentId, wallet: creator.address, ...terms };
    const answer = await getStack().call("POST", "/openings/transactions", request);
    expect([answer.status, answer.body.action, answer.body.status]).toEqual([200, "create_opening", "ready"]);
    await sendWithEthers(getStack(), answer, creator);
    const { opening } = answer.body.expected;
    await untilShown(opening, { status: "open", total: "0", ...terms, creator: creator.address, token: null });
    const again = await getStack().call("POST", "/openings/transactions", request);
    expect([again.body.status, again.body.transaction]).toEqual(["nothing_to_do", null]);
    return { intentId, opening, deadline };
  }

  const prepareDeposit = (opening: string, wallet: Wallet, amount: bigint) =>
    getStack().call("POST", `/openings/${opening}/deposits/transactions`, {
      wallet: wallet.address,
      amount: amount.toString(),
    });
  async function deposit(opening: string, wallet: Wallet, amount: bigint): Promise<void> {
    const answer = await prepareDeposit(opening, wallet, amount);
    // Without a next step: `runSteps` of the SDK would repeat the deposit.
    expect([answer.status, answer.body.next, answer.body.simulation?.asset_changes]).toEqual([
      200,
      null,
      [{ asset: `0x${"0".repeat(40)}`, from: wallet.address, to: opening, amount: amount.toString() }],
    ]);
    expect((await sendWithEthers(getStack(), answer, wallet)).status).toBe("success");
  }
  const authorize = (opening: string, more: Record<string, unknown> = {}) =>
    getStack().call("POST", `/openings/${opening}/authorizations`, more);
  const prepareOpen = (opening: string, wallet: Wallet, authorization: any, signature: Hex) =>
    getStack().call("POST", `/openings/${opening}/open/transactions`, {
      wallet: wallet.address,
      value: authorization.value,
      salt: authorization.salt,
      epoch: Number(authorization.typed_data.message.epoch),
      signature,
    });
  const prepareClaim = (opening: string, wallet: Wallet, more: Record<string, unknown> = {}) =>
    getStack().call("POST", `/openings/${opening}/claims/transactions`, { wallet: wallet.address, ...more });
  const sign = async ({ typed_data }: any) => await creator.account.signTypedData(typed_data);
  const code = ({ status, body }: { status: number; body: any }) => [status, body.error?.code, body.error?.field];

  /** Claims everything of an account, and returns what the wallet received. */
  async function claim(opening: string, account: Wallet, token: string | null) {
    const tokensBefore = token === null ? 0n : await readTokens(token, account.address);
    const nativeBefore = await readNative(account.address);
    const answer = await prepareClaim(opening, stranger, { account: account.address });
    expect([answer.status, answer.body.error, answer.body.status]).toEqual([200, undefined, "ready"]);
    await sendWithEthers(getStack(), answer, stranger);
    const tokens = token === null ? 0n : (await readTokens(token, account.address)) - tokensBefore;
    const refund = (await readNative(account.address)) - nativeBefore;
    const amounts = answer.body.expected.amounts.map(({ amount }: any) => BigInt(amount));
    expect(amounts).toEqual([tokens, refund].filter((amount) => amount > 0n));
    return { tokens, refund };
  }

  return {
    readTime,
    readNative,
    readTokens,
    moveTime,
    getOpening,
    untilShown,
    findFaults,
    createOpening,
    prepareDeposit,
    deposit,
    authorize,
    prepareOpen,
    prepareClaim,
    sign,
    code,
    claim,
  };
}
