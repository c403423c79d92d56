import type { AlertMetric, AlertRule } from "@slipway/protocol/alerts";
import { ApiError } from "@slipway/sdk/apiError";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { marketsOptions } from "../../data/marketQueries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { isEmail, metricNames, metrics, toRuleValue } from "./alertRule.ts";

type NewAlert = { email: string; pair: string; rule: AlertRule };
type Op = AlertRule["op"];

/** What the service says about a field, by the form's names; null where it says nothing of one. */
function getRefused(error: unknown): { field: "email" | "pair" | "value"; message: string } | null {
  if (!(error instanceof ApiError) || error.field === undefined) return null;
  const field = (["email", "pair"] as const).find((name) => name === error.field);
  if (field === undefined && !error.field.startsWith("rule")) return null;
  return { field: field ?? "value", message: error.message };
}

/** Stores an alert; a repetition of the same one stores nothing twice. */
function useCreateAlert() {
  const { api } = useServices();
  const client = useQueryClient();
  const last = useRef<{ body: string; key: string } | null>(null);
  return useMutation({
    mutationFn: async (alert: NewAlert) => {
      const body = JSON.stringify(alert);
      if (last.current?.body !== body) last.current = { body, key: crypto.randomUUID() };
      await api.createAlert(alert, { idempotencyKey: last.current.key });
      // The same alert once more is meant as another one.
      last.current = null;
      return alert;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["listAlerts"] }),
  });
}

/** Sets an alert: an address, a market, a metric and its threshold. */
export function AlertForm({ pair: chosenPair }: { pair: string | undefined }) {
  const { alerts: text } = useMessages();
  const { data, error: unread, isFetching, refetch } = useQuery(marketsOptions);
  const markets = data?.items ?? [];
  const [email, setEmail] = useState("");
  const [pair, setPair] = useState(chosenPair ?? "");
  const [metric, setMetric] = useState<AlertMetric>("risk_score");
  const [numberOp, setNumberOp] = useState<Exclude<Op, "is">>("above");
  const [value, setValue] = useState("80");
  const [isChecked, setChecked] = useState(false);
  const create = useCreateAlert();
  const shown = metrics[metric];
  const pairs = markets.map((market) => market.pair);
  const shownPair = pairs.includes(pair) ? pair : (pairs[0] ?? "");
  const op: Op = shown.kind === "name" ? "is" : numberOp;
  const ruleValue = toRuleValue(metric, value);
  const unit = shown.kind === "name" ? "" : shown.unit === "percent" ? text.unit.percent : "";
  const faults = {
    email: isEmail(email.trim()) ? null : text.faults.email,
    pair: shownPair === "" ? text.faults.market : null,
    value: ruleValue === null && shown.kind === "number" ? text.faults.value(shown.min, shown.max) : null,
  };
  const refused = getRefused(create.error);
  const fault = (field: keyof typeof faults) =>
    (isChecked ? faults[field] : null) ?? (refused?.field === field ? refused.message : null);
  const chooseMetric = (next: AlertMetric) => {
    setMetric(next);
    const { [next]: about } = metrics;
    setValue(
      about.kind === "name" ? about.names[0]! : next === "risk_score" || next === "volatility_percentile" ? "80" : "5",
    );
    setNumberOp(next === "drawdown" ? "below" : "above");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (create.isPending || ruleValue === null || Object.values(faults).some((each) => each !== null)) return;
    setChecked(false);
    create.mutate({ email: email.trim(), pair: shownPair, rule: { metric, op, value: ruleValue } });
  };
  const ops = metric === "drawdown" ? text.drawdownOps : { above: text.ops.above, below: text.ops.below };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label={text.email} hint={text.emailHint} error={fault("email")} required>
        {(control) => (
          <Input
            {...control}
            type="email"
            autoComplete="email"
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      {unread === null || data !== undefined ? null : (
        <ErrorNote error={unread} onRetry={() => void refetch()} busy={isFetching} />
      )}
      <Select
        label={text.market}
        value={shownPair}
        options={pairs.map((each) => ({ value: each, label: each.replace("_", " / ") }))}
        onChange={setPair}
        error={fault("pair")}
      />
      <Select
        label={text.metric}
        value={metric}
        options={metricNames.map((each) => ({ value: each, label: text.metrics[each] }))}
        onChange={chooseMetric}
      />
      {shown.kind === "name" ? (
        <Select
          label={text.op}
          value={value}
          options={shown.names.map((each) => ({ value: each, label: text.names[each as keyof typeof text.names] }))}
          onChange={setValue}
          error={fault("value")}
        />
      ) : (
        <div className="grid grid-cols-2 gap-3">
          <Select
            label={text.op}
            value={numberOp}
            options={(metric === "drawdown" ? (["below", "above"] as const) : (["above", "below"] as const)).map(
              (each) => ({ value: each, label: ops[each] }),
            )}
            onChange={setNumberOp}
          />
          <Field label={text.value} hint={text.valueHint(shown.min, shown.max, unit)} error={fault("value")}>
            {(control) => (
              <Input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                value={value}
                onChange={(event) => setValue(event.target.value)}
              />
            )}
          </Field>
        </div>
      )}
      {create.error !== null && refused === null ? <ErrorNote error={create.error} /> : null}
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {text.submit}
      </Button>
      {create.isSuccess ? (
        <Notice live tone="success" title={text.created}>
          {text.createdBody(create.data.email)}
        </Notice>
      ) : null}
    </form>
  );
}
