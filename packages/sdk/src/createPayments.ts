import type { Payment, PaymentOffer, PaymentRequirements, SignedPayment } from "@slipway/protocol/payments";
import { transferAuthorizationTypedData } from "@slipway/protocol/transferAuthorization";
import type { TypedData } from "@slipway/protocol/typedData";
import { ApiError } from "./apiError.ts";
import type { Client } from "./createMethods.ts";
import { pauseASecond } from "./stepWallet.ts";

type Hex = `0x${string}`;

/** The payer: its address, and the function that signs typed data (`eth_signTypedData_v4`). */
export type PaymentSigner = { address: string; sign(typed: TypedData): Promise<string> };

/** The limits of payments. The caller sets every value itself, never from an offer. Amounts in base units of the asset. */
export type PaymentCaps = {
  /** The CAIP-2 id of the chain, e.g. `eip155:4663`. */
  network: string;
  asset: string;
  /** The only receiving address. */
  payee: string;
  /** The highest amount of one payment. */
  maxAmount: bigint;
  /** The highest sum of all signed payments, whether they were booked or not. */
  maxTotal: bigint;
};

/**
 * - `no_offer`: the service made no offer of this product.
 * - `wrong_network`, `wrong_asset`, `wrong_payee`: the offer names another chain, token or receiver than the caps.
 * - `above_max_amount`, `above_max_total`: the price is above a cap.
 */
export type PaymentRefusal =
  | "no_offer"
  | "wrong_network"
  | "wrong_asset"
  | "wrong_payee"
  | "above_max_amount"
  | "above_max_total";

/** An offer that the caps exclude. Nothing was signed. */
export class PaymentError extends Error {
  override name = "PaymentError";
  readonly code: PaymentRefusal;

  constructor(code: PaymentRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

export type Payments = {
  /**
   * Buys a product, e.g. `credits:100`, at the price that the service offers now. An unanswered request is repeated with
   * the same signature, which can pay once.
   *
   * @throws PaymentError if the offer is outside of the caps; ApiError; the errors of `fetch` and of the signer.
   */
  buy(product: string): Promise<Payment>;
  /** Buys one accepted payment of an offer, e.g. of `details.x402` of an ApiError. Same errors. */
  pay(offered: PaymentRequirements): Promise<Payment>;
  /** Waits until a payment is no longer `pending`. */
  wait(id: string): Promise<Payment>;
  /** The sum of all signed payments: a signature can be used until it expires, also if the service refused it. */
  spent(): bigint;
};

/** The validity of a signature in seconds, if the offer does not ask for less. */
const maxValiditySeconds = 900;
const maxAttempts = 5;

/**
 * Creates the payments of a client within caps. Keeps the sum in memory: after a restart, pass a lower `maxTotal`.
 *
 * @example
 * const caps = { network: "eip155:4663", asset: usdg, payee: operator, maxAmount: 5_000_000n, maxTotal: 20_000_000n };
 * const payments = createPayments(client, { address: account.address, sign: (typed) => account.signTypedData(typed) }, caps);
 * const { id } = await payments.buy("credits:100");
 * const { status } = await payments.wait(id);
 *
 * @param options.sleep - Pauses between two requests; one second by default.
 */
export function createPayments(
  client: Pick<Client, "createPayment" | "getPayment">,
  signer: PaymentSigner,
  caps: PaymentCaps,
  { sleep = pauseASecond }: { sleep?: () => Promise<void> } = {},
): Payments {
  let total = 0n;

  const pay = async (offered: PaymentRequirements): Promise<Payment> => {
    const amount = requireWithin(caps, offered, total);
    // Before the signer is asked, so that payments at the same time share the cap.
    total += amount;
    const signed = await sign(signer, caps, offered).catch((error: unknown) => {
      total -= amount;
      throw error;
    });
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.createPayment({ payment: signed });
      } catch (error) {
        const isAnswered = error instanceof ApiError && !error.retryable;
        if (isAnswered || attempt === maxAttempts) throw error;
        await sleep();
      }
    }
  };

  return {
    pay,
    buy: async (product) => {
      const found = (await readOffer(client, product)).find(({ extra }) => extra?.product === product);
      if (found === undefined) throw new PaymentError("no_offer", `The service does not offer ${product}.`);
      return await pay(found);
    },
    wait: async (id) => {
      for (;;) {
        const payment = await client.getPayment({ id });
        if (payment.status !== "pending") return payment;
        await sleep();
      }
    },
    spent: () => total,
  };
}

async function readOffer(client: Pick<Client, "createPayment">, product: string): Promise<PaymentRequirements[]> {
  try {
    await client.createPayment({ product });
  } catch (error) {
    const offer = error instanceof ApiError ? (error.details?.x402 as PaymentOffer | undefined) : undefined;
    if (offer === undefined) throw error;
    return offer.accepts;
  }
  return [];
}

/** @returns the amount. @throws PaymentError */
function requireWithin(caps: PaymentCaps, offered: PaymentRequirements, total: bigint): bigint {
  const isSame = (a: unknown, b: string) => typeof a === "string" && a.toLowerCase() === b.toLowerCase();
  const { network, asset, payTo, amount } = offered;
  if (network !== caps.network) throw new PaymentError("wrong_network", `The offer is for the network ${network}.`);
  if (!isSame(asset, caps.asset)) throw new PaymentError("wrong_asset", `The offer is for the asset ${asset}.`);
  if (!isSame(payTo, caps.payee)) throw new PaymentError("wrong_payee", `The offer pays ${payTo}.`);
  const isAmount = typeof amount === "string" && /^[0-9]{1,78}$/.test(amount);
  if (!isAmount || BigInt(amount) > caps.maxAmount)
    throw new PaymentError("above_max_amount", `The price ${amount} is above maxAmount.`);
  if (total + BigInt(amount) > caps.maxTotal)
    throw new PaymentError("above_max_total", `The price ${amount} would exceed maxTotal.`);
  return BigInt(amount);
}

/** Signs exactly the caps' chain, asset and payee: the offer decides only the amount and the names of the domain. */
async function sign(signer: PaymentSigner, caps: PaymentCaps, offered: PaymentRequirements): Promise<SignedPayment> {
  const seconds = Math.min(Number(offered.maxTimeoutSeconds) || maxValiditySeconds, maxValiditySeconds);
  const nonce: Hex = `0x${[...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const authorization = {
    from: signer.address,
    to: caps.payee,
    value: offered.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1_000) + seconds),
    nonce,
  };
  const terms = {
    from: signer.address as Hex,
    to: caps.payee as Hex,
    value: BigInt(offered.amount),
    validAfter: 0n,
    validBefore: BigInt(authorization.validBefore),
    nonce,
  };
  const { name, version } = offered.extra;
  const chainId = Number(caps.network.split(":")[1]);
  const typed = transferAuthorizationTypedData(terms, caps.asset as Hex, { name, version }, chainId);
  const signature = await signer.sign(typed);
  return { x402Version: 2, accepted: offered, payload: { signature, authorization } };
}
