import { reorganise } from "@slipway/dev/chain/reorganise";
import { bookCredits } from "@slipway/server/accounts/credits";
import { deleteAccount } from "@slipway/server/accounts/deleteAccount";
import { startPlan } from "@slipway/server/accounts/plans";
import { bookPayments } from "@slipway/server/features/payments/bookPayments";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { payee, paymentEnvironment } from "../support/payments/paymentEnvironment.ts";
import { usePayments } from "../support/payments/usePayments.ts";
import { gasSettings, relayerNonce, rpc, tokenBalance } from "../support/security/startGasStack.ts";
import type { Answer } from "../support/security/startTestStack.ts";

const payments = usePayments();
const { gas, pay, get, offer, sign, totals, untilEnded } = payments;
const refusal = ({ status, body }: Answer) => [status, body.error?.code];
const price = 1_000_000n;

beforeEach(async () => {
  await rpc(gas.stack, "evm_setAutomine", [true]);
});

describe("C11-01", () => {
  test("C11-01 a signed payment is booked once, when its transfer is final, and repeated requests return the same payment", async () => {
    const account = await gas.stack.createAccount("payer");
    const person = await gas.newWallet();
    const before = await totals(account.id);
    const signed = await sign(person, await offer());
    const first = await pay({ payment: signed }, { as: account });
    expect([first.status, first.body]).toMatchObject([
      201,
      { status: "pending", amount: "1000000", product: "credits:100" },
    ]);
    await payments.untilSent(first.body.id);
    expect(await totals(account.id)).toEqual({ ...before, received: before.received + price });
    const again = await pay({ payment: signed }, { as: account });
    expect([again.status, again.body.id, again.headers!["payment-response"]]).toEqual([200, first.body.id, undefined]);
    expect(await untilEnded(first.body.id, account)).toMatchObject({ status: "booked", reason: null });
    const after = { received: before.received + price, credits: 100, bookings: 1 };
    expect(await totals(account.id)).toEqual(after);
    const late = await pay({ payment: signed }, { as: account });
    const settled = JSON.parse(Buffer.from(String(late.headers!["payment-response"]), "base64").toString());
    expect(settled).toMatchObject({ success: true, payer: person.address, transaction: late.body.transaction });
    expect(await totals(account.id)).toEqual(after);
    expect(refusal(await get(first.body.id))).toEqual([404, "not_found"]);
  });

  test("C11-01 payments of a plan add their days one after the other", async () => {
    const account = await gas.stack.createAccount("subscriber");
    for (const days of [30, 60]) {
      const { body } = await pay(
        { payment: await sign(await gas.newWallet(), await offer("subscriber:30")) },
        { as: account },
      );
      expect((await untilEnded(body.id, account)).status).toBe("booked");
      const [row] = await payments.query(
        "select extract(epoch from max(active_until) - now()) / 86400 as days from app.plans where account_id = $1",
        [account.id],
      );
      expect(Number(row.days)).toBeCloseTo(days, 1);
    }
    expect(refusal(await pay({ product: "subscriber:30", payment: undefined }, { as: account }))).toEqual([
      402,
      "payment_required",
    ]);
    await startPlan(gas.stack.deps.db.api, account.id, "subscriber");
    const refused = await pay(
      { payment: await sign(await gas.newWallet(), await offer("subscriber:30")) },
      { as: account },
    );
    expect(refusal(refused)).toEqual([422, "invalid_fields"]);
  });
});

