import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Answer, readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { metrics, toShownValue } from "./alertRule.ts";

type Alert = Answer<"listAlerts">["items"][number];

const tones: Readonly<Record<Alert["status"], string>> = {
  pending: "text-muted",
  armed: "text-buy",
  fired: "text-warn",
  suspended: "text-sell",
};

/** Returns a function that formats an alert's rule as a sentence, in the form's units, or its subject. */
function useRuleText(): (alert: Pick<Alert, "rule" | "subject">) => string {
  const { alerts: text } = useMessages();
  return ({ rule, subject }) => {
    if (rule === null) return subject === null ? "" : text.subjects[subject.kind];
    const { metric, op, value } = rule;
    const shown = metrics[metric];
    const known = text.names[value as keyof typeof text.names];
    const ops = metric === "drawdown" ? { ...text.ops, ...text.drawdownOps } : text.ops;
    const unit = shown.kind === "number" && shown.unit === "percent" ? text.unit.percent : "";
    return `${text.metrics[metric]} ${ops[op]} ${known ?? toShownValue(metric, value)}${unit}`;
  };
}

/** An example of an alert, and the way to the first one. */
function NoAlerts({ canSet }: { canSet: boolean }) {
  const { alerts: text } = useMessages();
  return (
    <div className="flex flex-col items-center gap-3">
      <p>{canSet ? text.empty : text.emptyNoPlan}</p>
      <figure className="w-full max-w-sm rounded-md border border-dashed border-control bg-sunken p-3 text-start text-sm">
        <figcaption className="text-xs font-semibold">{text.sampleTitle}</figcaption>
        <p className="mt-1 font-semibold text-ink">BTC / USDT</p>
        <p>{`${text.metrics.risk_score} ${text.ops.above} 80`}</p>
        <p className="mt-1 text-xs">{text.sampleMail}</p>
      </figure>
    </div>
  );
}

/** The account's alerts and their states. @param canSet - Whether the account can create another alert. */
export function AlertList({ canSet }: { canSet: boolean }) {
  const { alerts: text } = useMessages();
  const { api } = useServices();
  const client = useQueryClient();
  const toText = useRuleText();
  const key = readOptions("listAlerts", undefined);
  // Alerts change when an address is confirmed and when they fire. The next account of this browser must not see them.
  const query = useQuery({ ...key, refetchInterval: 15_000, gcTime: 0 });
  const remove = useMutation({
    mutationFn: (id: string) => api.deleteAlert({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: key.queryKey }),
  });
  const { data, error } = query;
  const columns: Column<Alert>[] = [
    {
      ...{ key: "rule", header: text.columns.rule },
      render: ({ pair, rule, subject, email }) => (
        <span className="flex flex-col">
          {pair === null ? null : <span className="font-semibold break-all">{pair.replace("_", " / ")}</span>}
          <span>{toText({ rule, subject })}</span>
          <span className="text-xs break-all text-muted md:hidden">{email}</span>
        </span>
      ),
    },
    {
      ...{ key: "email", header: text.columns.email, priority: "md" },
      render: ({ email }) => <span className="break-all">{email}</span>,
    },
    {
      ...{ key: "status", header: text.columns.status },
      render: ({ status }) => (
        <span className="flex flex-col">
          <span className={`font-semibold ${tones[status]}`}>{text.statuses[status]}</span>
          <span className="hidden text-xs text-muted sm:block">{text.statusHints[status]}</span>
        </span>
      ),
    },
    {
      ...{ key: "fired", header: text.columns.fired, priority: "lg" },
      render: ({ last_fired_at }) =>
        last_fired_at === null ? <span className="text-muted">{text.never}</span> : <Time value={last_fired_at} />,
    },
    {
      ...{ key: "action", header: <span className="sr-only">{text.columns.action}</span>, numeric: true },
      render: ({ id, pair, rule, subject }) => (
        <Button
          size="sm"
          variant="quiet"
          busy={remove.isPending && remove.variables === id}
          onClick={() => remove.mutate(id)}
        >
          {text.remove}
          <span className="sr-only">
            {" "}
            {pair} {toText({ rule, subject })}
          </span>
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title={text.list}
      aside={
        data === undefined ? undefined : (
          <span className="text-sm text-muted">{text.count(data.items.length, data.max)}</span>
        )
      }
      flush
    >
      {remove.error === null ? null : <ErrorNote error={remove.error} className="m-4" />}
      {error === null ? null : (
        <ErrorNote error={error} onRetry={() => void query.refetch()} busy={query.isFetching} className="m-4" />
      )}
      {error !== null && data === undefined ? null : (
        <DataTable
          caption={text.list}
          rows={data?.items}
          columns={columns}
          getKey={({ id }) => id}
          skeletonRows={3}
          empty={<NoAlerts canSet={canSet} />}
        />
      )}
    </Panel>
  );
}
