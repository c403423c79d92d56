import { useInfiniteQuery } from "@tanstack/react-query";
import { isContinued, walletPages } from "../data/walletPages.ts";
import { ClaimBox } from "../features/fees/claimBox.tsx";
import { FeesPanel } from "../features/fees/feesPanel.tsx";
import { renderGasHelp } from "../features/gas/gasHelp.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { ActionButton } from "../session/actionButton.tsx";
import { useConnection } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote, getErrorCode } from "../ui/errorNote.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

/** The connected wallet's fees, with one button that claims all of them. */
export function FeesPage() {
  const { fees: text } = useMessages();
  const { address } = useConnection();
  return (
    <div className="page max-w-3xl pb-6">
      <PageHead title={text.title} lead={text.lead} />
      <SignInFirst action={text.signIn}>
        {address === null ? (
          <div className="panel p-6">
            <ActionButton onClick={() => undefined}>{text.signIn}</ActionButton>
          </div>
        ) : (
          <Fees key={address} wallet={address} />
        )}
      </SignInFirst>
    </div>
  );
}

function Fees({ wallet }: { wallet: string }) {
  const { fees: text } = useMessages();
  const { data, error, refetch, fetchNextPage, isFetching, isFetchingNextPage, isFetchNextPageError } =
    useInfiniteQuery(walletPages(wallet));
  if (data === undefined) {
    if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />;
    return <Skeleton className="h-64 w-full" />;
  }
  const shared = data.pages.flatMap((page) => page.recipient_of);
  const more = isContinued(data.pages, "receipts") ? () => void fetchNextPage() : undefined;
  if (shared.length === 0) return <Notice title={text.none}>{text.noneHelp}</Notice>;
  return (
    <div className="flex flex-col gap-4">
      <ClaimBox tokens={shared.map(({ token }) => token.address)} onMore={more} renderGasHelp={renderGasHelp} />
      <p className="text-sm text-muted">{text.explain}</p>
      {shared.map(({ token }) => (
        <FeesPanel key={token.address} token={token.address} symbol={token.symbol} wallet={wallet} />
      ))}
      {error === null ? null : (
        <ErrorNote
          error={error}
          // A page's cursor is invalid after a reorg: read all pages again.
          onRetry={() =>
            void (isFetchNextPageError && getErrorCode(error) !== "cursor_expired" ? fetchNextPage() : refetch())
          }
          busy={isFetching}
        />
      )}
      {more === undefined || isFetchNextPageError ? null : (
        <div className="text-center">
          <Button busy={isFetchingNextPage} onClick={more}>
            {text.more}
          </Button>
        </div>
      )}
    </div>
  );
}
