import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { pageOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Panel } from "../../ui/panel.tsx";
import { OpeningName } from "./openingName.tsx";
import { OpeningStatusMark } from "./openingStatusMark.tsx";

/** The openings in which a wallet has a deposit. Renders nothing without any. */
export function JoinedOpenings({ address }: { address: string }) {
  const { opening: text } = useMessages();
  const query = useInfiniteQuery(pageOptions("listOpenings", { depositor: address.toLowerCase() }));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={text.title} className="self-stretch">
      <ul className="flex flex-col gap-2 text-sm">
        {items.map((opening) => (
          <li key={opening.address} className="flex items-center justify-between gap-3">
            <Link
              to="/opening/$address"
              params={{ address: opening.address }}
              className="min-w-0 font-semibold wrap-anywhere hover:underline"
            >
              <OpeningName opening={opening} />
            </Link>
            <OpeningStatusMark status={opening.status} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} label={text.more} />
    </Panel>
  );
}