describe("C11-02", () => {
  test("C11-02 another network, contract, payee, value, window, signer or form of the signature is refused before anything is sent", async () => {
    const person = await gas.newWallet();
    const other = await gas.newWallet();
    const offered = await offer();
    const before = [await totals(), await relayerNonce(gas.stack)];
    const seconds = Number(
      (await rpc<{ timestamp: string }>(gas.stack, "eth_getBlockByNumber", ["latest", false])).timestamp,
    );
    const honest = await sign(person, offered);
    const { payload } = honest;
    const s = BigInt(`0x${payload.signature.slice(66, 130)}`);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const flipped = payload.signature.endsWith("1b") ? "1c" : "1b";
    const malleable = `${payload.signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${flipped}`;
    const cases: [string, unknown, string][] = [
      ["network of the offer", await sign(person, offered, { accepted: { network: "eip155:1" } }), "invalid_fields"],
      ["chain of the signature", await sign(person, offered, { chainId: 1 }), "signature_invalid"],
      ["asset of the offer", await sign(person, offered, { accepted: { asset: gas.station } }), "invalid_fields"],
      [
        "contract of the signature",
        await sign(person, { ...offered, asset: gas.station }, { accepted: { asset: offered.asset } }),
        "signature_invalid",
      ],
      ["payee of the offer", await sign(person, offered, { accepted: { payTo: other.address } }), "invalid_fields"],
      [
        "payee of the transfer",
        await sign(person, offered, { authorization: { to: other.address } }),
        "invalid_fields",
      ],
      ["lower value", await sign(person, offered, { authorization: { value: "999999" } }), "invalid_fields"],
      ["higher value", await sign(person, offered, { authorization: { value: "1000001" } }), "invalid_fields"],
      ["price that is not offered", await sign(person, { ...offered, amount: "5" }), "invalid_fields"],
      [
        "later begin",
        await sign(person, offered, { authorization: { validAfter: String(seconds + 5_000) } }),
        "invalid_fields",
      ],
      [
        "end that is too near",
        await sign(person, offered, { authorization: { validBefore: String(seconds + 30) } }),
        "invalid_fields",
      ],
      [
        "end that is too far",
        await sign(person, offered, { authorization: { validBefore: String(seconds + 9_000) } }),
        "invalid_fields",
      ],
      [
        "payer that did not sign",
        { ...honest, payload: { ...payload, authorization: { ...payload.authorization, from: other.address } } },
        "signature_invalid",
      ],
      [
        "nonce that is not signed",
        {
          ...honest,
          payload: { ...payload, authorization: { ...payload.authorization, nonce: `0x${"1".repeat(64)}` } },
        },
        "signature_invalid",
      ],
      ["malleable signature", { ...honest, payload: { ...payload, signature: malleable } }, "signature_invalid"],
    ];
    for (const [what, payment, code] of cases)
      expect([what, ...refusal(await pay({ payment: payment as object }))]).toEqual([what, 422, code]);
    expect([await totals(), await relayerNonce(gas.stack)]).toEqual(before);
    expect((await payments.query("select 1 from app.payments where payer = lower($1)", [person.address])).length).toBe(
      0,
    );
  });

  test("C11-02 a payer without the price is refused, and a signature that executed already buys nothing", async () => {
    const poor = await gas.newWallet(price - 1n);
    expect(refusal(await pay({ payment: await sign(poor, await offer()) }))).toEqual([422, "insufficient_balance"]);
    const person = await gas.newWallet();
    const signed = await sign(person, await offer());
    await payments.precede(payments.encodeTransfer(signed), async () => undefined);
    const before = await totals();
    expect(refusal(await pay({ payment: signed }))).toEqual([409, "authorization_used"]);
    expect(await totals()).toEqual(before);
  });
});

