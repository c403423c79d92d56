import type { WebhookSubject } from "@slipway/protocol/webhooks";

/** The stored form of a subject: the key of its messages, the minimum amount of a trade, and the price to cross. */
type StoredSubject = {
  matchKey: string;
  minAmount: string | null;
  crossing: { op: "above" | "below"; price: number } | null;
};

/** Returns the key of a subject, which `listMatches` lists for each of its messages. */
export function toStoredSubject(subject: WebhookSubject): StoredSubject {
  const create = (matchKey: string, minAmount: string | null = null) => ({ matchKey, minAmount, crossing: null });
  switch (subject.kind) {
    case "launches":
      if (subject.creator !== undefined) return create(`creator:${subject.creator.toLowerCase()}`);
      if (subject.partner !== undefined) return create(`partner:${subject.partner.toLowerCase()}`);
      return create("launches");
    case "trades":
      return create(`token:${subject.token.toLowerCase()}`, subject.min_quote_amount);
    case "large_trades":
      return create("trades", subject.min_quote_amount);
    case "wallet_trades":
      return create(`account:${subject.account.toLowerCase()}`, subject.min_quote_amount);
    case "price": {
      const crossing = { op: subject.op, price: subject.price_eth };
      return { matchKey: `price:${subject.token.toLowerCase()}`, minAmount: null, crossing };
    }
    case "signals":
      return create(subject.pair === undefined ? "signals" : `pair:${subject.pair}`);
    case "fees": {
      const { wallet, asset, min_amount: minAmount } = subject;
      return create(toPayeeKeys(wallet, asset ?? "").at(asset === undefined ? 0 : 1)!, minAmount);
    }
    case "risk":
      return create(toRiskKey(subject.pair));
    case "retractions":
      return create("retractions");
  }
}

/** The keys of the fees of a recipient: in any asset, and in one. */
export const toPayeeKeys = (payee: string, asset: string): [any: string, one: string] => {
  const any = `payee:${payee.toLowerCase()}`;
  return [any, `${any}:${asset.toLowerCase()}`];
};

/** The key of the risk of a market. */
export const toRiskKey = (pair: string): string => `risk:${pair}`;
