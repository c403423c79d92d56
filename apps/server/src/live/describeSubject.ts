import { formatUnitsExact } from "@slipway/protocol/decimalText";
import type { AlertSubject } from "@slipway/protocol/webhooks";

/** Describes a subject as a noun phrase for a mail, with the decimals of native. It contains no text of a stranger. */
export function describeSubject(subject: AlertSubject): string {
  switch (subject.kind) {
    case "launches": {
      const { creator, partner } = subject;
      if (creator !== undefined) return `new launches of ${creator}`;
      return partner === undefined ? "new launches" : `new launches with the partner ${partner}`;
    }
    case "trades":
      return `trades of the token ${subject.token}${describeMinimum(subject.min_quote_amount)}`;
    case "large_trades":
      return `trades of all tokens${describeMinimum(subject.min_quote_amount)}`;
    case "wallet_trades":
      return `trades of ${subject.account}${describeMinimum(subject.min_quote_amount)}`;
    case "price":
      return `price of the token ${subject.token} ${subject.op} ${subject.price_eth} native`;
    case "fees": {
      const { wallet, asset, min_amount: minimum } = subject;
      const inAsset = asset === undefined ? "" : ` in ${asset}`;
      return `fees of ${wallet}${inAsset}${describeMinimum(minimum, "")}`;
    }
  }
}

const describeMinimum = (amount: string | undefined, unit = " native") =>
  amount === undefined ? "" : ` from ${formatUnitsExact(BigInt(amount), 18)}${unit} on`;
