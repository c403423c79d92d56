import { type ReactNode, useState } from "react";
import { Skeleton } from "../ui/skeleton.tsx";
import { ActionButton } from "./actionButton.tsx";
import { SignInDialog } from "./lazySignInDialog.ts";
import { useSession } from "./services.tsx";

type SignInFirstProps = {
  action: string;
  /** Stands above the button, where what is signed in for has a head of its own. */
  head?: ReactNode;
  children: ReactNode;
};

/** What only a signed-in browser sees; others get the button that signs in. */
export function SignInFirst({ action, head, children }: SignInFirstProps) {
  const { status } = useSession();
  const [isOpen, setOpen] = useState(false);
  // The dialog goes with its button and closes nothing then: after a sign-out it would sign in again by itself.
  if (status === "signed_in" && isOpen) setOpen(false);
  if (status === "signed_in") return children;
  return (
    <>
      {head}
      {status === "unknown" ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <div className="panel flex flex-col gap-4 p-6">
          <ActionButton onClick={() => setOpen(true)}>{action}</ActionButton>
          {isOpen ? <SignInDialog onClose={() => setOpen(false)} /> : null}
        </div>
      )}
    </>
  );
}
