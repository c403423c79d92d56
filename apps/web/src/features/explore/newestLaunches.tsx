import type { IndexedToken } from "@slipway/protocol/indexed";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getImageUrl } from "../../data/getImageUrl.ts";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { WarningMark } from "../../ui/icon.tsx";
import { Percent } from "../../ui/percent.tsx";
import { Price } from "../../ui/price.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

/** Six launches; the list below contains all. */
export const newestInput = { sort: "new", limit: 6 } as const;

const cardStyle = "panel flex h-[5.5rem] w-52 xl:w-auto xl:min-w-0 xl:flex-1 shrink-0 flex-col justify-between p-3";

/** The latest launches in one row, which scrolls sideways on a narrow page. */
export function NewestLaunches() {
  const { explore } = useMessages();
  const { data, isError } = useQuery(readOptions("listTokens", newestInput));
  if (isError) return null;
  return (
    <section aria-labelledby="newest" className="min-w-0">
      <h2 id="newest" className="mb-2 text-sm font-semibold text-muted">
        {explore.newest}
      </h2>
      {data?.items.length === 0 ? (
        <p className="panel flex h-[5.5rem] items-center px-4 text-sm text-muted">{explore.newestEmpty}</p>
      ) : (
        <ul className="flex gap-3 overflow-x-auto">
          {data
            ? data.items.map((token) => <NewestCard key={token.address} token={token} quote={data.quote} />)
            : [...Array(newestInput.limit).keys()].map((number) => (
                <li key={number} className={cardStyle}>
                  <Skeleton className="h-8 w-32" />
                  <Skeleton className="h-4 w-40" />
                </li>
              ))}
        </ul>
      )}
    </section>
  );
}

function NewestCard({ token, quote }: { token: IndexedToken; quote: "usd" | "eth" }) {
  return (
    <li className={`relative hover:border-control ${cardStyle}`}>
      <div className="flex items-center gap-2">
        <Avatar address={token.address} image={getImageUrl(token, 64)} size={32} />
        <div className="min-w-0">
          <Link
            to="/t/$address"
            params={{ address: token.address }}
            dir="auto"
            className="block truncate text-sm font-semibold after:absolute after:inset-0 after:rounded-md"
          >
            {toDisplayText(token.name)}
          </Link>
          <p className="truncate text-xs text-muted">
            <bdi>{toDisplayText(token.symbol)}</bdi>
            {token.warnings.map(({ code, message }) => (
              <WarningMark key={code} message={message} />
            ))}
            {token.launched_at ? (
              <>
                {" · "}
                <Time value={token.launched_at} />
              </>
            ) : null}
          </p>
        </div>
      </div>
      <p className="flex items-baseline justify-between gap-2 text-sm font-semibold">
        <Price value={quote === "usd" ? token.price_usd : token.price_eth} quote={quote} />
        <Percent value={token.price_change_24h_pct} />
      </p>
    </li>
  );
}