describe("C11-03", () => {
  test("C11-03 the same authorization, submitted by many requests, servers and accounts at once, is one payment", async () => {
    const other = await gas.stack.openServer({ ...gasSettings, ...paymentEnvironment });
    const stranger = await gas.stack.createAccount("stranger");
    try {
      // A new server offers nothing until it has verified the chain.
      await expect.poll(async () => (await pay({ product: "credits:100" }, { server: other })).status).toBe(402);
      const person = await gas.newWallet();
      const payment = await sign(person, await offer());
      const nonce = await relayerNonce(gas.stack);
      const readCredits = async () => (await totals()).credits + (await totals(stranger.id)).credits;
      const [before, creditsBefore] = [await totals(), await readCredits()];
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, i) =>
          pay({ payment }, { server: i % 2 ? other : gas.server, ...(i % 3 === 0 && { as: stranger }) }),
        ),
      );
      const winner = answers.findIndex(({ status }) => status === 201) % 3 === 0 ? stranger : gas.stack.account;
      const accepted = answers.filter(({ status }) => status < 300);
      expect(accepted.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1);
      // Each request of the account that paid gets its payment.
      expect(accepted).toHaveLength(winner === stranger ? 3 : 6);
      for (const answer of answers.filter(({ status }) => status >= 300))
        expect(refusal(answer), answer.body.error?.message).toEqual([409, "authorization_used"]);
      expect((await untilEnded(accepted[0]!.body.id, winner)).status).toBe("booked");
      expect(await relayerNonce(gas.stack)).toBe(nonce + 1);
      expect((await totals()).received - before.received).toBe(price);
      expect((await readCredits()) - creditsBefore).toBe(100);
    } finally {
      await other.close();
    }
  });

  test("C11-03 a request that is simulated after the transfer of another request returns that payment to its account alone", async () => {
    const late = await gas.stack.openServer({ ...gasSettings, ...paymentEnvironment });
    const stranger = await gas.stack.createAccount("late stranger");
    const transferred = Promise.withResolvers<void>();
    try {
      await expect.poll(async () => (await pay({ product: "credits:100" }, { server: late })).status).toBe(402);
      const payment = await sign(await gas.newWallet(), await offer());
      const { chain } = late.deps;
      const request = chain.request;
      let simulations = 0;
      // The node of this server executes the simulation on a newer block than the requested one.
      vi.spyOn(chain, "request").mockImplementation(async (call) => {
        if (call.method !== "eth_simulateV1") return await request(call);
        simulations++;
        await transferred.promise;
        return await request({ ...call, params: [(call.params as unknown[])[0], "latest"] });
      });
      const answers = [pay({ payment }, { server: late }), pay({ payment }, { server: late, as: stranger })];
      await expect.poll(() => simulations).toBe(2);
      const first = await pay({ payment });
      expect(first.status).toBe(201);
      await payments.untilSent(first.body.id);
      transferred.resolve();
      const [own, foreign] = await Promise.all(answers);
      expect([own!.status, own!.body.id]).toEqual([200, first.body.id]);
      expect(refusal(foreign!)).toEqual([409, "authorization_used"]);
      expect((await untilEnded(first.body.id)).status).toBe("booked");
    } finally {
      transferred.resolve();
      await late.close();
    }
  });

  test("C11-03 many jobs book a payment once", async () => {
    const person = await gas.newWallet();
    const before = await totals();
    const { body } = await pay({ payment: await sign(person, await offer()) });
    await payments.pauseJob(async () => {
      await payments.untilSent(body.id);
      await payments.makeFinal();
    });
    const jobs = Array.from({ length: 4 }, () => bookPayments(gas.server.deps));
    try {
      await expect.poll(async () => (await get(body.id)).body.status).toBe("booked");
    } finally {
      await Promise.all(jobs.map((job) => job.stop()));
    }
    expect(await totals()).toEqual({
      received: before.received + price,
      credits: before.credits + 100,
      bookings: before.bookings + 1,
    });
  });

  test("C11-03 a nonce that a payer submits with other terms, and a second payment before the first is final, are refused", async () => {
    const person = await gas.newWallet();
    const first = await sign(person, await offer());
    const { body } = await pay({ payment: first });
    const { nonce } = first.payload.authorization;
    const second = await sign(person, await offer("credits:1000"), { authorization: { nonce } });
    expect(refusal(await pay({ payment: second }))).toEqual([409, "authorization_used"]);
    expect(refusal(await pay({ payment: await sign(person, await offer()) }))).toEqual([429, "rate_limited"]);
    expect((await untilEnded(body.id)).status).toBe("booked");
  });
});

