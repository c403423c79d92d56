import type { Scope } from "@slipway/protocol/accounts";
import { useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Select } from "../../ui/select.tsx";

/** Scopes that a user can grant to a key. Only the operator grants `admin`. */
const offeredScopes = ["read", "write", "transactions", "account"] as const satisfies readonly Scope[];
type OfferedScope = (typeof offeredScopes)[number];

const expiries = ["30", "90", "365", ""] as const;
type Expiry = (typeof expiries)[number];

/** Creates a key. Only this component's memory contains the secret, until the user closes the note. */
export function NewKeyForm() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly OfferedScope[]>(["read"]);
  const [expiry, setExpiry] = useState<Expiry>("90");
  const create = useSignedInChange(
    () =>
      api.createApiKey({
        name: name.trim(),
        scopes: [...scopes],
        ...(expiry === "" ? {} : { expires_in_days: Number(expiry) }),
      }),
    ["listApiKeys"],
  );
  const toggle = (scope: OfferedScope) =>
    setScopes(offeredScopes.filter((each) => (each === scope ? !scopes.includes(each) : scopes.includes(each))));
  if (create.data !== undefined) {
    const { key, name: created } = create.data;
    const putAway = () => {
      create.reset();
      setName("");
    };
    return (
      <Panel title={text.newKey}>
        <Notice live tone="success" title={text.keyCreated(created)}>
          <p>{text.keySecret}</p>
          <p className="mt-2 flex items-start gap-2 rounded-sm border border-line bg-sunken px-3 py-2">
            <code data-testid="secret" className="min-w-0 flex-1 self-center text-base break-all text-ink">
              {key}
            </code>
            <CopyButton text={key} label={text.keySecretLabel} />
          </p>
        </Notice>
        <Button variant="primary" className="mt-3" onClick={putAway}>
          {text.keyStored}
        </Button>
      </Panel>
    );
  }
  return (
    <Panel title={text.newKey}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!create.isPending) create.mutate(undefined);
        }}
      >
        <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
          <Field label={text.keyName} hint={text.keyNameHint}>
            {(control) => (
              <Input
                {...control}
                value={name}
                maxLength={64}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Select
            label={text.keyExpiry}
            value={expiry}
            options={expiries.map((days) => ({
              value: days,
              label: days === "" ? text.noEnd : text.days(Number(days)),
            }))}
            onChange={setExpiry}
          />
        </div>
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 text-sm font-semibold">{text.keyScopes}</legend>
          {offeredScopes.map((scope) => (
            <label key={scope} className="flex min-h-8 cursor-pointer items-start gap-3 py-1 text-sm">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={() => toggle(scope)}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <span>
                <code className="font-semibold">{scope}</code>
                <span className="block text-muted">{text.scopes[scope]}</span>
              </span>
            </label>
          ))}
          <p role="alert" className="text-sm font-semibold text-sell empty:hidden">
            {scopes.length === 0 ? text.scopeMissing : ""}
          </p>
        </fieldset>
        {create.error === null ? null : <ErrorNote error={create.error} title={text.changeFailed} />}
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          busy={create.isPending}
          disabled={name.trim() === "" || scopes.length === 0}
        >
          {text.createKey}
        </Button>
      </form>
      {create.dialog}
    </Panel>
  );
}
