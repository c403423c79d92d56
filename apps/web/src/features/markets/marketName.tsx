import type { MarketItem } from "@slipway/protocol/markets";
import { Link } from "@tanstack/react-router";
import { toDisplayText } from "../../format/displayText.ts";

type MarketNameProps = { market: Pick<MarketItem, "pair" | "symbol" | "token" | "quote">; cover?: boolean };

/** A market's name as a link to its page. A launch's creator chose the symbol, so the pair stands beside it. */
export function MarketName({ market, cover = false }: MarketNameProps) {
  const { pair, symbol, token, quote } = market;
  return (
    <span className="flex min-w-0 flex-col">
      <Link
        to="/markets/$pair"
        params={{ pair }}
        className={`font-semibold hover:underline ${cover ? "after:absolute after:inset-0" : "relative"}`}
      >
        <bdi>{toDisplayText(symbol)}</bdi>
        <span className="font-normal text-muted"> / {quote}</span>
      </Link>
      {token === null ? null : <span className="text-xs break-all text-muted">{pair}</span>}
    </span>
  );
}

/** Longer pairs, those of launches, may wrap anywhere; pairs of an exchange do not wrap. */
const longPair = 14;

/** The name of a market if only its pair is known. */
export function PairLink({ pair }: { pair: string }) {
  const at = pair.lastIndexOf("_");
  return (
    <Link
      to="/markets/$pair"
      params={{ pair }}
      className={`font-semibold hover:underline ${pair.length > longPair ? "break-all" : "whitespace-nowrap"}`}
    >
      {pair.slice(0, at)}
      <span className="font-normal text-muted"> / {pair.slice(at + 1)}</span>
    </Link>
  );
}
