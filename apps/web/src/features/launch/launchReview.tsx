import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { LaunchPreview } from "@slipway/protocol/launchPreview";
import { ApiError } from "@slipway/sdk/apiError";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { getAddress } from "viem/utils";
import { readOptions } from "../../data/queries.ts";
import { formatAmount } from "../../format/amount.ts";
import { formatUsd } from "../../format/figures.ts";
import { withDecimalSign } from "../../format/locale.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { SponsorNote } from "../../session/sponsorNote.tsx";
import { useBalances, useRefreshBalances } from "../../session/useBalances.ts";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ask } from "../../wallet/provider.ts";
import { DraftCard } from "./draftCard.tsx";
import { awaitLaunch, createLaunchFlow, type SentLaunch } from "./launchFlow.ts";
import { LaunchStart } from "./launchStart.tsx";
import { PermanentParts } from "./permanentParts.tsx";
import { useVanity } from "./useVanity.ts";
import { VanityPanel } from "./vanityPanel.tsx";

type LaunchReviewProps = {
  draft: DraftWithOptions;
  onLaunched: (token: string) => void;
  /** Renders the way to get native for this amount of gas. */
  renderGasHelp?: (gasLimit: bigint, onDone: () => void) => ReactNode;
};

/** The error codes of a creator's signature that does not launch. */
const refusedSignature: ReadonlySet<string> = new Set(["signature_invalid", "authorization_cancelled"]);

/** The review of a draft: the launch, its permanent parts and its cost; then the flow's steps. */
export function LaunchReview({ draft, onLaunched, renderGasHelp }: LaunchReviewProps) {
  const { launch: text, wallet: walletText } = useMessages();
  const services = useServices();
  const { api } = services;
  const { address } = useConnection();
  const { wallets } = useSession();
  const running = useFlow();
  const { state, flow } = running;
  const [waits, setWaits] = useState<Waits>(null);
  const { intent, options, id } = draft;
  const launched = state.steps.findLast(({ status }) => status === "confirmed")?.hash ?? null;
  const isSigning = state.steps.some(({ name }) => name === "sign_launch" || name === "cancel_launches");
  useRestoredFlow(
    `launch:${id}`,
    ({ from, request }) => {
      const { signed = null, vanity = null, options: reviewed = options } = (request ?? {}) as SentLaunch;
      return createLaunchFlow({ ...services, draft: { ...draft, options: reviewed }, wallet: from, signed, vanity });
    },
    running,
  );

  const vanity = useVanity(draft, flow === null);
  const preview = useQuery({
    queryKey: ["previewLaunch", id, address],
    queryFn: ({ signal }) => api.previewLaunch({ intent_id: id, wallet: address ?? "" }, { signal }),
    enabled: address !== null && flow === null,
  });
  const { clear } = running;
  const client = useQueryClient();
  /** Returns to the review and reloads the stored draft. */
  const restart = () => {
    clear();
    void client.invalidateQueries({ queryKey: readOptions("getIntent", { id }).queryKey });
    void client.invalidateQueries({ queryKey: ["previewLaunch", id] });
  };
  useEffect(() => {
    if (state.phase !== "done") return;
    // A signature or its cancellation does not launch: show the next action again.
    if (isSigning) return clear();
    setWaits(null);
    const left = new AbortController();
    const isMined = async () => {
      const sender = services.getSender();
      return !sender || !launched || (await ask(sender.provider, "eth_getTransactionReceipt", [launched])) !== null;
    };
    void awaitLaunch(services, id, { isMined, onWait: setWaits }, left.signal).then(
      (token) => token !== null && onLaunched(token),
    );
    return () => left.abort();
  }, [state.phase, isSigning, clear, launched, services, id, onLaunched]);

  const { symbol } = intent;
  return (
    <div className="flex flex-col gap-6">
      <DraftCard draft={draft} own={address} />
      {flow === null ? (
        <>
          <PermanentParts feeBps={intent.fee_bps} />
          <section className="panel flex flex-col gap-3 p-4">
            <h2 className="text-base font-bold">{text.cost}</h2>
            {preview.data ? (
              <Costs preview={preview.data} hasBuy={options?.initial_buy != null} />
            ) : preview.error ? (
              <ErrorNote error={preview.error} title={text.previewFailed} onRetry={() => void preview.refetch()} />
            ) : address === null ? (
              <p className="text-sm text-muted">{text.costConnect}</p>
            ) : (
              <Skeleton className="h-24 w-full" />
            )}
            {preview.data ? <Shortage {...{ preview: preview.data, renderGasHelp }} /> : null}
            {preview.data?.warnings
              .filter(({ message }) => draft.warnings.every((shown) => shown.message !== message))
              .map(({ code, message }) => (
                <Notice key={code} tone="warning">
                  {message}
                </Notice>
              ))}
          </section>
          <SponsorNote />
          {vanity.suffix === "" ? null : <VanityPanel vanity={vanity} />}
          {address !== null && wallets !== null && !wallets.includes(address) ? (
            <Notice>{walletText.otherSession(getAddress(address))}</Notice>
          ) : null}
        </>
      ) : null}
      <LaunchStart draft={draft} running={running} isSigning={isSigning} vanity={vanity} />
      {flow !== null && !isSigning ? (
        <section className="panel flex flex-col gap-4 p-4">
          <FlowSteps
            state={state}
            flow={flow}
            coming={state.phase === "done" ? [] : [{ name: "launch", label: walletText.names.launch ?? "" }]}
            onRestart={restart}
            explain={(error) =>
              error instanceof ApiError && refusedSignature.has(error.code) ? (
                <Notice
                  live
                  tone="error"
                  actions={
                    <Button size="sm" onClick={running.clear}>
                      {walletText.goBack}
                    </Button>
                  }
                >
                  {text.signatureRefused}
                </Notice>
              ) : undefined
            }
          />
          {state.phase === "done" ? <Launched waits={waits} symbol={symbol} onRetry={running.clear} /> : null}
        </section>
      ) : null}
    </div>
  );
}

