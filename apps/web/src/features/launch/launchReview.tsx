import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { LaunchPreview } from "@slipway/protocol/launchPreview";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatAmount } from "../../format/amount.ts";
import { formatShare, formatUsd } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Address } from "../../ui/address.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { SplitBar } from "../../ui/splitBar.tsx";
import { createLaunchFlow, findLaunch } from "./launchFlow.ts";

type LaunchReviewProps = { draft: DraftWithOptions; onLaunched: (token: string) => void };

/** A draft as it would be launched, what of it can never change, what it costs; then its steps. */
export function LaunchReview({ draft, onLaunched }: LaunchReviewProps) {
  const { launch: text, wallet: walletText } = useMessages();
  const services = useServices();
  const { api, timing } = services;
  const { address } = useConnection();
  const { wallets } = useSession();
  const running = useFlow();
  const { state, flow } = running;
  const [isSlow, setSlow] = useState(false);
  const { intent, options, id } = draft;
  const createDefinition = (wallet: string) => createLaunchFlow({ ...services, draftId: id, wallet });
  useRestoredFlow(`launch:${id}`, ({ from }) => createDefinition(from), running);

  const preview = useQuery({
    queryKey: ["previewLaunch", id, address],
    queryFn: ({ signal }) => api.previewLaunch({ intent_id: id, wallet: address ?? "" }, { signal }),
    enabled: address !== null && flow === null,
  });
  useEffect(() => {
    if (state.phase !== "done") return;
    const left = new AbortController();
    void findLaunch(api, id, timing, left.signal).then(
      (token) => (token === null ? setSlow(true) : left.signal.aborted || onLaunched(token)),
      () => setSlow(true),
    );
    return () => left.abort();
  }, [state.phase, api, id, timing, onLaunched]);

  const { symbol } = intent;
  return (
    <div className="flex flex-col gap-6">
      <DraftCard draft={draft} own={address} />
      {flow === null ? (
        <>
          <section className="panel flex flex-col gap-3 p-4">
            <h2 className="text-base font-bold">{text.never}</h2>
            <ul className="flex list-disc flex-col gap-1 ps-5 text-sm">
              {text.neverList.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </section>
          <section className="panel flex flex-col gap-3 p-4">
            <h2 className="text-base font-bold">{text.feesTitle}</h2>
            <p className="text-sm">{text.feesBody(formatShare(100), formatShare(10), formatShare(90))}</p>
          </section>
          <section className="panel flex flex-col gap-3 p-4">
            <h2 className="text-base font-bold">{text.cost}</h2>
            {preview.data ? (
              <Costs preview={preview.data} hasBuy={options?.initial_buy != null} />
            ) : preview.error ? (
              <ErrorNote error={preview.error} title={text.previewFailed} onRetry={() => void preview.refetch()} />
            ) : (
              <Skeleton className="h-24 w-full" />
            )}
            {preview.data?.warnings.map(({ code, message }) => (
              <Notice key={code} tone="warning">
                {message}
              </Notice>
            ))}
          </section>
          {address !== null && wallets !== null && !wallets.includes(address) ? (
            <Notice>{walletText.otherSession(address)}</Notice>
          ) : null}
          <ActionButton onClick={() => address !== null && void running.start(createDefinition(address))}>
            {text.launchNow(symbol)}
          </ActionButton>
        </>
      ) : (
        <section className="panel flex flex-col gap-4 p-4">
          <FlowSteps
            {...{ state, flow }}
            coming={state.phase === "done" ? [] : [{ name: "launch", label: walletText.names.launch ?? "" }]}
            onRestart={running.clear}
          />
          {state.phase === "done" ? (
            <Notice live tone="success" title={text.done(symbol)}>
              {text.indexing}
            </Notice>
          ) : null}
          {isSlow ? <Notice tone="warning">{text.indexing}</Notice> : null}
        </section>
      )}
    </div>
  );
}

function DraftCard({ draft: { intent, options, warnings }, own }: { draft: DraftWithOptions; own: string | null }) {
  const { launch: text } = useMessages();
  const recipients = intent.recipients ?? [];
  return (
    <section className="panel flex flex-col gap-4 p-4">
      <div>
        <p className="text-lg font-bold break-words">
          {intent.name} <span className="text-muted">{intent.symbol}</span>
        </p>
        {intent.description ? (
          <p className="mt-1 text-sm break-words whitespace-pre-line">{intent.description}</p>
        ) : null}
        <p className="mt-1 text-sm break-all text-muted">{intent.image_uri}</p>
      </div>
      <div className="flex flex-col gap-2">
        <h2 className="text-sm font-bold">{text.recipients}</h2>
        <SplitBar
          label={text.recipients}
          parts={recipients.map(({ wallet, share_bps }) => ({ key: wallet, label: wallet, bps: share_bps }))}
        />
        <ul className="flex flex-col gap-1 text-sm">
          {recipients.map(({ wallet, share_bps, handle }) => (
            <li key={wallet} className="flex flex-wrap items-center justify-between gap-2">
              <span className="flex min-w-0 items-center gap-2">
                <Address value={wallet} copy />
                {own !== null && wallet.toLowerCase() === own ? <span className="text-muted">({text.me})</span> : null}
                {handle ? <span className="truncate text-muted">{handle}</span> : null}
              </span>
              <span className="font-semibold">{formatShare(share_bps)}</span>
            </li>
          ))}
        </ul>
      </div>
      {options?.initial_buy ? (
        <p className="flex justify-between text-sm">
          <span className="text-muted">{text.initialBuy}</span>
          <span className="font-semibold">{formatAmount(BigInt(options.initial_buy.amount_in), 18)} ETH</span>
        </p>
      ) : null}
      {warnings.map(({ code, message }) => (
        <Notice key={`${code}${message}`} tone="warning">
          {message}
        </Notice>
      ))}
    </section>
  );
}

function Costs({ preview, hasBuy }: { preview: LaunchPreview; hasBuy: boolean }) {
  const { launch: text } = useMessages();
  const { total, steps, start, initial_buy: buy, buys } = preview;
  const cap = (price: LaunchPreview["start"]) =>
    price.market_cap_usd === null ? `${price.market_cap_eth.toFixed(4)} ETH` : formatUsd(price.market_cap_usd);
  const lines = [
    ...(hasBuy ? [[text.initialBuy, `${formatAmount(BigInt(total.value), 18)} ETH`]] : []),
    [text.networkFees(steps.length), `${formatAmount(BigInt(total.gas_wei), 18)} ETH`],
    [
      text.total,
      `${formatAmount(BigInt(total.total_wei), 18)} ETH${total.total_usd === null ? "" : ` (${formatUsd(total.total_usd)})`}`,
    ],
    ...(buy === null ? [] : [[text.firstBuyShare, `${(buy.share_of_supply * 100).toFixed(2)}%`]]),
    [text.startCap, cap(start)],
    ...buys.map((each) => [text.priceAfter(formatAmount(BigInt(each.amount_in), 18)), cap(each.after)]),
  ] as [string, string][];
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 text-sm">
      {lines.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="text-end font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