describe("C11-04", () => {
  test("C11-04 an authorization that its payer cancels in flight fails, and no money moves", async () => {
    const person = await gas.newWallet();
    const signed = await sign(person, await offer());
    const before = await totals();
    const cancellation = await payments.encodeCancellation(person, signed);
    let id = "";
    await payments.precede(cancellation, async () => {
      const { status, body } = await pay({ payment: signed });
      expect(status).toBe(201);
      id = body.id;
    });
    expect(await untilEnded(id)).toMatchObject({ status: "failed", reason: "cancelled" });
    expect(await totals()).toEqual(before);
    expect(await tokenBalance(gas.stack, person.address)).toBe(100_000_000n);
  });

  test("C11-04 a transfer that somebody else sends first is booked once: the logs count, not the sender", async () => {
    const person = await gas.newWallet();
    const signed = await sign(person, await offer());
    const before = await totals();
    let id = "";
    await payments.precede(payments.encodeTransfer(signed), async () => {
      id = (await pay({ payment: signed })).body.id;
    });
    const ended = await untilEnded(id);
    expect(ended).toMatchObject({ status: "booked", reason: null });
    const [own] = await payments.query("select mined_hash, state from app.relayer_transactions where payment_id = $1", [
      id,
    ]);
    // USDG ignores the second use without a revert.
    expect([own.state, own.mined_hash === ended.transaction]).toEqual(["confirmed", false]);
    expect(await totals()).toEqual({
      received: before.received + price,
      credits: before.credits + 100,
      bookings: before.bookings + 1,
    });
  });

  test("C11-04 a payer that uses the nonce for a transfer to itself pays for nothing", async () => {
    const person = await gas.newWallet();
    const signed = await sign(person, await offer());
    const { nonce } = signed.payload.authorization;
    const own = await sign(person, await offer(), { authorization: { nonce, to: person.address } });
    const before = await totals();
    let id = "";
    await payments.precede(payments.encodeTransfer(own), async () => {
      id = (await pay({ payment: signed })).body.id;
    });
    expect(await untilEnded(id)).toMatchObject({ status: "failed", reason: "used_otherwise" });
    expect(await totals()).toEqual(before);
  });
});

describe("C11-05", () => {
  test("C11-05 a reorganisation before the transfer is final books nothing; the transfer is sent again, and booked once", async () => {
    const person = await gas.newWallet();
    const before = await totals();
    const { body } = await pay({ payment: await sign(person, await offer()) });
    await payments.untilSent(body.id);
    await gas.pauseJob(async () => {
      await reorganise(gas.stack.chain.rpcUrl);
      expect((await totals()).received).toBe(before.received);
    });
    await expect.poll(async () => (await totals()).received).toBe(before.received + price);
    expect((await get(body.id)).body.status).toBe("pending");
    expect((await untilEnded(body.id)).status).toBe("booked");
    expect(await totals()).toEqual({
      received: before.received + price,
      credits: before.credits + 100,
      bookings: before.bookings + 1,
    });
  });
});

describe("C11-08", () => {
  test("C11-08 money of an account that was deleted meanwhile is held for the operator, and never booked", async () => {
    const account = await gas.stack.createAccount("leaves");
    const { body } = await pay({ payment: await sign(await gas.newWallet(), await offer()) }, { as: account });
    await deleteAccount(gas.stack.deps.db.api, account.id);
    await payments.untilSent(body.id);
    await payments.makeFinal();
    const read = async () =>
      (await payments.query("select state, reason, account_id from app.payments where id = $1", [body.id]))[0];
    await expect.poll(async () => (await read()).state).toBe("held");
    expect(await read()).toMatchObject({ reason: "account_deleted" });
    expect((await read()).account_id).not.toBe(account.id);
    expect((await totals(account.id)).bookings).toBe(0);
  });

  test("C11-08 an account at the maximum of credits buys none, and its money stays", async () => {
    const account = await gas.stack.createAccount("rich");
    const grant = {
      accountId: account.id,
      kind: "grant",
      amount: 1_000_000_000 - 99,
      reason: "test",
      requestId: "rich",
    } as const;
    await bookCredits(gas.stack.deps.db.api, grant);
    const person = await gas.newWallet();
    const nonce = await relayerNonce(gas.stack);
    expect(refusal(await pay({ payment: await sign(person, await offer()) }, { as: account }))).toEqual([
      409,
      "too_many_credits",
    ]);
    expect([await tokenBalance(gas.stack, person.address), await relayerNonce(gas.stack)]).toEqual([
      100_000_000n,
      nonce,
    ]);
  });
});

