import { useEffect, useRef } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useSession } from "../../session/services.tsx";
import { useSignInThen } from "../../session/useSignInThen.tsx";
import { Button } from "../../ui/button.tsx";

/** The button of a new listing: it signs in first, then publishes without a second press. */
export function PublishButton({ send, busy }: { send: () => void; busy: boolean }) {
  const { business: text } = useMessages();
  const { status, accountId } = useSession();
  /** The first account that was signed in while the form was open: the text may belong to it. Empty if it is unknown. */
  const owner = useRef<string | null>(null);
  useEffect(() => {
    if (status === "signed_in") owner.current ??= accountId ?? "";
  }, [status, accountId]);
  // After the effect above. Another account must not publish the text without a press of its user.
  const { signIn, dialog } = useSignInThen(() => {
    if (owner.current === accountId) send();
  });
  return (
    <>
      {status === "signed_out" ? (
        <ActionButton onClick={signIn}>{text.signInToPublish}</ActionButton>
      ) : (
        <Button variant="primary" size="lg" busy={busy || status === "unknown"} onClick={send}>
          {text.publish}
        </Button>
      )}
      {dialog}
    </>
  );
}
