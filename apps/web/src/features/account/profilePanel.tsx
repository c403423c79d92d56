import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";

/** The account's name and id. */
export function ProfilePanel() {
  const { account: text } = useMessages();
  const { data, error, isFetching, refetch } = useQuery(readOptions("getAccount", undefined));
  if (error !== null && data === undefined)
    return <AccountError error={error} onRetry={() => void refetch()} busy={isFetching} />;
  return (
    <Panel title={text.sections.profile}>
      {data === undefined ? (
        <Skeleton className="h-44 w-full" />
      ) : (
        <div className="flex flex-col gap-5">
          <NameForm key={data.id} name={data.name} />
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-1 text-sm">
            <dt className="text-muted">{text.since}</dt>
            <dd>
              <Time value={data.created_at} />
            </dd>
            <dt className="self-start pt-1 text-muted">{text.id}</dt>
            <dd className="min-w-0">
              <span className="flex items-center gap-1">
                <code className="min-w-0 break-all">{data.id}</code>
                <CopyButton text={data.id} label={text.id} />
              </span>
              <span className="block text-muted">{text.idHint}</span>
            </dd>
          </dl>
        </div>
      )}
    </Panel>
  );
}

function NameForm({ name }: { name: string }) {
  const { account: text } = useMessages();
  const { api } = useServices();
  const [typed, setTyped] = useState(name);
  const change = useSignedInChange((next: string) => api.renameAccount({ name: next }), ["getAccount"]);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) change.mutate(typed.trim());
      }}
    >
      <Field label={text.name} hint={text.nameHint}>
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              dir="auto"
              value={typed}
              maxLength={64}
              autoComplete="off"
              onChange={(event) => {
                setTyped(event.target.value);
                change.reset();
              }}
            />
            <Button
              type="submit"
              variant="primary"
              busy={change.isPending}
              disabled={typed.trim() === "" || typed.trim() === name}
            >
              {text.save}
            </Button>
          </div>
        )}
      </Field>
      <p role="status" className="text-sm font-semibold text-buy empty:hidden">
        {change.isSuccess ? text.saved : ""}
      </p>
      {change.error === null ? null : <ErrorNote error={change.error} title={text.changeFailed} />}
      {change.dialog}
    </form>
  );
}
