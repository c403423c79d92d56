import { type ReactNode, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";

type ConfirmButtonProps = {
  label: string;
  /** The object of the action, for screen readers. */
  of?: string;
  title: string;
  body: ReactNode;
  /** A phrase that the user must type to confirm. */
  phrase?: string;
  busy: boolean;
  disabled?: boolean;
  size?: "sm" | "md";
  onConfirm: () => void;
};

/** A button for an irreversible action. A dialog explains the consequences and asks for confirmation. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, of, title, body, phrase, busy, disabled, size = "sm", onConfirm } = props;
  const { account: text } = useMessages();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const isTyped = phrase === undefined || typed.trim() === phrase;
  const close = () => {
    setOpen(false);
    setTyped("");
  };
  const confirm = () => {
    if (!isTyped) return;
    close();
    onConfirm();
  };
  return (
    <>
      <Button size={size} variant="danger" busy={busy} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
        {of === undefined ? null : <span className="sr-only"> {of}</span>}
      </Button>
      <Dialog open={isOpen} onClose={close} title={title}>
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            confirm();
          }}
        >
          <div className="text-sm">{body}</div>
          {phrase === undefined ? null : (
            <Field label={text.deleteType(phrase)}>
              {(control) => (
                <Input
                  {...control}
                  value={typed}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
            </Field>
          )}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={close}>{text.cancel}</Button>
            <Button type="submit" variant="danger" disabled={!isTyped}>
              {label}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
