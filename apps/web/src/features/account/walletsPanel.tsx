import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { shortenAddress } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Address } from "../../ui/address.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { WalletError } from "../../wallet/provider.ts";
import { AccountError } from "./accountError.tsx";
import { ConfirmButton } from "./confirmButton.tsx";
import { Rows } from "./rows.tsx";

/** The sign-in wallets of the account, and its payout wallet. */
export function WalletsPanel() {
  const { account: text } = useMessages();
  const { api, session } = useServices();
  const { address: connected } = useConnection();
  const { data, error, isFetching, refetch } = useQuery(readOptions("getAccount", undefined));
  const unlink = useSignedInChange(
    async (address: string) => {
      await api.unlinkWallet({ address });
      await session.readWallets();
    },
    ["getAccount"],
  );
  const wallets = data?.wallets;
  if (error !== null && data === undefined)
    return <AccountError error={error} onRetry={() => void refetch()} busy={isFetching} />;
  return (
    <div className="flex flex-col gap-4">
      <Panel title={text.wallets} flush>
        <p className="px-4 pb-3 text-sm text-muted">{text.walletsHint}</p>
        {unlink.error === null ? null : (
          <ErrorNote error={unlink.error} title={text.changeFailed} className="mx-4 mb-3" />
        )}
        <Rows
          label={text.wallets}
          rows={wallets}
          getKey={({ address }) => address}
          empty={text.walletsEmpty}
          title={({ address }) => <Address value={address} copy />}
          details={({ address, linked_at }) => (
            <>
              <span>
                {text.linkedAt} <Time value={linked_at} />
              </span>
              {address.toLowerCase() === connected ? <span>{text.connected}</span> : null}
            </>
          )}
          action={({ address }) => (
            <ConfirmButton
              label={text.unlink}
              of={shortenAddress(address)}
              title={text.unlinkTitle(shortenAddress(address))}
              body={text.unlinkBody}
              busy={unlink.isPending && unlink.variables === address}
              disabled={wallets?.length === 1}
              onConfirm={() => unlink.mutate(address)}
            />
          )}
        />
        {unlink.dialog}
      </Panel>
      <LinkPanel wallets={wallets} />
      <PayoutPanel payout={data?.payout_wallet} wallets={wallets} />
    </div>
  );
}

type Wallets = readonly { address: string }[] | undefined;

function LinkPanel({ wallets }: { wallets: Wallets }) {
  const { account: text, wallet: walletText } = useMessages();
  const { session, getSender } = useServices();
  const { address } = useConnection();
  const link = useSignedInChange(async () => {
    const sender = getSender();
    if (sender !== null) await session.linkWallet(sender);
  }, ["getAccount"]);
  const isOwn = address !== null && wallets?.some((wallet) => wallet.address.toLowerCase() === address);
  const isDeclined = link.error instanceof WalletError && link.error.fault === "declined";
  return (
    <Panel title={text.link}>
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">{text.linkHint}</p>
        {isOwn ? (
          <Notice>{text.linkOwn(shortenAddress(address))}</Notice>
        ) : (
          <ActionButton busy={link.isPending} disabled={wallets === undefined} onClick={() => link.mutate(undefined)}>
            {text.linkNow(shortenAddress(address ?? ""))}
          </ActionButton>
        )}
        {isDeclined ? (
          <Notice live>{walletText.declined}</Notice>
        ) : link.error === null ? null : link.error instanceof WalletError ? (
          <Notice live tone="error" title={text.changeFailed}>
            {walletText.stopFailed}
          </Notice>
        ) : (
          <ErrorNote error={link.error} title={text.changeFailed} />
        )}
      </div>
      {link.dialog}
    </Panel>
  );
}

function PayoutPanel({ payout, wallets }: { payout: string | null | undefined; wallets: Wallets }) {
  const { account: text } = useMessages();
  const { api } = useServices();
  const change = useSignedInChange(
    (wallet: string) => api.renameAccount({ payout_wallet: wallet === "" ? null : wallet }),
    ["getAccount"],
  );
  return (
    <Panel title={text.payout}>
      {wallets === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <div className="flex flex-col gap-3">
          <Select
            label={text.payout}
            labelHidden
            hint={text.payoutHint}
            value={(change.isPending ? change.variables : payout) ?? ""}
            options={[
              { value: "", label: text.payoutNone },
              ...wallets.map(({ address }) => ({ value: address, label: address })),
            ]}
            onChange={(wallet) => change.mutate(wallet)}
          />
          <p role="status" className="text-sm font-semibold text-buy empty:hidden">
            {change.isSuccess ? text.saved : ""}
          </p>
          {change.error === null ? null : <ErrorNote error={change.error} title={text.changeFailed} />}
        </div>
      )}
      {change.dialog}
    </Panel>
  );
}
