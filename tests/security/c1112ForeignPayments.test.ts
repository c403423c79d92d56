import { getFreePort } from "@slipway/dev/process/getFreePort";
import { createClient } from "@slipway/sdk/createClient";
import { createPayments } from "@slipway/sdk/createPayments";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { beforeAll, describe, expect, test } from "vitest";
import { payee } from "../support/payments/paymentEnvironment.ts";
import { usePayments } from "../support/payments/usePayments.ts";
import type { Person } from "../support/security/startGasStack.ts";

const payments = usePayments();
const { gas, totals } = payments;
let site: string;
beforeAll(async () => {
  site = await gas.server.listen(await getFreePort());
});

/** A client that may pay with the stablecoin of the stack: by default it pays only with assets that it knows. */
function openClient(person: Person): x402Client {
  const network = `eip155:${gas.stack.manifest.chain_id}` as const;
  const client = new x402Client().register(network, new ExactEvmScheme(person.account));
  return client.setSpendControls({ allowedAssets: [{ network, asset: gas.stack.stablecoin }] });
}

describe("C11-12", () => {
  test("C11-12 a client of x402 that is not ours reads an offer, pays it, and reads the settlement", async () => {
    const person = await gas.newWallet();
    const before = await totals();
    const network = `eip155:${gas.stack.manifest.chain_id}` as const;
    const pay = wrapFetchWithPayment(fetch, openClient(person));
    const headers = { authorization: `Bearer ${gas.stack.account.key}`, "content-type": "application/json" };
    const url = `${site}/api/account/payments`;
    const paid = await pay(url, { method: "POST", headers, body: JSON.stringify({ product: "credits:1000" }) });
    const payment = (await paid.json()) as { id: string };
    expect([paid.status, payment]).toMatchObject([
      201,
      { status: "pending", payer: person.address, product: "credits:1000" },
    ]);
    expect((await payments.untilEnded(payment.id)).status).toBe("booked");
    const read = await fetch(`${url}/${payment.id}`, { headers });
    const settled = decodePaymentResponseHeader(read.headers.get("PAYMENT-RESPONSE")!);
    expect(settled).toMatchObject({ success: true, network, payer: person.address });
    expect(settled.transaction).toMatch(/^0x[0-9a-f]{64}$/);
    const after = await totals();
    expect([after.received - before.received, after.credits - before.credits]).toEqual([9_000_000n, 1_000]);
  });

  test("C11-12 a client that pays where a forecast lacks credits is not charged: only the named URL takes payments", async () => {
    const account = await gas.stack.createAccount("poor");
    const person = await gas.newWallet();
    const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ series: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], prediction_length: 2, interval: "HOUR_1" });
    const answer = await wrapFetchWithPayment(fetch, openClient(person))(`${site}/api/forecast/line`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(402);
    expect(await payments.query("select 1 from app.payments where payer = lower($1)", [person.address])).toEqual([]);
  });
});

describe("C11-13", () => {
  test("C11-13 the SDK buys within its caps, and signs nothing outside of them", async () => {
    const person = await gas.newWallet();
    const client = createClient({ baseUrl: `${site}/api/v1/launchpad`, apiKey: gas.stack.account.key });
    const signer = { address: person.address, sign: (typed: object) => person.account.signTypedData(typed as never) };
    const caps = {
      network: `eip155:${gas.stack.manifest.chain_id}`,
      asset: gas.stack.stablecoin,
      payee,
      maxAmount: 1_000_000n,
      maxTotal: 1_500_000n,
    };
    const own = createPayments(client, signer, caps);
    const { id } = await own.buy("credits:100");
    await payments.untilSent(id);
    await payments.makeFinal();
    expect((await own.wait(id)).status).toBe("booked");
    await expect(own.buy("credits:1000")).rejects.toMatchObject({ code: "above_max_amount" });
    await expect(own.buy("credits:100")).rejects.toMatchObject({ code: "above_max_total" });
    await expect(own.buy("credits:5")).rejects.toMatchObject({ name: "ApiError", code: "invalid_fields" });
    for (const [change, code] of [
      [{ payee: gas.station }, "wrong_payee"],
      [{ asset: gas.station }, "wrong_asset"],
      [{ network: "eip155:1" }, "wrong_network"],
    ] as const) {
      const other = createPayments(client, signer, { ...caps, ...change });
      await expect(other.buy("credits:100")).rejects.toMatchObject({ code });
    }
    expect(
      (await payments.query("select count(*) as n from app.payments where payer = lower($1)", [person.address]))[0].n,
    ).toBe(1);
  });
});
