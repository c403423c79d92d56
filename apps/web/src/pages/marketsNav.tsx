import { Link } from "@tanstack/react-router";
import { useMessages } from "../messages/useMessages.ts";

const style =
  "-mb-px flex min-h-10 shrink-0 items-center border-b-2 border-transparent px-3 text-sm font-semibold text-muted -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink";

/** The pages about markets: the markets themselves, forecasts and alerts. */
export function MarketsNav() {
  const { markets: text } = useMessages();
  return (
    <nav aria-label={text.more} className="-mx-3 mt-3 flex overflow-x-auto border-b border-line sm:mx-0">
      <Link to="/markets" activeOptions={{ exact: true }} className={style}>
        {text.title}
      </Link>
      <Link to="/forecast" activeOptions={{ includeSearch: false }} className={style}>
        {text.forecast}
      </Link>
      <Link to="/alerts" activeOptions={{ exact: true, includeSearch: false }} className={style}>
        {text.alerts}
      </Link>
    </nav>
  );
}
