import type { PaymentRequest, PaymentRequirements } from "@slipway/protocol/payments";
import { describe, expect, it } from "vitest";
import { ApiError } from "./apiError.ts";
import { createPayments, type PaymentCaps } from "./createPayments.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const caps: PaymentCaps = {
  network: "eip155:4663",
  asset: address("a"),
  payee: address("b"),
  maxAmount: 5n,
  maxTotal: 8n,
};
const offered: PaymentRequirements = {
  scheme: "exact",
  network: caps.network,
  amount: "5",
  asset: caps.asset,
  payTo: caps.payee,
  maxTimeoutSeconds: 60,
  extra: { assetTransferMethod: "eip3009", name: "Global Dollar", version: "1", product: "credits:1" },
};
const failure = (
  code: "payment_required" | "storage_unavailable" | "invalid_fields",
  details?: Record<string, unknown>,
) =>
  new ApiError({
    code,
    message: code,
    status: 400,
    requestId: null,
    retryable: code === "storage_unavailable",
    retryAfterSeconds: null,
    details,
  });

/** A service with one offer, whose answers to payments a test chooses, and a signer that records what it signs. */
function open(offer: object = offered, answers: (object | Error)[] = []) {
  const sent: PaymentRequest[] = [];
  const signed: any[] = [];
  const client = {
    createPayment: async (request: PaymentRequest = {}) => {
      sent.push(request);
      if (request.payment === undefined) throw failure("payment_required", { x402: { accepts: [offer] } });
      const answer = answers.shift() ?? { id: "1", status: "pending" };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    getPayment: async () => answers.shift(),
  };
  const signer = {
    address: address("c"),
    sign: async (typed: object) => {
      signed.push(typed);
      return `0x${"1".repeat(130)}`;
    },
  };
  const payments = createPayments(client as never, signer, caps, { sleep: async () => undefined });
  return { payments, sent, signed };
}

describe("createPayments", () => {
  it("signs a transfer of the offered price to the caller's own payee, asset and chain", async () => {
    const { payments, sent, signed } = open();
    expect(await payments.buy("credits:1")).toEqual({ id: "1", status: "pending" });
    expect(sent.map(({ product, payment }) => product ?? payment?.accepted)).toEqual(["credits:1", offered]);
    expect(signed).toMatchObject([
      {
        domain: { name: "Global Dollar", version: "1", chainId: 4663, verifyingContract: caps.asset },
        primaryType: "TransferWithAuthorization",
        message: { from: address("c"), to: caps.payee, value: "5", validAfter: "0" },
      },
    ]);
    expect(payments.spent()).toBe(5n);
  });

  it.each<[string, object]>([
    ["wrong_network", { network: "eip155:1" }],
    ["wrong_network", { network: "eip155:46630" }],
    ["wrong_asset", { asset: address("d") }],
    ["wrong_payee", { payTo: address("d") }],
    ["wrong_payee", { payTo: undefined }],
    ["above_max_amount", { amount: "6" }],
    ["above_max_amount", { amount: "-1" }],
    ["above_max_amount", { amount: "0x1" }],
    ["above_max_amount", { amount: 1 }],
    ["no_offer", { extra: { ...offered.extra, product: "credits:2" } }],
    ["no_offer", { extra: undefined }],
  ])("C11-13 refuses with %s, and signs nothing, for an offer with %j", async (code, change) => {
    const { payments, sent, signed } = open({ ...offered, ...change });
    await expect(payments.buy("credits:1")).rejects.toMatchObject({ name: "PaymentError", code });
    expect([signed, sent.length, payments.spent()]).toEqual([[], 1, 0n]);
  });

  it("C11-13 counts every signature against maxTotal, also concurrent and refused ones", async () => {
    const { payments, signed } = open(offered, [failure("invalid_fields")]);
    const results = await Promise.allSettled([payments.pay(offered), payments.pay(offered)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(results[1]).toMatchObject({ reason: { code: "above_max_total" } });
    expect([signed.length, payments.spent()]).toEqual([1, 5n]);
    await expect(payments.pay({ ...offered, amount: "4" })).rejects.toMatchObject({ code: "above_max_total" });
    await payments.pay({ ...offered, amount: "3" });
    expect(payments.spent()).toBe(8n);
  });

  it("C11-13 repeats an unanswered request with the same signature", async () => {
    const { payments, sent, signed } = open(offered, [new TypeError("fetch failed"), failure("storage_unavailable")]);
    expect(await payments.pay(offered)).toEqual({ id: "1", status: "pending" });
    expect([signed.length, sent.length]).toEqual([1, 3]);
    expect(new Set(sent.map(({ payment }) => JSON.stringify(payment))).size).toBe(1);
    expect(payments.spent()).toBe(5n);
  });

  it("counts nothing if the signer refuses, and waits until a payment has ended", async () => {
    const { payments } = open(offered, [{ status: "pending" }, { status: "booked" }]);
    const refusing = createPayments(
      {} as never,
      { address: address("c"), sign: () => Promise.reject(new Error("no")) },
      caps,
    );
    await expect(refusing.pay(offered)).rejects.toThrow("no");
    expect(refusing.spent()).toBe(0n);
    expect(await payments.wait("1")).toEqual({ status: "booked" });
  });
});
