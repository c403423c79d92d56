import type { RiskCardOut } from "@slipway/protocol/risk";
import { Link } from "@tanstack/react-router";
import { toDisplayText } from "../../format/displayText.ts";
import { useRiskCards } from "../../live/useRisk.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { formatRisk, formatScore } from "./figures.ts";
import { MarketStatus } from "./marketStatus.tsx";

/** The risk of all markets from the stream, one card each. */
export function RiskGrid() {
  const { markets: text } = useMessages();
  const { data, error, isFetching, refetch, state } = useRiskCards(true);
  const grid = "grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4";
  if (data === undefined && error !== null) {
    return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />;
  }
  if (data === undefined) {
    return (
      <div className={grid}>
        {[...Array(4).keys()].map((number) => (
          <Skeleton key={number} className="h-44 w-full" />
        ))}
      </div>
    );
  }
  if (data.cards.length === 0) return <Notice>{text.riskEmpty}</Notice>;
  return (
    <div className="flex flex-col gap-3">
      {error === null ? null : <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />}
      <ul className={grid}>
        {data.cards.map((card) => (
          <RiskCard key={card.pair} card={card} isOld={error !== null} />
        ))}
      </ul>
      <p className="text-xs text-muted">
        {state === "live" ? text.live : text.polling} · {text.riskDisclaimer}
      </p>
    </div>
  );
}

function RiskCard({ card, isOld }: { card: RiskCardOut; isOld: boolean }) {
  const { markets: text } = useMessages();
  const closes = card.sparkline.filter((value) => value !== null);
  const figures = [
    [text.card.var95, formatRisk(card.var_95)],
    [text.card.var99, formatRisk(card.var_99)],
    [text.card.regime, card.regime === null ? "—" : text.regimes[card.regime]],
    [text.card.score, formatScore(card.risk_score)],
  ] as const;
  return (
    <li className="panel relative flex flex-col gap-3 p-4 hover:border-control">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <Link
            to="/markets/$pair"
            params={{ pair: card.pair }}
            className="font-bold after:absolute after:inset-0 hover:underline"
          >
            <bdi>{toDisplayText(card.symbol)}</bdi>
            <span className="font-normal text-muted"> / {card.pair.slice(card.pair.lastIndexOf("_") + 1)}</span>
          </Link>
          <div className="text-xs">
            {card.as_of === null ? (
              <span className="text-muted">{text.riskComputing}</span>
            ) : card.status === "fresh" ? null : (
              <MarketStatus status={card.status} reason={null} />
            )}
          </div>
        </div>
        <div className="text-end text-sm">
          <Price value={card.price} quote="" className="block font-semibold" />
          <Percent value={card.change_24h === null ? null : card.change_24h * 100} className="text-xs" />
        </div>
      </div>
      <div className={card.status !== "fresh" || isOld ? "text-muted grayscale" : ""}>
        <Sparkline values={closes} className="mb-3" />
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{name}</dt>
              <dd className="text-sm font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </li>
  );
}
