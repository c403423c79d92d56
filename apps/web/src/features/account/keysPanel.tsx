import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";
import { ConfirmButton } from "./confirmButton.tsx";
import { NewKeyForm } from "./newKeyForm.tsx";
import { Rows } from "./rows.tsx";

/** The API keys of the account, without their secrets. */
export function KeysPanel() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const { data, error, isFetching, refetch } = useQuery(readOptions("listApiKeys", undefined));
  const revoke = useSignedInChange((id: string) => api.revokeApiKey({ id }), ["listApiKeys"]);
  return (
    <div className="flex flex-col gap-4">
      <NewKeyForm />
      {error !== null && data === undefined ? (
        <AccountError error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : (
        <Panel title={text.sections.keys} flush>
          <div className="flex flex-col gap-3 px-4 pb-3">
            <p className="text-sm text-muted">{text.keysHint}</p>
            {revoke.error === null ? null : <ErrorNote error={revoke.error} title={text.changeFailed} />}
          </div>
          <Rows
            label={text.sections.keys}
            rows={data?.items}
            getKey={({ id }) => id}
            empty={text.keysEmpty}
            title={({ name }) => <bdi>{name}</bdi>}
            details={({ prefix, scopes, created_at, last_used_at, expires_at }) => (
              <>
                <code className="break-all">{prefix}…</code>
                <span>{scopes.join(", ")}</span>
                <span>
                  {text.created} <Time value={created_at} />
                </span>
                <span>
                  {last_used_at === null ? (
                    text.neverUsed
                  ) : (
                    <>
                      {text.lastUsed} <Time value={last_used_at} />
                    </>
                  )}
                </span>
                {expires_at === null ? (
                  <span>{text.noEnd}</span>
                ) : (
                  <span>
                    {Date.parse(expires_at) < Date.now() ? text.expired : text.expires} <Time value={expires_at} />
                  </span>
                )}
              </>
            )}
            action={({ id, name }) => (
              <ConfirmButton
                label={text.revoke}
                of={name}
                title={text.revokeTitle(name)}
                body={text.revokeBody}
                busy={revoke.isPending && revoke.variables === id}
                onConfirm={() => revoke.mutate(id)}
              />
            )}
          />
          {revoke.dialog}
        </Panel>
      )}
    </div>
  );
}
