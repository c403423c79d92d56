import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";
import { ConfirmButton } from "./confirmButton.tsx";
import { nameBrowser } from "./nameBrowser.ts";
import { Rows } from "./rows.tsx";

/** The sessions of the account. */
export function SessionsPanel() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const { data, error, isFetching, refetch } = useQuery(readOptions("listSessions", undefined));
  // Ends the sessions one after the other: the call that ends all sessions would also end this one.
  const end = useSignedInChange(
    async (ids: readonly string[]) => {
      for (const id of ids) await api.endSession({ id });
      return ids.length;
    },
    ["listSessions"],
  );
  const toName = (userAgent: string | null) => {
    const known = nameBrowser(userAgent);
    if (known === null) return userAgent === null ? text.unknownBrowser : toDisplayText(userAgent.slice(0, 80));
    return known.system === null ? known.browser : text.browserOn(known.browser, known.system);
  };
  if (error !== null && data === undefined)
    return <AccountError error={error} onRetry={() => void refetch()} busy={isFetching} />;
  const sessions = data?.items.toSorted((one, other) => Number(other.current) - Number(one.current));
  const others = (sessions ?? []).filter(({ current }) => !current).map(({ id }) => id);
  return (
    <Panel
      title={text.sections.sessions}
      flush
      aside={
        others.length === 0 ? null : (
          <ConfirmButton
            label={text.endOthers}
            title={text.endOthersTitle}
            body={text.endOthersBody}
            busy={end.isPending && end.variables.length > 1}
            onConfirm={() => end.mutate(others)}
          />
        )
      }
    >
      <div className="flex flex-col gap-2 px-4 pb-3">
        <p className="text-sm text-muted">{text.sessionsHint}</p>
        <p role="status" className="text-sm font-semibold text-buy empty:hidden">
          {end.data === undefined ? "" : text.ended(end.data)}
        </p>
        {end.error === null ? null : <ErrorNote error={end.error} title={text.changeFailed} />}
      </div>
      <Rows
        label={text.sections.sessions}
        rows={sessions}
        getKey={({ id }) => id}
        empty={text.sessionsEmpty}
        title={({ user_agent, current }) => (
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span title={user_agent ?? undefined}>{toName(user_agent)}</span>
            {current ? <span className="text-sm text-buy">{text.thisBrowser}</span> : null}
          </span>
        )}
        details={({ created_at, expires_at, address }) => (
          <>
            <span>
              {text.signedInAt} <Time value={created_at} />
            </span>
            <span>
              {text.endsAt} <Time value={expires_at} />
            </span>
            {address === null ? null : <span className="break-all">{address}</span>}
          </>
        )}
        action={({ id, current, user_agent, created_at }) =>
          current ? null : (
            <ConfirmButton
              label={text.end}
              of={toName(user_agent)}
              title={`${text.end}: ${toName(user_agent)}`}
              body={
                <>
                  {text.signedInAt} <Time value={created_at} />
                </>
              }
              busy={end.isPending && end.variables.includes(id)}
              onConfirm={() => end.mutate([id])}
            />
          )
        }
      />
      {end.dialog}
    </Panel>
  );
}
