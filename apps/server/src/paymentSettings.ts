import { getProductName, type Product, parseProduct } from "@slipway/protocol/payments";
import { z } from "zod";
import { list, wei } from "./settingTypes.ts";

/** A product and its price in whole units of the stablecoin, as decimal digits. */
export type ProductPrice = { product: Product; price: string };

/** An offer names every price in a header, whose size proxies limit. */
const maxPrices = 8;

/** A price of a product, e.g. `credits:100=1.00`. */
const productPrice = z.string().transform((text, context): ProductPrice => {
  const [, name = "", price = ""] = /^(\w+:\d+)=(\d{1,9}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  const product = parseProduct(name);
  if (product !== null && Number(price) > 0) return { product, price };
  context.addIssue("must be PRODUCT=PRICE, such as credits:100=1.00 or subscriber:30=20, with a price above 0");
  return z.NEVER;
});

/** Settings of payments by x402; off without PAYMENT_RECIPIENT. `docs/accounts.md` explains them. */
export const paymentSettings = {
  /** The address that receives the stablecoin. */
  PAYMENT_RECIPIENT: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "must be an address: 0x and 40 hex digits")
    .refine((address) => !/^0x0{40}$/.test(address), "must not be the zero address")
    .optional(),
  PAYMENT_PRICES: list(productPrice)
    .refine((prices) => prices.length <= maxPrices, `must have at most ${maxPrices} prices`)
    .refine((prices) => isDistinct(prices.map(({ product }) => getProductName(product))), "names a product twice")
    // The signed amount alone says what is bought.
    .refine((prices) => isDistinct(prices.map(({ price }) => Number(price))), "has one price for two products")
    .default([]),
  /** Maximum amount that the relayer spends on the gas of payments in 24 hours. */
  PAYMENT_DAILY_GAS_WEI: wei(10n ** 18n / 20n),
};

const isDistinct = (values: readonly unknown[]) => new Set(values).size === values.length;

/** Finds incomplete settings of payments, which would silently disable payments. */
export function findPaymentProblems(isSet: (name: string) => boolean): string[] {
  if (!isSet("PAYMENT_RECIPIENT")) {
    return isSet("PAYMENT_PRICES")
      ? ["PAYMENT_RECIPIENT: is not set, but PAYMENT_PRICES is; set both, or neither"]
      : [];
  }
  return ["PAYMENT_PRICES", "RELAYER_PRIVATE_KEY"]
    .filter((name) => !isSet(name))
    .map((name) => `${name}: is not set, but PAYMENT_RECIPIENT is; set it, or remove PAYMENT_RECIPIENT`);
}
