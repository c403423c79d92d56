import { checksummed } from "@slipway/protocol/primitives";

/** The address that receives the payments of tests. */
export const payee = checksummed("0x00000000000000000000000000000000000fee00");

/** The settings of a service that takes payments. */
export const paymentEnvironment = {
  PAYMENT_RECIPIENT: payee,
  PAYMENT_PRICES: "credits:100=1.00,credits:1000=9,subscriber:30=20.00",
  PAYMENT_DAILY_GAS_WEI: (10n ** 24n).toString(),
  REORG_WINDOW_SECONDS: "1",
};
