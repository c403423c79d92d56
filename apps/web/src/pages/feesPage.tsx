import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../data/queries.ts";
import { ClaimBox } from "../features/fees/claimBox.tsx";
import { FeesPanel } from "../features/fees/feesPanel.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { ActionButton } from "../session/actionButton.tsx";
import { useConnection } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

const TopUpBox = lazyPart(
  () => import("../features/gas/topUpBox.tsx"),
  (module) => module.TopUpBox,
);

/** The way to a network fee for a wallet that has none. */
const renderGasHelp = (gasLimit: bigint, onDone: () => void) => <TopUpBox gasLimit={gasLimit} onDone={onDone} />;

/** What the connected wallet earns, with one button that claims all of it. */
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
          <Fees wallet={address} />
        )}
      </SignInFirst>
    </div>
  );
}

function Fees({ wallet }: { wallet: string }) {
  const { fees: text } = useMessages();
  const { data, error, refetch } = useQuery(readOptions("getWallet", { address: wallet }));
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-64 w-full" />;
  const shared = data.recipient_of;
  if (shared.length === 0) return <Notice title={text.none}>{text.noneHelp}</Notice>;
  return (
    <div className="flex flex-col gap-4">
      <ClaimBox tokens={shared.map(({ token }) => token.address)} renderGasHelp={renderGasHelp} />
      <p className="text-sm text-muted">{text.explain}</p>
      {shared.map(({ token }) => (
        <FeesPanel key={token.address} token={token.address} symbol={token.symbol} wallet={wallet} />
      ))}
    </div>
  );
}