type Waits = "slow" | "dropped" | null;

/** Waits after the launch is mined until the service shows its token. */
function Launched({ waits, symbol, onRetry }: { waits: Waits; symbol: string; onRetry: () => void }) {
  const { launch: text, wallet: walletText } = useMessages();
  if (waits !== "dropped")
    return (
      <Notice live tone="success" title={text.done(symbol)}>
        {waits === "slow" ? text.slow : text.indexing}
      </Notice>
    );
  return (
    <Notice
      live
      tone="warning"
      actions={
        <Button size="sm" onClick={onRetry}>
          {walletText.tryAgain}
        </Button>
      }
    >
      {text.dropped}
    </Notice>
  );
}

/** More gas than a launch with its splitter needs. */
const launchGas = 6_000_000n;

/** Shows a missing balance, and the way to get native for the network fee. */
function Shortage({ preview, renderGasHelp }: { preview: LaunchPreview } & Pick<LaunchReviewProps, "renderGasHelp">) {
  const { launch: text, trade: tradeText } = useMessages();
  const refreshBalances = useRefreshBalances();
  const { native } = useBalances([]);
  const missing = native === null ? 0n : BigInt(preview.total.total_wei) - native;
  if (native === null || missing <= 0n) return null;
  return (
    <>
      <Notice
        live
        tone="warning"
        title={tradeText.short(formatAmount(missing + 10n ** 12n - 1n, 18), tradeText.native)}
      >
        {text.shortHelp}
      </Notice>
      {/* A top-up covers the network fee, not the initial buy. */}
      {native >= BigInt(preview.total.value) ? renderGasHelp?.(launchGas, refreshBalances) : null}
    </>
  );
}

function Costs({ preview, hasBuy }: { preview: LaunchPreview; hasBuy: boolean }) {
  const { launch: text } = useMessages();
  const { total, steps, start, initial_buy: buy, buys } = preview;
  const cap = (price: LaunchPreview["start"]) =>
    price.market_cap_usd === null
      ? `${withDecimalSign(price.market_cap_eth.toFixed(4))} ETH`
      : formatUsd(price.market_cap_usd);
  const lines = [
    ...(hasBuy ? [[text.initialBuy, `${formatAmount(BigInt(total.value), 18)} ETH`]] : []),
    [text.networkFees(steps.length), `${formatAmount(BigInt(total.gas_wei), 18)} ETH`],
    [
      text.total,
      `${formatAmount(BigInt(total.total_wei), 18)} ETH${total.total_usd === null ? "" : ` (${formatUsd(total.total_usd)})`}`,
    ],
    ...(buy === null ? [] : [[text.firstBuyShare, `${withDecimalSign((buy.share_of_supply * 100).toFixed(2))}%`]]),
    [text.startCap, cap(start)],
    ...buys.map((each) => [text.priceAfter(formatAmount(BigInt(each.amount_in), 18)), cap(each.after)]),
  ] as [string, string][];
  return (
    <dl className="flex flex-col gap-1.5 text-sm">
      {lines.map(([label, value]) => (
        <div key={label} className="flex justify-between gap-4">
          <dt className="text-muted">{label}</dt>
          <dd className="text-end font-semibold whitespace-nowrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
