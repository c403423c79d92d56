import type { FactId, LaunchWindowId } from "@slipway/protocol/facts";
import type { TokenDetail } from "@slipway/protocol/indexed";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Answer } from "../../data/queries.ts";
import { factsOptions } from "../../data/tokenQueries.ts";
import { formatCount } from "../../format/figures.ts";
import { formatPercentage } from "../../format/share.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { EarlierLaunches } from "./earlierLaunches.tsx";

type Facts = Answer<"getTokenFacts">;
type Fact = Facts["facts"][number];

/** Returns a fact by its id; undefined for a response of a service that does not have it. */
type FindFact = (id: FactId) => Fact | undefined;

/** The facts about a launch's creator and first buyers, with the formula and the block of each. */
export function FactsPanel({ token }: { token: TokenDetail }) {
  const texts = useMessages().facts;
  const query = useQuery({ ...factsOptions(token.address), refetchInterval: 30_000 });
  if (query.data === undefined) {
    if (query.isError) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-4" />;
    return <Skeleton className="m-4 h-96 rounded-md" />;
  }
  const { facts, earlier_launches: earlier, as_of: asOf } = query.data;
  const find: FindFact = (id) => facts.find((fact) => fact.id === id);
  return (
    <div className="grid items-start gap-x-8 gap-y-6 px-4 pb-4 md:grid-cols-2">
      <div className="text-sm text-muted md:col-span-2">
        <p>{texts.intro}</p>
        <p className="mt-1">
          {texts.asOf(formatCount(asOf.block_number))} · <Time value={asOf.timestamp} />
        </p>
      </div>
      <FactList title={texts.creator} find={find} rows={texts.creatorFacts} />
      <FactList
        title={texts.holders}
        find={find}
        rows={texts.holderFacts}
        format={{
          holders_without_buy: (fact) =>
            texts.holderFacts.holders_without_buy.of(formatCount(fact.value), formatCount(token.holders)),
        }}
      />
      <section aria-label={texts.firstBuyers} className="md:col-span-2">
        <Heading>{texts.firstBuyers}</Heading>
        <p className="text-xs text-muted">{texts.firstBuyersAbout}</p>
        <FirstBuysTable find={find} />
        <dl className="mt-2">
          <Row name={texts.funded.name} about={texts.funded.about}>
            {formatFunded(find("first_buyers_funded_by_creator"), texts)}
          </Row>
        </dl>
      </section>
      <FactList title={texts.fixed} find={find} rows={texts.fixedFacts} />
      <EarlierLaunches launches={earlier} total={find("earlier_launches")?.value ?? null} />
    </div>
  );
}

function Heading({ children }: { children: ReactNode }) {
  return <h3 className="text-sm font-bold">{children}</h3>;
}

/** A fact: its name and value in a line, and how it is computed below. */
function Row({ name, about, children }: { name: string; about: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-0.5 border-b border-line py-2 last:border-0">
      <dt className="text-sm">{name}</dt>
      <dd className="text-sm font-semibold tabular-nums">{children}</dd>
      <dd className="col-span-2 max-w-prose text-xs text-muted">{about}</dd>
    </div>
  );
}

type FactListProps<Id extends FactId> = {
  title: string;
  find: FindFact;
  /** The texts of the facts, in their order. */
  rows: Readonly<Record<Id, { name: string; about: string }>>;
  format?: Partial<Record<Id, (fact: Fact) => string>>;
};

function FactList<Id extends FactId>({ title, find, rows, format = {} }: FactListProps<Id>) {
  const texts = useMessages().facts;
  return (
    <section aria-label={title}>
      <Heading>{title}</Heading>
      <dl>
        {(Object.keys(rows) as Id[]).map((id) => {
          const fact = find(id);
          const value = fact === undefined || fact.value === null ? texts.unknown : (format[id] ?? formatFact)(fact);
          return (
            <Row key={id} {...rows[id]}>
              {value}
            </Row>
          );
        })}
      </dl>
    </section>
  );
}

/** The amount bought in each window after the launch, the number of its buyers, and the amount that they still hold. */
function FirstBuysTable({ find }: { find: FindFact }) {
  const texts = useMessages().facts;
  const format = (id: `${LaunchWindowId}_${"bought" | "held"}`) => {
    const fact = find(id);
    return fact === undefined || fact.value === null ? texts.unknown : formatFact(fact);
  };
  const columns: Column<LaunchWindowId>[] = [
    {
      key: "window",
      header: texts.window,
      render: (id) => (
        <>
          {texts.windows[id]}
          {find(`${id}_bought`)?.window.complete === false ? (
            <span className="ms-2 text-xs text-muted">{texts.running}</span>
          ) : null}
        </>
      ),
    },
    {
      key: "bought",
      header: texts.bought,
      numeric: true,
      render: (id) => format(`${id}_bought`),
    },
    {
      key: "accounts",
      header: texts.accounts,
      numeric: true,
      render: (id) => formatCount(find(`${id}_buyers`)?.value ?? null),
    },
    {
      key: "held",
      header: texts.held,
      numeric: true,
      render: (id) => format(`${id}_held`),
    },
  ];
  return (
    <div className="-mx-4 tabular-nums">
      <DataTable
        caption={texts.firstBuyersCaption}
        columns={columns}
        rows={Object.keys(texts.windows) as LaunchWindowId[]}
        getKey={(id) => id}
        rowClassName="h-10"
      />
    </div>
  );
}

/** Formats a value by its unit: percent, or a number. */
function formatFact({ value, unit }: Pick<Fact, "value" | "unit">): string {
  return unit.startsWith("percent") ? formatPercentage(value) : formatCount(value);
}

function formatFunded(fact: Fact | undefined, texts: ReturnType<typeof useMessages>["facts"]): string {
  return fact === undefined || fact.value === null ? texts.unknown : texts.funded.value(formatCount(fact.value));
}
