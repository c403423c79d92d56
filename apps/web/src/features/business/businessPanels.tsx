import { countryCodes } from "@slipway/protocol/countries";
import { useMemo } from "react";
import { language } from "../../format/locale.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Select } from "../../ui/select.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import { type BusinessFields, linkFields } from "./businessFields.ts";

/** The form state that the fields need. */
export type BusinessDraft = {
  fields: BusinessFields;
  faults: FieldFaults;
  change: (name: string, value: string) => void;
};

type LineProps = {
  draft: BusinessDraft;
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  required?: boolean;
};

export const pairs = "grid items-start gap-4 sm:grid-cols-2";

/** A single-line field. */
export const Line = ({ draft, name, label, hint, placeholder, required }: LineProps) => (
  <Field label={label} hint={hint} error={draft.faults.get(name) ?? null} required={required}>
    {(control) => (
      <Input
        {...control}
        dir="auto"
        value={draft.fields[name]}
        placeholder={placeholder}
        autoComplete="off"
        onChange={(event) => draft.change(name, event.target.value)}
      />
    )}
  </Field>
);

/** A multi-line field. */
export const Lines = ({ draft, name, label, rows, required }: LineProps & { rows: number }) => (
  <Field label={label} error={draft.faults.get(name) ?? null} required={required}>
    {(control) => (
      <TextArea
        {...control}
        dir="auto"
        rows={rows}
        value={draft.fields[name]}
        onChange={(event) => draft.change(name, event.target.value)}
      />
    )}
  </Field>
);

type ChoiceProps = LineProps & { none: string; options: readonly { value: string; label: string }[] };

/** A field with fixed options. `none` is the label of the empty option. */
export const Choice = ({ draft, name, label, none, options }: ChoiceProps) => (
  <Select
    label={label}
    value={draft.fields[name]!}
    error={draft.faults.get(name) ?? null}
    options={[{ value: "", label: none }, ...options]}
    onChange={(value) => draft.change(name, value)}
  />
);

/** Contact details and links. */
export function ContactPanel({ draft }: { draft: BusinessDraft }) {
  const { business: text } = useMessages();
  return (
    <Panel title={text.contact} aside={<span className="text-sm text-muted">{text.contactHint}</span>}>
      <div className={pairs}>
        <Line draft={draft} name="website" label={text.website} placeholder="https://" />
        <Line draft={draft} name="email" label={text.email} />
        <Line draft={draft} name="phone" label={text.phone} hint={text.phoneHint} />
        {linkFields.map((name) => (
          <Line key={name} draft={draft} name={`links.${name}`} label={text.links[name]} placeholder="https://" />
        ))}
      </div>
    </Panel>
  );
}

/** Location and opening hours. */
export function PlacePanel({ draft }: { draft: BusinessDraft }) {
  const { business: text } = useMessages();
  const countries = useMemo(getCountries, []);
  return (
    <Panel title={text.place}>
      <div className="flex flex-col gap-4">
        <div className={pairs}>
          <Line draft={draft} name="address.street" label={text.street} />
          <Line draft={draft} name="address.postal_code" label={text.postalCode} />
          <Line draft={draft} name="address.city" label={text.city} />
          <Line draft={draft} name="address.region" label={text.region} />
          <Choice draft={draft} name="address.country" label={text.country} none={text.noCountry} options={countries} />
        </div>
        <div className={pairs}>
          <Line draft={draft} name="location.lat" label={text.latitude} hint={text.coordinatesHint} />
          <Line draft={draft} name="location.lon" label={text.longitude} />
        </div>
        <Lines draft={draft} name="hours" label={text.hours} rows={3} />
      </div>
    </Panel>
  );
}

/** Returns the countries with their names in the page's language. */
function getCountries(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(language, { type: "region" });
  return [...countryCodes]
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language));
}
