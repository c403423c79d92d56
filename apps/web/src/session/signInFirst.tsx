import { type ReactNode, useState } from "react";
import { Skeleton } from "../ui/skeleton.tsx";
import { ActionButton } from "./actionButton.tsx";
import { SignInDialog } from "./lazySignInDialog.ts";
import { useSession } from "./services.tsx";

type SignInFirstProps = {
  action: string;
  /** Shown above the button, for content with a heading of its own. */
  head?: ReactNode;
  children: ReactNode;
};

/** Renders its content for a signed-in browser, else a sign-in button. */
export function SignInFirst({ action, head, children }: SignInFirstProps) {
  const { status } = useSession();
  const [isOpen, setOpen] = useState(false);
  // The sign-in unmounts the dialog without `onClose`. Without this reset, a sign-out would open the dialog again.
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
