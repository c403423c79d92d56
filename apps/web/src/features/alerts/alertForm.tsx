import type { AlertMetric, AlertRule } from "@slipway/protocol/alerts";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { marketsOptions } from "../../data/marketQueries.ts";
import type { Messages } from "../../messages/messages.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { type FieldFaults, readRefusedField, useFieldFaults, withoutField } from "../../ui/useFieldFaults.ts";
import { isEmail, metricNames, metrics, toRuleValue } from "./alertRule.ts";
import { CreatedNotice, EmailField, useCreateAlert } from "./createAlert.tsx";

type Op = AlertRule["op"];

/** Returns the error of the form's field that the service refused. Empty for other errors. */
function findRefusedField(error: unknown): FieldFaults {
  return new Map(
    [...readRefusedField(error)]
      .map(([path, message]) => [path.startsWith("rule") ? "value" : path, message] as const)
      .filter(([field]) => ["email", "pair", "value"].includes(field)),
  );
}

/** The form of a new alert: email address, market, metric and threshold. */
export function AlertForm({ pair: chosenPair }: { pair: string | undefined }) {
  const { alerts: text } = useMessages();
  const { data, error: unread, isFetching, refetch } = useQuery(marketsOptions);
  const markets = data?.items ?? [];
  const [email, setEmail] = useState("");
  const [pair, setPair] = useState(chosenPair ?? "");
  const [metric, setMetric] = useState<AlertMetric>("risk_score");
  const [numberOp, setNumberOp] = useState<Exclude<Op, "is">>("above");
  const [value, setValue] = useState("80");
  const { form, faults, show, update } = useFieldFaults();
  const create = useCreateAlert();
  const shown = metrics[metric];
  const pairs = markets.map((market) => market.pair);
  const shownPair = pairs.includes(pair) ? pair : (pairs[0] ?? "");
  const op: Op = shown.kind === "name" ? "is" : numberOp;
  const ruleValue = toRuleValue(metric, value);
  const fault = (field: "email" | "pair" | "value") => faults.get(field) ?? null;
  const correct = (field: string) => update((known) => withoutField(known, field));
  const chooseMetric = (next: AlertMetric) => {
    setMetric(next);
    correct("value");
    const { [next]: shape } = metrics;
    setValue(
      shape.kind === "name" ? shape.names[0]! : next === "risk_score" || next === "volatility_percentile" ? "80" : "5",
    );
    setNumberOp(next === "drawdown" ? "below" : "above");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const found = findFaults(text, { email, pair: shownPair, metric, isValueMissing: ruleValue === null });
    show(found);
    if (found.size > 0 || ruleValue === null) return;
    create.mutate(
      { email: email.trim(), pair: shownPair, rule: { metric, op, value: ruleValue } },
      { onError: (error) => show(findRefusedField(error)) },
    );
  };
  const ops = metric === "drawdown" ? text.drawdownOps : { above: text.ops.above, below: text.ops.below };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <EmailField
        value={email}
        error={fault("email")}
        onChange={(typed) => {
          setEmail(typed);
          correct("email");
        }}
      />
      {unread === null || data !== undefined ? null : (
        <ErrorNote error={unread} onRetry={() => void refetch()} busy={isFetching} />
      )}
      <Select
        label={text.market}
        value={shownPair}
        options={pairs.map((each) => ({ value: each, label: each.replace("_", " / ") }))}
        onChange={(next) => {
          setPair(next);
          correct("pair");
        }}
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
        // The words for a drawdown are longer than half of the form.
        <div className={`grid gap-3 ${metric === "drawdown" ? "" : "grid-cols-2"}`}>
          <Select
            label={text.op}
            value={numberOp}
            options={(metric === "drawdown" ? (["below", "above"] as const) : (["above", "below"] as const)).map(
              (each) => ({ value: each, label: ops[each] }),
            )}
            onChange={setNumberOp}
          />
          <ThresholdField
            metric={metric}
            value={value}
            error={fault("value")}
            onChange={(typed) => {
              setValue(typed);
              correct("value");
            }}
          />
        </div>
      )}
      {create.error !== null && findRefusedField(create.error).size === 0 ? <ErrorNote error={create.error} /> : null}
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {text.submit}
      </Button>
      {create.isSuccess ? <CreatedNotice email={create.data.email} /> : null}
    </form>
  );
}

type ThresholdFieldProps = {
  metric: AlertMetric;
  value: string;
  error: string | null;
  onChange: (value: string) => void;
};

/** The threshold of a metric with numbers. */
function ThresholdField({ metric, value, error, onChange }: ThresholdFieldProps) {
  const { alerts: text } = useMessages();
  const { [metric]: shown } = metrics;
  if (shown.kind === "name") return null;
  const unit = shown.unit === "percent" ? text.unit.percent : "";
  return (
    <Field label={text.value} hint={text.valueHint(shown.min, shown.max, unit)} error={error}>
      {(control) => (
        <Input
          {...control}
          inputMode="decimal"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type CheckedFields = { email: string; pair: string; metric: AlertMetric; isValueMissing: boolean };

function findFaults(text: Messages["alerts"], { email, pair, metric, isValueMissing }: CheckedFields): FieldFaults {
  const { [metric]: shown } = metrics;
  const found = new Map<string, string>();
  if (!isEmail(email.trim())) found.set("email", text.faults.email);
  if (pair === "") found.set("pair", text.faults.market);
  if (isValueMissing && shown.kind === "number") found.set("value", text.faults.value(shown.min, shown.max));
  return found;
}
