import type { TokenDetail } from "@slipway/protocol/indexed";
import { Link } from "@tanstack/react-router";
import { getImageUrl } from "../../data/getImageUrl.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount, formatUsd } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

/** A token's name, price and figures. `token` is undefined while loading: skeletons have the final size. */
export function TokenHeader({ token, stale }: { token: TokenDetail | undefined; stale: boolean }) {
  const { token: texts, share } = useMessages();
  const figures: readonly (readonly [string, string | undefined])[] = [
    [texts.marketCap, token && formatUsd(token.market_cap_usd)],
    [texts.liquidity, token && formatUsd(token.liquidity_usd)],
    [texts.volume, token && formatUsd(token.volume_24h_usd)],
    [texts.holders, token && formatCount(token.holders)],
  ];
  return (
    <header className="flex flex-col gap-4 lg:flex-row lg:items-center lg:justify-between">
      <div className="flex min-w-0 items-center gap-3">
        {token ? (
          <Avatar address={token.address} image={getImageUrl(token, 256)} size={56} />
        ) : (
          <Skeleton className="size-14 rounded-full" />
        )}
        <div className="min-w-0">
          {token ? (
            <h1 className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xl font-bold">
              <bdi className="line-clamp-2" title={toDisplayText(token.name)}>
                {toDisplayText(token.name)}
              </bdi>
              <bdi className="truncate text-base font-semibold text-muted">{toDisplayText(token.symbol)}</bdi>
            </h1>
          ) : (
            <h1 className="text-xl font-bold">
              <span className="sr-only">{texts.loading}</span>
              <Skeleton className="my-1 h-6 w-56" />
            </h1>
          )}
          <p className="flex min-h-7 flex-wrap items-center gap-x-2 text-sm text-muted">
            {token ? (
              <>
                <Address value={token.address} to={null} copy />
                {token.launched_at ? (
                  <span>
                    {texts.launched} <Time value={token.launched_at} />
                  </span>
                ) : null}
                {token.creator ? (
                  <span>
                    {texts.by} <Address value={token.creator} />
                  </span>
                ) : null}
                <Link to="/t/$address/share" params={{ address: token.address }} className="font-semibold text-accent">
                  {share.open}
                </Link>
              </>
            ) : (
              <Skeleton className="h-4 w-64" />
            )}
          </p>
        </div>
      </div>
      <div className={`flex flex-wrap items-end gap-x-8 gap-y-3 xl:shrink-0 ${stale ? "text-muted" : ""}`}>
        {token ? (
          <p className="flex flex-wrap items-baseline gap-x-3 text-2xl font-bold" data-testid="price">
            {token.price_usd === null && token.price_eth !== null ? (
              <Price value={token.price_eth} quote="eth" />
            ) : (
              <Price value={token.price_usd} />
            )}
            <span className="text-base font-semibold">
              <Percent value={token.price_change_24h_pct} />
              <span className="ms-1 text-xs font-normal text-muted">{texts.window.h24}</span>
            </span>
          </p>
        ) : (
          <Skeleton className="my-1 h-8 w-56" />
        )}
        <dl className="grid w-full grid-cols-2 gap-x-6 gap-y-2 sm:w-auto sm:grid-cols-4" aria-label={texts.figures}>
          {figures.map(([label, value]) => (
            <Figure key={label} name={label}>
              {value ?? <Skeleton className="my-1 h-4 w-16" />}
            </Figure>
          ))}
        </dl>
      </div>
    </header>
  );
}
