import { formatUnitsExact } from "@slipway/protocol/decimalText";
import type { WebhookMessage } from "@slipway/protocol/webhooks";

/** Every launched token, and the wrapped native token, have 18 decimals. */
const toWhole = (amount: string) => formatUnitsExact(BigInt(amount), 18);

/** The symbol of a token if it is plain: its creator chose it freely, and a mail must not contain a stranger's text. */
const toPlainSymbol = (symbol: string) => (/^[A-Za-z0-9]{1,12}$/.test(symbol) ? ` ${symbol}` : "");

/** Describes a message as a line of a mail. It contains no text of a stranger, besides a plain symbol. */
export function describeMessage({ type, data }: Pick<WebhookMessage, "type" | "data">): string {
  const message = { type, data } as WebhookMessage;
  switch (message.type) {
    case "launch": {
      const { symbol, address, creator } = message.data;
      return `Launch:${toPlainSymbol(symbol)} ${address} by ${creator}`;
    }
    case "trade": {
      const { token, trade } = message.data;
      const side = trade.side === "buy" ? "Buy" : "Sell";
      return `${side} of ${token} for ${toWhole(trade.quote_amount)} native by ${trade.account}, transaction ${trade.tx_hash}`;
    }
    case "price": {
      const { token, price_eth: price, previous_price_eth: before } = message.data;
      return `Price of ${token}: ${price} native, before ${before}`;
    }
    case "fees": {
      const { wallet, asset, amount, tx_hash: hash } = message.data;
      return `Fees of ${wallet}: ${toWhole(amount)} of ${asset}, transaction ${hash}`;
    }
    case "retracted":
      return "A chain reorganisation took back events of an earlier mail.";
    case "snapshot":
      return "Events were skipped, because the service could not send them in time.";
    default:
      return message.type;
  }
}
