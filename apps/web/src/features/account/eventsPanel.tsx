import { useInfiniteQuery } from "@tanstack/react-query";
import { pageOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { Rows, RowsEnd } from "./rows.tsx";

/** Formats an event's details: its non-empty values, for any kind of event. */
const toDetail = (details: Readonly<Record<string, unknown>>): string =>
  toDisplayText(
    Object.values(details)
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter((value) => typeof value === "string" || typeof value === "number")
      .join(" · "),
  );

/** The account's events. */
export function EventsPanel() {
  const { account: text } = useMessages();
  const events = useInfiniteQuery(pageOptions("listAccountEvents", undefined));
  return (
    <Panel title={text.sections.events} flush>
      <p className="px-4 pb-3 text-sm text-muted">{text.eventsHint}</p>
      {events.data === undefined && events.error !== null ? null : (
        <Rows
          label={text.sections.events}
          rows={events.data?.pages.flatMap(({ items }) => items)}
          getKey={({ id }) => String(id)}
          empty={text.eventsEmpty}
          title={({ kind }) => text.events[kind] ?? kind}
          details={({ details, created_at }) => (
            <>
              <Time value={created_at} />
              <bdi className="min-w-0 wrap-anywhere">{toDetail(details)}</bdi>
            </>
          )}
        />
      )}
      <RowsEnd pages={events} />
    </Panel>
  );
}
