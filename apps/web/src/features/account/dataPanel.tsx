import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Button } from "../../ui/button.tsx";
import { download } from "../../ui/download.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ConfirmButton } from "./confirmButton.tsx";

/** Exports the account's data, and deletes the account. */
export function DataPanel() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const read = useSignedInChange(async () => {
    const data = await api.exportAccount();
    download(
      `slipway-account-${new Date().toISOString().slice(0, 10)}.json`,
      JSON.stringify(data, null, 2),
      "application/json",
    );
  }, ["listAccountEvents"]);
  return (
    <div className="flex flex-col gap-4">
      <Panel title={text.export}>
        <div className="flex flex-col items-start gap-3">
          <p className="text-sm text-muted">{text.exportHint}</p>
          <Button busy={read.isPending} onClick={() => read.mutate(undefined)}>
            {text.exportNow}
          </Button>
          <p role="status" className="text-sm font-semibold text-buy empty:hidden">
            {read.isSuccess ? text.exported : ""}
          </p>
          {read.error === null ? null : <ErrorNote error={read.error} title={text.exportFailed} />}
        </div>
        {read.dialog}
      </Panel>
      <DeletionPanel />
    </div>
  );
}

function DeletionPanel() {
  const { account: text } = useMessages();
  const { api, session } = useServices();
  const navigate = useNavigate();
  const shown = useQuery(readOptions("getAccount", undefined)).data?.id;
  const remove = useSignedInChange(async () => {
    // Another tab may have signed in to another account. The user confirmed the deletion of the shown account.
    const { id } = await api.getAccount();
    if (id !== shown) throw Object.assign(new Error(text.otherAccount), { code: "other_account", requestId: null });
    await api.deleteAccount();
    session.left();
    await navigate({ to: "/" });
  });
  return (
    <Panel title={text.deletion}>
      <div className="flex flex-col items-start gap-4">
        <div className="grid gap-4 text-sm sm:grid-cols-2">
          <Points title={text.goes} points={text.goesList} />
          <Points title={text.stays} points={text.staysList} />
        </div>
        {remove.error === null ? null : <ErrorNote error={remove.error} title={text.changeFailed} />}
        <ConfirmButton
          size="md"
          label={text.deleteNow}
          title={text.deleteTitle}
          body={text.deleteBody}
          phrase={text.deletePhrase}
          busy={remove.isPending}
          disabled={shown === undefined}
          onConfirm={() => remove.mutate(undefined)}
        />
      </div>
      {remove.dialog}
    </Panel>
  );
}

const Points = ({ title, points }: { title: string; points: readonly string[] }) => (
  <div>
    <h3 className="font-semibold">{title}</h3>
    <ul className="mt-1 list-disc ps-5 text-muted">
      {points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  </div>
);
