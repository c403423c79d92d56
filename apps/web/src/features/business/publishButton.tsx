import { useEffect, useRef, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useSession } from "../../session/services.tsx";
import { Button } from "../../ui/button.tsx";

/** The button of a new listing: it signs in first, then publishes without a second press. */
export function PublishButton({ send, busy }: { send: () => void; busy: boolean }) {
  const { business: text } = useMessages();
  const { status, accountId } = useSession();
  const [isSigningIn, setSigningIn] = useState(false);
  const [continues, setContinues] = useState(false);
  /** The first account that was signed in while the form was open: the text may belong to it. Empty if it is unknown. */
  const owner = useRef<string | null>(null);
  useEffect(() => {
    if (status === "signed_in") owner.current ??= accountId ?? "";
  }, [status, accountId]);
  // After the effect above. Another account must not publish the text without a press of its user.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the sign-in is the only reason to publish
  useEffect(() => {
    if (!continues) return;
    setContinues(false);
    if (owner.current === accountId) send();
  }, [continues]);
  return (
    <>
      {status === "signed_out" ? (
        <ActionButton onClick={() => setSigningIn(true)}>{text.signInToPublish}</ActionButton>
      ) : (
        <Button variant="primary" size="lg" busy={busy || status === "unknown"} onClick={send}>
          {text.publish}
        </Button>
      )}
      {isSigningIn ? (
        <SignInDialog
          onClose={() => setSigningIn(false)}
          onDone={() => {
            setSigningIn(false);
            setContinues(true);
          }}
        />
      ) : null}
    </>
  );
}
