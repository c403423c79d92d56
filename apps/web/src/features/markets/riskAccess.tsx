import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { SignInFirst } from "../../session/signInFirst.tsx";
import { useAccount } from "../../session/useAccount.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** Content for subscribers. Other users see the requirement, and the rest of the page. */
export function RiskAccess({ children }: { children: ReactNode }) {
  const { markets: text } = useMessages();
  const { status, account, error, isFetching, refetch, hasPlan } = useAccount();
  if (status === "signed_out") {
    return (
      <div className="flex max-w-xl flex-col gap-3">
        <p className="text-sm text-muted">{text.riskNeedsSignIn}</p>
        <SignInFirst action={text.riskSignIn}>{null}</SignInFirst>
      </div>
    );
  }
  if (error !== null && account === undefined) {
    return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />;
  }
  if (account === undefined) return <Skeleton className="h-40 w-full" />;
  return hasPlan ? children : <Notice>{text.riskNeedsPlan}</Notice>;
}
