import { type FormEvent, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { readRefusedField, useFieldFaults, withoutField } from "../../ui/useFieldFaults.ts";
import { isEmail } from "./alertRule.ts";
import { CreatedNotice, EmailField, useCreateAlert } from "./createAlert.tsx";
import { type EventKind, eventFields, eventKinds, toSubject } from "./eventSubject.ts";

/** The form of a new alert of events, such as the trades of a token. */
export function EventAlertForm() {
  const { alerts: text } = useMessages();
  const [email, setEmail] = useState("");
  const [kind, setKind] = useState<EventKind>("trades");
  const [address, setAddress] = useState("");
  const [size, setSize] = useState("");
  const { form, faults, show, update } = useFieldFaults();
  const create = useCreateAlert();
  const fields = eventFields[kind];
  const correct = (field: string) => update((known) => withoutField(known, field));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const made = toSubject(kind, address, fields.size ? size : "");
    const wrong = "faults" in made ? made.faults.map((field) => [field, text.eventFaults[field]] as const) : [];
    const found = new Map<string, string>(wrong);
    if (!isEmail(email.trim())) found.set("email", text.faults.email);
    show(found);
    if (found.size > 0 || "faults" in made) return;
    create.mutate(
      { email: email.trim(), subject: made.subject },
      { onError: (error) => show(new Map([...readRefusedField(error)].filter(([field]) => field === "email"))) },
    );
  };
  const isAtField = readRefusedField(create.error).has("email");
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <EmailField
        value={email}
        error={faults.get("email") ?? null}
        onChange={(typed) => {
          setEmail(typed);
          correct("email");
        }}
      />
      <Select
        label={text.events}
        value={kind}
        options={eventKinds.map((each) => ({ value: each, label: text.subjects[each] }))}
        onChange={(next) => {
          setKind(next);
          show(new Map());
        }}
      />
      {fields.address === "none" ? null : (
        <Field
          label={text.eventAddresses[kind === "large_trades" ? "trades" : kind]}
          hint={fields.address === "optional" ? text.eventOptional : undefined}
          error={faults.get("address") ?? null}
          required={fields.address === "required"}
        >
          {(control) => (
            <Input
              {...control}
              placeholder="0x…"
              autoComplete="off"
              spellCheck={false}
              maxLength={42}
              value={address}
              onChange={(event) => {
                setAddress(event.target.value);
                correct("address");
              }}
            />
          )}
        </Field>
      )}
      {fields.size ? (
        <Field
          label={text.eventSize}
          hint={kind === "large_trades" ? undefined : text.eventOptional}
          error={faults.get("size") ?? null}
          required={kind === "large_trades"}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              value={size}
              onChange={(event) => {
                setSize(event.target.value);
                correct("size");
              }}
            />
          )}
        </Field>
      ) : null}
      <p className="text-sm text-muted">{text.eventsLead}</p>
      {create.error !== null && !isAtField ? <ErrorNote error={create.error} /> : null}
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {text.submit}
      </Button>
      {create.isSuccess ? <CreatedNotice email={create.data.email} /> : null}
    </form>
  );
}
