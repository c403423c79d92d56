import type { Report } from "@slipway/protocol/moderation";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";

/** The reported listing, token, picture or opening, and its name. */
export type Reported = { kind: Report["kind"]; id: string; name: string };

/** The form of a report to the operator. It does not require an account. */
export function ReportDialog({ reported, onClose }: { reported: Reported; onClose: () => void }) {
  const { report: text } = useMessages();
  const { api } = useServices();
  const [reason, setReason] = useState<Report["reason"]>("spam");
  const [explanation, setExplanation] = useState("");
  const { kind, id } = reported;
  const send = useMutation({
    mutationFn: () => {
      const written = explanation.trim();
      return api.createReport({ kind, id, reason, ...(written === "" ? {} : { text: written }) });
    },
  });
  const reasons = Object.entries(text.reasons) as [Report["reason"], string][];
  return (
    <Dialog open onClose={onClose} title={text.title(toDisplayText(reported.name))} description={text.hint} sheet>
      {send.isSuccess ? (
        <div className="flex flex-col gap-4">
          <Notice live tone="success" title={text.done}>
            {text.doneBody}
          </Notice>
          <Button onClick={onClose}>{text.close}</Button>
        </div>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!send.isPending) send.mutate();
          }}
        >
          <Select
            label={text.reason}
            value={reason}
            options={reasons.map(([value, label]) => ({ value, label }))}
            onChange={setReason}
          />
          <Field label={text.text} hint={text.textHint}>
            {(control) => (
              <TextArea
                {...control}
                dir="auto"
                value={explanation}
                maxLength={1_000}
                onChange={(event) => setExplanation(event.target.value)}
              />
            )}
          </Field>
          {send.error === null ? null : <ErrorNote error={send.error} title={text.failed} />}
          <Button type="submit" variant="primary" busy={send.isPending}>
            {text.send}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
