import type { PayoutOrder } from "@slipway/protocol/verify/orderedCalls";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useWasNear } from "../../ui/useWasNear.ts";
import { createPayoutFlow, getPayoutFlow } from "./claimFlow.ts";

type Row = {
  asset: string;
  symbol: string;
  decimals: number;
  pending: string | null;
  credited: string;
  claimable: string;
  claimed: string;
  lifetime: string;
};

type FeesPanelProps = { token: string; symbol: string; wallet: string };

/**
 * The fees of one wallet from one token, by asset, and the payout address. Requires a session. The panel
 * reads the fees when it comes near the window: a creator can have hundreds of tokens.
 */
export function FeesPanel({ token, symbol, wallet }: FeesPanelProps) {
  const { fees: text } = useMessages();
  const { element, wasNear } = useWasNear<HTMLElement>();
  const positions = useQuery({ ...readOptions("getFeePositions", { token, wallet }), enabled: wasNear });
  const pending = useQuery({ ...readOptions("getFeePending", { token }), enabled: wasNear });
  const failed = positions.error;
  if (failed !== null && "code" in failed && failed.code === "not_recipient")
    return <Notice>{text.recipientOnly}</Notice>;
  const error = failed === null ? null : <ErrorNote error={failed} onRetry={() => void positions.refetch()} />;
  if (error !== null && positions.data === undefined) return error;
  const own = pending.data?.recipients.find((one) => one.wallet.toLowerCase() === wallet.toLowerCase());
  const rows = positions.data?.balances.map((balance) => ({
    ...balance,
    pending: own?.amounts.find(({ asset }) => asset === balance.asset)?.amount ?? null,
  }));
  const columns: Column<Row>[] = [
    { key: "asset", header: text.columns.asset, render: (row) => <span className="font-semibold">{row.symbol}</span> },
    ...(["pending", "credited", "claimable", "claimed", "lifetime"] as const).map(
      (key): Column<Row> => ({
        key,
        header: text.columns[key],
        numeric: true,
        priority: key === "claimable" || key === "pending" ? "always" : key === "lifetime" ? "sm" : "md",
        render: (row) => <Amount value={row[key]} decimals={row.decimals} />,
      }),
    ),
  ];
  const { share_bps: share, payout } = positions.data ?? {};
  return (
    <section ref={element} aria-label={`${text.title} ${symbol}`} className="panel flex flex-col gap-3">
      <p className="flex flex-wrap items-baseline justify-between gap-2 px-4 pt-4">
        <span className="text-base font-bold break-words">{symbol}</span>
        {share === undefined ? null : <span className="text-sm text-muted">{text.share(formatShare(share))}</span>}
      </p>
      <DataTable
        caption={`${text.title} ${symbol}`}
        rows={rows}
        columns={columns}
        getKey={({ asset }) => asset}
        skeletonRows={2}
        rowClassName="h-11"
      />
      <div className="flex flex-col gap-3 px-4 pb-4">
        {error}
        {positions.data === undefined ? null : (
          <Payout
            token={token}
            wallet={wallet}
            splitter={positions.data.splitter}
            payout={payout ?? null}
            onMoved={positions.refetch}
          />
        )}
      </div>
    </section>
  );
}

type PayoutProps = { token: string; splitter: string; wallet: string; payout: string | null; onMoved: () => unknown };

function Payout({ token, splitter, wallet, payout, onMoved }: PayoutProps) {
  const { fees: text } = useMessages();
  const { api } = useServices();
  const { address: connected } = useConnection();
  const [typed, setTyped] = useState("");
  const running = useFlow();
  const { state, flow, start, clear } = running;
  useRestoredFlow(getPayoutFlow(token), ({ request }) => createPayoutFlow(api, request as PayoutOrder), running);
  const isDone = state.phase === "done";
  useEffect(() => {
    if (isDone) onMoved();
  }, [isDone, onMoved]);
  const isOwn = connected === wallet.toLowerCase();
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(typed.trim());
  const move = (to: string | null) => void start(createPayoutFlow(api, { token, splitter, wallet, payout: to }));
  return (
    // Open if an earlier visit sent a transaction.
    <details open={flow !== null || undefined} className="text-sm">
      <summary className="flex min-h-8 flex-wrap items-center gap-2 rounded-sm">
        <span className="text-muted">{text.payout}</span>
        {payout === null ? (
          <span className="font-semibold">{text.payoutOwn}</span>
        ) : (
          <Address value={payout} to={null} />
        )}
        {isOwn ? <span className="ms-auto font-semibold text-accent">{text.payoutMove}</span> : null}
      </summary>
      {isOwn ? (
        <div className="flex flex-col gap-3 pt-3">
          <Field
            label={text.payoutAddress}
            hint={text.payoutHint}
            error={typed !== "" && !isAddress ? text.payoutInvalid : null}
          >
            {(control) => (
              <Input
                {...control}
                value={typed}
                placeholder="0x"
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
          {flow === null ? (
            <>
              <ActionButton disabled={!isAddress} onClick={() => move(typed.trim())}>
                {text.payoutSet}
              </ActionButton>
              {payout === null ? null : <Button onClick={() => move(null)}>{text.payoutReset}</Button>}
            </>
          ) : (
            <FlowSteps state={state} flow={flow} onRestart={clear} />
          )}
          {isDone ? (
            <Notice live tone="success">
              {text.payoutDone}
            </Notice>
          ) : null}
        </div>
      ) : null}
    </details>
  );
}
