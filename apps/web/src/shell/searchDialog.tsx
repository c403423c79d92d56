import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Fragment, type KeyboardEvent, type ReactNode, useDeferredValue, useId, useRef, useState } from "react";
import { getAddress } from "viem/utils";
import { getImageUrl } from "../data/getImageUrl.ts";
import { isAddress } from "../data/getReceiveCodeUrl.ts";
import { readOptions } from "../data/queries.ts";
import { toDisplayText } from "../format/displayText.ts";
import { formatUsd, shortenAddress } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { controlClasses } from "../ui/field.tsx";
import { WarningMark } from "../ui/icon.tsx";

const maxTokens = 7;
const maxListings = 4;

/** A result: its place in a group, what it shows, and where it leads. */
type Result = { key: string; group: string; content: ReactNode; open: () => void };

/** Searches tokens, wallets, creators, businesses and pages. The arrow keys choose a result, Enter opens it. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { search: text } = useMessages();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const results = useResults(typed, onClose);
  const at = Math.min(chosen, results.length - 1);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at + step + results.length) % Math.max(1, results.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      results[at]?.open();
    }
  };
  return (
    <Dialog open onClose={onClose} title={text.title} sheet initialFocus={field}>
      <div className="flex flex-col gap-3">
        <input
          ref={field}
          type="text"
          role="combobox"
          inputMode="search"
          aria-label={text.title}
          aria-expanded
          aria-controls={`${id}-results`}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          placeholder={text.placeholder}
          value={typed}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={move}
          className={controlClasses}
        />
        <div
          id={`${id}-results`}
          role="listbox"
          aria-label={text.results}
          className="flex max-h-[60dvh] flex-col overflow-y-auto"
        >
          {results.map(({ key, group, content, open }, index) => (
            <Fragment key={key}>
              {group === results[index - 1]?.group ? null : (
                <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-semibold text-muted">
                  {group}
                </p>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and handles the keys */}
              <div
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                tabIndex={-1}
                onClick={open}
                onPointerMove={() => setChosen(index)}
                className="flex min-h-11 cursor-pointer items-center gap-3 rounded-sm px-2 py-1 text-sm aria-selected:bg-sunken"
              >
                {content}
              </div>
            </Fragment>
          ))}
        </div>
        <p role="status" className="text-sm text-muted">
          {results.length === 0 ? text.none(typed.trim()) : text.hint}
        </p>
      </div>
    </Dialog>
  );
}

/** Returns the results for a text; for no text, the pages and the tokens with the largest volume. */
function useResults(typed: string, onClose: () => void): Result[] {
  const { search: text } = useMessages();
  const navigate = useNavigate();
  const q = useDeferredValue(typed.trim());
  const tokens = useQuery({
    ...readOptions("listTokens", { sort: "volume", limit: maxTokens, ...(q === "" ? {} : { q }) }),
    placeholderData: keepPreviousData,
  });
  const listings = useQuery({
    ...readOptions("getDirectory", { q, limit: maxListings }),
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
  });
  const go = (open: () => Promise<void>) => () => {
    onClose();
    void open();
  };
  const pages = [
    { name: text.pages.explore, open: go(() => navigate({ to: "/" })) },
    { name: text.pages.launch, open: go(() => navigate({ to: "/launch" })) },
    { name: text.pages.gallery, open: go(() => navigate({ to: "/gallery" })) },
    { name: text.pages.directory, open: go(() => navigate({ to: "/directory" })) },
    { name: text.pages.markets, open: go(() => navigate({ to: "/markets" })) },
    { name: text.pages.forecast, open: go(() => navigate({ to: "/forecast" })) },
    { name: text.pages.alerts, open: go(() => navigate({ to: "/alerts" })) },
    { name: text.pages.fees, open: go(() => navigate({ to: "/fees" })) },
    { name: text.pages.drafts, open: go(() => navigate({ to: "/drafts" })) },
    { name: text.pages.account, open: go(() => navigate({ to: "/account/{-$section}" })) },
    { name: text.pages.status, open: go(() => navigate({ to: "/status" })) },
  ].filter(({ name }) => q === "" || name.toLowerCase().includes(q.toLowerCase()));
  const address = isAddress(q) ? getAddress(q.toLowerCase()) : null;
  return [
    ...(address === null
      ? []
      : [
          {
            key: "wallet",
            group: text.addresses,
            content: text.wallet(shortenAddress(address)),
            open: go(() => navigate({ to: "/wallet/$address", params: { address } })),
          },
          {
            key: "creator",
            group: text.addresses,
            content: text.creator(shortenAddress(address)),
            open: go(() => navigate({ to: "/wallet/$address", params: { address }, search: { tab: "launches" } })),
          },
        ]),
    ...(tokens.data?.items ?? []).map((token) => ({
      key: token.address,
      group: text.tokens,
      content: (
        <>
          <Avatar address={token.address} image={getImageUrl(token, 64)} size={28} />
          <span className="min-w-0 flex-1">
            <bdi className="line-clamp-1 font-semibold wrap-anywhere">{toDisplayText(token.name)}</bdi>
            <span className="flex items-center gap-1 text-xs text-muted">
              <bdi className="truncate">{toDisplayText(token.symbol)}</bdi>
              {token.warnings.map(({ code, message }) => (
                <WarningMark key={code} message={message} />
              ))}
            </span>
          </span>
          <span className="text-xs text-muted">{formatUsd(token.market_cap_usd)}</span>
        </>
      ),
      open: go(() => navigate({ to: "/t/$address", params: { address: token.address } })),
    })),
    ...(q.length > 1 ? (listings.data?.items ?? []) : []).flatMap((listing) =>
      listing.source === "legacy"
        ? []
        : [
            {
              key: `listing ${listing.id}`,
              group: text.businesses,
              content: <bdi className="line-clamp-1 font-semibold wrap-anywhere">{toDisplayText(listing.name)}</bdi>,
              open: go(() => navigate({ to: "/business/$id", params: { id: listing.id } })),
            },
          ],
    ),
    ...pages.map(({ name, open }) => ({ key: `page ${name}`, group: text.pagesTitle, content: name, open })),
  ];
}
