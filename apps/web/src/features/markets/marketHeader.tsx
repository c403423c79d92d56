import type { MarketItem } from "@slipway/protocol/markets";
import { Link } from "@tanstack/react-router";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Time } from "../../ui/time.tsx";
import { MarketStatus } from "./marketStatus.tsx";

/** A market's name, price, status and actions. */
export function MarketHeader({ market }: { market: MarketItem }) {
  const { markets: text } = useMessages();
  const { pair, symbol, quote, token, source, exchange, status, reason } = market;
  const old = status === "fresh" ? "" : "text-muted grayscale";
  return (
    <header className="panel flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-bold">
            <bdi>{toDisplayText(symbol)}</bdi>
            <span className="font-normal text-muted"> / {quote}</span>
          </h1>
          {token === null ? null : (
            <p className="text-sm break-all text-muted">
              {pair} ·{" "}
              <Link to="/t/$address" params={{ address: token }} className="text-accent underline underline-offset-4">
                {text.tokenPage}
              </Link>
            </p>
          )}
          <MarketStatus status={status} reason={reason} className="mt-1 text-sm" />
        </div>
        <div className="flex flex-wrap gap-2">
          <Link to="/forecast" search={{ pair }} className={buttonClasses()}>
            {text.forecastPair}
          </Link>
          <Link to="/alerts" search={{ pair }} className={buttonClasses("primary")}>
            {text.setAlert}
          </Link>
        </div>
      </div>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-6">
        <Figure name={text.columns.price}>
          <Price value={market.price} quote={quote} className={old} />
        </Figure>
        <Figure name={text.columns.change}>
          <Percent value={market.change_24h === null ? null : market.change_24h * 100} className={old} />
        </Figure>
        <Figure name={text.columns.source}>{exchange === null ? text.sources[source] : text.exchange(exchange)}</Figure>
        <Figure name={text.lastBar}>{market.last_bar_at === null ? "—" : <Time value={market.last_bar_at} />}</Figure>
        <Figure name={text.hours}>{formatCount(market.bars_1h)}</Figure>
        <Figure name={text.gaps}>{formatCount(market.gaps_30d)}</Figure>
      </dl>
    </header>
  );
}
