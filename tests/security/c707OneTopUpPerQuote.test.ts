import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { encodeFunctionData } from "viem";
import { describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import {
  askQuote,
  gasSettings,
  nativeBalance,
  relayerNonce,
  rpc,
  sendFrom,
  signedTopUp,
  signWithEthers,
  signWithViem,
  tokenBalance,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();

describe("C7-07", () => {
  for (const [library, sign] of Object.entries({ viem: signWithViem, ethers: signWithEthers })) {
    test(`C7-07 a quote signed by ${library} is paid exactly, from a wallet without native`, async () => {
      const { server, stack } = gas;
      const person = await gas.newWallet();
      const { status, body: quote } = await askQuote(server, person);
      expect([status, quote.needs_top_up, quote.needs_permit]).toEqual([200, true, true]);
      expect(BigInt(quote.eth_needed)).toBe(200_000n * BigInt(quote.gas_price));
      expect(quote.eth_amount).toBe(quote.eth_needed);
      const treasury = getWallet("treasury").address;
      const before = await tokenBalance(stack, person.address);
      const paidBefore = await tokenBalance(stack, treasury);

      const sent = await topUp(server, await signedTopUp(person, quote, sign));
      expect([sent.status, sent.body.status]).toEqual([200, "pending"]);
      expect(sent.body.next).toContain(sent.body.hash);
      const settled = await untilSettled(server, sent.body.hash);
      expect(settled.body).toMatchObject({ status: "confirmed", hash: sent.body.hash });
      expect(settled.body.block_number).toMatch(/^\d+$/);

      expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
      expect(before - (await tokenBalance(stack, person.address))).toBe(BigInt(quote.token_amount));
      expect((await tokenBalance(stack, treasury)) - paidBefore).toBe(BigInt(quote.token_amount));
    });
  }

  test("C7-07 the same quote fifty times at once is broadcast once", async () => {
    const { server, stack } = gas;
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const body = await signedTopUp(person, quote);
    const nonce = await relayerNonce(stack);
    const answers = await Promise.all(Array.from({ length: 50 }, () => topUp(server, body)));
    const sent = answers.filter(({ status }) => status === 200);
    expect(sent).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map((one) => `${one.status} ${one.body.error.code}`))).toEqual(
      new Set(["422 quote_consumed"]),
    );
    await untilSettled(server, sent[0]!.body.hash);
    expect(await relayerNonce(stack)).toBe(nonce + 1);
    expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
    const { rowCount } = await server.deps.db.read.query(
      "select 1 from app.relayer_attempts a join app.relayer_transactions t on t.id = a.transaction_id where t.quote_id = $1",
      [quote.quote_id],
    );
    expect(rowCount).toBe(1);

    const again = await topUp(server, body);
    expect([again.status, again.body.error.code]).toEqual([422, "quote_consumed"]);
    expect(again.body.error.details.hash).toBe(sent[0]!.body.hash);
  });

  test("C7-07 the same quote at two servers at once is broadcast once", async () => {
    const { server, stack } = gas;
    const other = await stack.openServer(gasSettings);
    try {
      const person = await gas.newWallet();
      const { body: quote } = await askQuote(server, person);
      const body = await signedTopUp(person, quote);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => topUp(index % 2 === 0 ? server : other, body)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body: { error } }) => error?.code === "quote_consumed")).toHaveLength(19);
    } finally {
      await other.close();
    }
  });

  test("C7-07 the station's contract refuses a quote id that was used", async () => {
    const { server, stack, station } = gas;
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const body = await signedTopUp(person, quote);
    const { body: sent } = await topUp(server, body);
    await untilSettled(server, sent.hash);
    const { input } = await rpc<{ input: `0x${string}` }>(stack, "eth_getTransactionByHash", [sent.hash]);
    const receipt = await sendFrom(stack, getWallet("relayer"), { to: station, data: input });
    expect(receipt.status).toBe("reverted");
    const used = encodeFunctionData({ abi: gasStationAbi, functionName: "used", args: [quote.quote_id] });
    expect(BigInt(await rpc<string>(stack, "eth_call", [{ to: station, data: used }, "latest"]))).toBe(1n);
    // The relayer's key was used externally: the next top-up skips that nonce.
    const next = await gas.newWallet();
    const { body: nextQuote } = await askQuote(server, next);
    const { body: nextSent } = await topUp(server, await signedTopUp(next, nextQuote));
    expect((await untilSettled(server, nextSent.hash)).body.status).toBe("confirmed");
  });

  test("C7-07 a refused top-up does not use the quote up", async () => {
    const { server } = gas;
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const body = await signedTopUp(person, quote);
    const bad = await topUp(server, { ...body, signature: `0x${"11".repeat(65)}` });
    expect([bad.status, bad.body.error.code]).toEqual([422, "signature_invalid"]);
    expect((await topUp(server, body)).status).toBe(200);
  });

  test("C7-07 nothing is sold to a wallet that has enough", async () => {
    const rich = getWallet("treasury");
    const { body } = await gas.server.call("POST", "/gas/quote", {
      wallet: rich.address,
      token: "USDG",
      gas_limit: 21_000,
    });
    expect(body).toMatchObject({
      needs_top_up: false,
      needs_permit: false,
      token_amount: "0",
      eth_amount: "0",
      typed_data: null,
      permit_typed_data: null,
      next: null,
    });
    expect(BigInt(body.eth_balance)).toBeGreaterThan(BigInt(body.eth_needed));
  });
});
