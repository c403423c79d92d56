import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { getAddress } from "viem/utils";
import { getReceiveCodeUrl, isAddress } from "../data/getReceiveCodeUrl.ts";
import { readOptions } from "../data/queries.ts";
import { isContinued, type WalletList, walletLists, walletPages } from "../data/walletPages.ts";
import { ClaimBox } from "../features/fees/claimBox.tsx";
import { JoinedOpenings } from "../features/opening/joinedOpenings.tsx";
import { WalletHeader } from "../features/portfolio/walletHeader.tsx";
import { HoldingList, LaunchList, ReceiptList, WalletTradeList } from "../features/portfolio/walletLists.tsx";
import { shortenAddress } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useConnection } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { MoreButton } from "../ui/moreButton.tsx";
import { Panel } from "../ui/panel.tsx";
import { ReceiveCode } from "../ui/receiveCode.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { NotFoundPage } from "./notFoundPage.tsx";

const FeeHistory = lazyPart(
  () => import("../features/portfolio/feeHistory.tsx"),
  (module) => module.FeeHistory,
);

const route = getRouteApi("/wallet/$address");

/** Milliseconds between reads, because no stream covers wallets. */
const refetchMs = 15_000;

export function WalletPage(): ReactNode {
  const { address } = route.useParams();
  return isAddress(address) ? <Wallet key={address.toLowerCase()} address={address} /> : <NotFoundPage />;
}

function Wallet({ address }: { address: string }) {
  // The URL can have any spelling; the page shows the one with the checksum.
  const full = getAddress(address.toLowerCase());
  const { fees, portfolio: texts, token } = useMessages();
  const { tab = "holdings" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({ ...walletPages(address), refetchInterval: refetchMs });
  const chainId = useQuery(readOptions("getConfig", undefined)).data?.chain_id;
  usePageTitle(texts.title(shortenAddress(full)));
  const pages = query.data?.pages;
  const isOwn = useConnection().address === address.toLowerCase();
  const receipts = pages?.flatMap((page) => page.recipient_of) ?? [];
  const stale = pages !== undefined && query.isError;
  const hasMore = (list: WalletList) => isContinued(pages, list);
  const firstTradeBlock = pages?.at(-1)?.trades_from_block ?? null;
  const choose = (next: WalletList) =>
    void navigate({ search: (old) => ({ ...old, tab: next }), replace: true, resetScroll: false });
  // The next step of an empty list, in one's own wallet.
  const explore = isOwn ? (
    <Link to="/" className={buttonClasses("primary", "sm")}>
      {texts.toExplore}
    </Link>
  ) : null;
  const launch = isOwn ? (
    <Link to="/launch" className={buttonClasses("primary", "sm")}>
      {texts.toLaunch}
    </Link>
  ) : null;
  const lists = {
    holdings: <HoldingList rows={pages?.flatMap((page) => page.holdings)} stale={stale} next={explore} />,
    launches: <LaunchList rows={pages?.flatMap((page) => page.launches)} stale={stale} next={launch} />,
    receipts: <ReceiptList rows={pages?.flatMap((page) => page.recipient_of)} stale={stale} next={launch} />,
    trades: <WalletTradeList rows={pages?.flatMap((page) => page.trades)} stale={stale} next={explore} />,
  };
  return (
    <div className="page flex flex-col gap-4 py-4 lg:py-6">
      {query.isError ? (
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} busy={query.isFetching} />
      ) : null}
      <WalletHeader address={full} pages={pages} failed={query.isError} hasMore={hasMore("holdings")} />
      <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <section aria-label={texts.lists} className="panel self-start overflow-hidden pt-1">
          {query.isError && pages === undefined ? null : (
            <Tabs
              label={texts.lists}
              value={tab}
              items={walletLists.map((value) => ({ value, label: texts[value] }))}
              onChange={choose}
            >
              {lists[tab]}
              {tab === "receipts" ? <FeeHistory address={address} /> : null}
              {hasMore(tab) ? (
                <MoreButton query={query} label={texts.more} />
              ) : tab === "trades" && firstTradeBlock !== null ? (
                <p className="p-4 text-center text-muted">{texts.tradesFrom(firstTradeBlock)}</p>
              ) : null}
            </Tabs>
          )}
        </section>
        <div className="flex min-w-0 flex-col gap-4 self-start">
          {isOwn && receipts.length > 0 ? (
            <SignInFirst action={fees.signIn}>
              <ClaimBox
                tokens={receipts.map(({ token: { address: of } }) => of)}
                onMore={hasMore("receipts") ? () => void query.fetchNextPage() : undefined}
              />
            </SignInFirst>
          ) : null}
          <JoinedOpenings address={address} />
          {chainId === undefined || !isOwn ? null : (
            <Panel title={token.receiveTitle}>
              <ReceiveCode address={full} src={getReceiveCodeUrl(full, chainId)} />
            </Panel>
          )}
        </div>
      </div>
    </div>
  );
}
