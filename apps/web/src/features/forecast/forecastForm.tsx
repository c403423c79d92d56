import type { ForecastLineRequest } from "@slipway/protocol/forecast";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { barPages, marketsOptions } from "../../data/marketQueries.ts";
import type { Answer } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Select } from "../../ui/select.tsx";
import { parseSeries } from "./parseSeries.ts";
import { toSeries } from "./toSeries.ts";

type Info = Answer<"getForecastInfo">;
type Texts = ReturnType<typeof useMessages>["forecast"];
type Source = "market" | "own";

/** The maximum number of hours: the bars of one page. */
const maxHours = 300;

/** Error texts by request field. */
export type FieldFaults = Partial<Record<"series" | "prediction_length" | "interval", string>>;

type ForecastFormProps = {
  info: Info;
  pair: string | undefined;
  busy: boolean;
  /** The service's errors, by field. */
  refused: FieldFaults;
  onSubmit: (request: ForecastLineRequest) => void;
};

/** Parses a whole number; null for other text. */
const toWhole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : null);

/** Returns why a series cannot be sent; null if it can. */
function findSeriesFault(text: Texts, info: Info, parsed: ReturnType<typeof parseSeries>): string | null {
  const { values, fault } = parsed;
  if (fault?.kind === "comma") return text.faults.comma;
  if (fault?.kind === "not_number") return text.faults.notNumber(fault.text);
  if (values.length < info.series.min) return text.faults.tooFew(values.length, info.series.min);
  return values.length > info.series.max ? text.faults.tooMany(values.length, info.series.max) : null;
}

/** The form for a series and the forecast length. It sends nothing until the user presses the button. */
export function ForecastForm({ info, pair: chosenPair, busy, refused, onSubmit }: ForecastFormProps) {
  const { forecast: text } = useMessages();
  const followed = useQuery(marketsOptions);
  const markets = followed.data?.items.filter(({ status }) => status !== "unavailable") ?? [];
  const [source, setSource] = useState<Source>("market");
  const [pair, setPair] = useState(chosenPair ?? "");
  const [hours, setHours] = useState("168");
  const [pasted, setPasted] = useState("");
  const [interval, setInterval] = useState<ForecastLineRequest["interval"]>("HOUR_1");
  const [length, setLength] = useState("24");
  const [isChecked, setChecked] = useState(false);
  const shownPair = markets.some((market) => market.pair === pair) ? pair : (markets[0]?.pair ?? "");
  const bars = useInfiniteQuery({ ...barPages(shownPair, "1h"), enabled: source === "market" && shownPair !== "" });
  const isLoading = source === "market" && (followed.isPending || bars.isLoading);
  const hourCount = toWhole(hours);
  const isHoursWrong = hourCount === null || hourCount < info.series.min || hourCount > maxHours;
  const ofMarket = toSeries(bars.data?.pages[0]?.items ?? [], isHoursWrong ? maxHours : hourCount);
  const parsed = source === "own" ? parseSeries(pasted) : { values: ofMarket.values, fault: null };
  const isNoBars = source === "market" && parsed.values.length === 0;
  const ahead = toWhole(length);
  const maxAhead = Math.min(info.prediction_length.max, Math.max(parsed.values.length, 1));
  const faults: Partial<Record<"series" | "length" | "hours", string | null>> = {
    series: isNoBars ? text.faults.noBars : findSeriesFault(text, info, parsed),
    length: ahead === null || ahead < 1 || ahead > maxAhead ? text.faults.length(maxAhead) : null,
    hours: source === "market" && isHoursWrong ? text.faults.hours(info.series.min, maxHours) : null,
  };
  const shown = isChecked ? faults : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || isLoading) return;
    setChecked(true);
    if (Object.values(faults).some((fault) => fault !== null)) return;
    onSubmit({
      series: parsed.values,
      prediction_length: ahead!,
      interval: source === "market" ? "HOUR_1" : interval,
    });
  };
  const lengthField = (
    <Field
      label={text.length}
      hint={text.lengthHint(info.prediction_length.max)}
      error={shown.length ?? refused.prediction_length ?? null}
    >
      {(control) => (
        <Input {...control} inputMode="numeric" value={length} onChange={(event) => setLength(event.target.value)} />
      )}
    </Field>
  );
  return (
    <form noValidate onSubmit={submit} className="panel flex flex-col gap-4 p-4">
      <Segments
        label={text.source}
        value={source}
        items={(["market", "own"] as const).map((value) => ({ value, label: text.sources[value] }))}
        onChange={setSource}
      />
      {source === "market" ? (
        <>
          <Select
            label={text.market}
            value={shownPair}
            options={
              markets.length === 0
                ? [{ value: "", label: text.noMarket }]
                : markets.map((market) => ({ value: market.pair, label: market.pair.replace("_", " / ") }))
            }
            onChange={setPair}
            error={shown.series ?? refused.series ?? null}
          />
          <Field label={text.hours} hint={text.hoursHint(info.series.min, maxHours)} error={shown.hours ?? null}>
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                value={hours}
                onChange={(event) => setHours(event.target.value)}
              />
            )}
          </Field>
          {ofMarket.filled > 0 ? <p className="text-sm text-warn">{text.faults.gaps(ofMarket.filled)}</p> : null}
        </>
      ) : (
        <>
          <Field
            label={text.values}
            hint={text.valuesHint(parsed.values.length, info.series.min, info.series.max)}
            error={shown.series ?? refused.series ?? null}
          >
            {(control) => (
              <TextArea
                {...control}
                rows={7}
                value={pasted}
                placeholder={text.valuesPlaceholder}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setPasted(event.target.value)}
              />
            )}
          </Field>
          <Select
            label={text.interval}
            value={interval}
            options={info.intervals.map((value) => ({ value, label: text.intervals[value] }))}
            onChange={setInterval}
            error={refused.interval ?? null}
          />
        </>
      )}
      {lengthField}
      <Button type="submit" variant="primary" size="lg" busy={busy || isLoading}>
        {text.submit(info.credits)}
      </Button>
    </form>
  );
}