describe("C11-09", () => {
  test("C11-09 with the day's gas used up, or a relayer below its floor, no payment is accepted and no money moves", async () => {
    const changes: Record<string, string>[] = [
      { PAYMENT_DAILY_GAS_WEI: "1" },
      { RELAYER_FLOOR_WEI: (10n ** 25n).toString() },
    ];
    for (const change of changes) {
      const server = await gas.stack.openServer({ ...gasSettings, ...paymentEnvironment, ...change });
      try {
        const person = await gas.newWallet();
        const nonce = await relayerNonce(gas.stack);
        const payment = await sign(person, await offer());
        expect(refusal(await pay({ payment }, { server }))).toEqual([503, "payment_unavailable"]);
        expect([await tokenBalance(gas.stack, person.address), await relayerNonce(gas.stack)]).toEqual([
          100_000_000n,
          nonce,
        ]);
        // The same signature is accepted once there is gas.
        const { status, body } = await pay({ payment });
        expect(status).toBe(201);
        expect((await untilEnded(body.id)).status).toBe("booked");
      } finally {
        await server.close();
      }
    }
  });

  test("C11-09 a payer whose payments failed five times in a day costs the relayer no more gas", async () => {
    const account = await gas.stack.createAccount("drains");
    const person = await gas.newWallet();
    await payments.query(
      `with p as (
         insert into app.payments (id, account_id, chain_id, asset, payer, payee, amount, valid_after, valid_before, nonce,
           credits, start_block, state, reason)
         select gen_random_uuid(), $1, $2, 'a', lower($3), 'p', 1, 0, 1, '0x' || lpad(to_hex(n), 64, '0'), 1, 1, 'failed', 'cancelled'
         from generate_series(1, 5) n returning id
       )
       insert into app.relayer_transactions (id, chain_id, sender, nonce, payment_id, account_id, wallet, client_address,
         station, data, gas_limit, native_amount, deadline, state, finished_at)
       select gen_random_uuid(), 1, 's', row_number() over (), id, $1, 'w', 'elsewhere', 's', '0x', 1, 0, 1, 'failed', now() from p`,
      [account.id, gas.stack.manifest.chain_id, person.address],
    );
    const refused = await pay({ payment: await sign(person, await offer()) });
    expect(refusal(refused)).toEqual([429, "rate_limited"]);
    expect(refused.body.error.details.retry_after_seconds).toBeGreaterThan(80_000);
  });
});

describe("C11-06", () => {
  test("C11-06 an authorization that is not executed in time fails, once its end is final", async () => {
    const person = await gas.newWallet();
    const offered = await offer();
    const before = await totals();
    let id = "";
    await gas.pauseJob(async () => {
      await rpc(gas.stack, "evm_setAutomine", [false]);
      const { timestamp } = await rpc<{ timestamp: string }>(gas.stack, "eth_getBlockByNumber", ["latest", false]);
      const validBefore = String(Number(timestamp) + 70);
      const sent = await pay({ payment: await sign(person, offered, { authorization: { validBefore } }) });
      id = sent.body.id;
      await rpc(gas.stack, "anvil_dropTransaction", [sent.body.transaction]);
      await rpc(gas.stack, "evm_increaseTime", [80]);
      await rpc(gas.stack, "evm_mine");
      const readExpiry = async () =>
        (await payments.query("select expiry_block from app.payments where id = $1", [id]))[0].expiry_block;
      await expect.poll(readExpiry).not.toBeNull();
      expect((await get(id)).body.status).toBe("pending");
      await payments.makeFinal();
      await expect.poll(async () => (await get(id)).body.status).toBe("failed");
    });
    await rpc(gas.stack, "evm_setAutomine", [true]);
    await rpc(gas.stack, "evm_mine");
    expect((await get(id)).body).toMatchObject({ reason: "expired", transaction: null });
    await payments.untilSent(id);
    expect(await totals()).toEqual(before);
    expect(await tokenBalance(gas.stack, payee)).toBe(before.received);
  });
});
