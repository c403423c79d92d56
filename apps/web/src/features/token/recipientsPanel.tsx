import type { TokenDetail } from "@slipway/protocol/indexed";
import { toDisplayText } from "../../format/displayText.ts";
import { formatShare, shortenAddress } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SplitBar } from "../../ui/splitBar.tsx";
import { VestingPanel } from "./vestingPanel.tsx";

/** The colours of the bar's parts, in order. */
const dots = ["bg-accent", "bg-split-2", "bg-split-3", "bg-control", "bg-muted", "bg-ink"];

/** The fee recipients and their shares, and the vesting of the initial buy. */
export function RecipientsPanel({ token }: { token: TokenDetail }) {
  return (
    <>
      <Recipients token={token} />
      <VestingPanel token={token} />
    </>
  );
}

function Recipients({ token }: { token: TokenDetail }) {
  const texts = useMessages().token;
  const { recipients, fee_policy } = token;
  const parts = recipients.map(({ wallet, share_bps, handle }) => ({
    ...{ key: wallet, bps: share_bps },
    label: handle ?? shortenAddress(wallet),
  }));
  return (
    <Panel
      title={texts.recipientsTitle}
      aside={<span className="text-sm text-muted">{texts.recipientCount(recipients.length)}</span>}
    >
      {recipients.length === 0 ? (
        <p className="text-sm text-muted">{texts.recipientsNone}</p>
      ) : (
        <>
          {fee_policy === null ? null : (
            <p className="text-sm text-muted">
              {fee_policy.collaborators_bps === 0
                ? texts.recipientsEarnNothing
                : texts.recipientsIntro(formatShare(fee_policy.collaborators_bps))}
            </p>
          )}
          <SplitBar parts={parts} label={texts.recipientsLabel} className="mt-3" />
          <ul className="mt-3 flex flex-col text-sm">
            {recipients.map(({ wallet, share_bps, handle, verified }, index) => (
              <li key={wallet} className="flex min-h-8 items-center gap-2">
                <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${dots[index % dots.length]}`} />
                <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
                  <Address value={wallet} />
                  {handle ? (
                    <span className="flex min-w-0 items-baseline gap-1 text-muted" title={texts.handleHint}>
                      <bdi className="truncate">@{toDisplayText(handle)}</bdi>
                      <span className={`shrink-0 text-xs ${verified ? "text-buy" : "text-warn"}`}>
                        {verified ? texts.handleVerified : texts.handleUnverified}
                      </span>
                    </span>
                  ) : null}
                </span>
                <span className="font-semibold">{formatShare(share_bps)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
