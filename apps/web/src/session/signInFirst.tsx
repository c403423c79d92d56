import { lazy, type ReactNode, Suspense, useState } from "react";
import { Skeleton } from "../ui/skeleton.tsx";
import { ActionButton } from "./actionButton.tsx";
import { useSession } from "./services.tsx";

const SignInDialog = lazy(() => import("./signInDialog.tsx").then((module) => ({ default: module.SignInDialog })));

/** What only a signed-in browser sees; others get the button that signs in. */
export function SignInFirst({ action, children }: { action: string; children: ReactNode }) {
  const { status } = useSession();
  const [isOpen, setOpen] = useState(false);
  // The dialog goes with its button and closes nothing then: after a sign-out it would sign in again by itself.
  if (status === "signed_in" && isOpen) setOpen(false);
  if (status === "signed_in") return children;
  if (status === "unknown") return <Skeleton className="h-64 w-full" />;
  return (
    <div className="panel flex flex-col gap-4 p-6">
      <ActionButton onClick={() => setOpen(true)}>{action}</ActionButton>
      <Suspense fallback={null}>{isOpen ? <SignInDialog onClose={() => setOpen(false)} /> : null}</Suspense>
    </div>
  );
}
