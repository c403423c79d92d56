import type { GasQuote } from "@slipway/protocol/gas";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { formatAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useConnection, useServices, useSession } from "../../session/services.tsx";
import { type RunningFlow, useFlow } from "../../session/useFlow.ts";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QuoteBar } from "../../ui/quoteBar.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { createTopUpFlow, TopUpFailed } from "./topUpFlow.ts";

/** Seconds that the page accepts a quote: slightly less than its three minutes of chain time. */
const quoteSeconds = 170;

type TopUpBoxProps = {
  gasLimit: bigint;
  onDone?: () => void;
  /** False if the page already shows the title. */
  isTitled?: boolean;
};

/** Exchanges a stablecoin for the native that a transaction needs. The user only signs. */
export function TopUpBox({ gasLimit, onDone, isTitled = true }: TopUpBoxProps) {
  const { gas: text } = useMessages();
  const services = useServices();
  const { api } = services;
  const { address } = useConnection();
  const { status: sessionStatus } = useSession();
  const { data: settings, error: unread, isFetching, refetch } = useQuery(readOptions("getConfig", undefined));
  const [symbol, setSymbol] = useState<string | null>(null);
  const [isExpired, setExpired] = useState(false);
  const [isSigningIn, setSigningIn] = useState(false);
  const { state, flow, start, clear } = useFlow();
  const ask = useMutation({
    mutationFn: (order: { wallet: string; token: string }) => api.quoteGas({ ...order, gas_limit: Number(gasLimit) }),
    onMutate: () => {
      setExpired(false);
      clear();
    },
  });
  const quote = ask.data ?? null;
  const isDone = state.phase === "done";
  const latest = useRef(onDone);
  latest.current = onDone;
  // Reported once, even if the page passes a new function at each render.
  useEffect(() => {
    if (isDone) latest.current?.();
  }, [isDone]);
  useEffect(() => {
    if (quote === null || flow !== null) return;
    const timer = setTimeout(() => setExpired(true), quoteSeconds * 1_000);
    return () => clearTimeout(timer);
  }, [quote, flow]);

  const station = settings?.gas_station;
  if (station === undefined) {
    if (unread !== null) return <ErrorNote error={unread} onRetry={() => void refetch()} busy={isFetching} />;
    return <Skeleton className="h-20 w-full" />;
  }
  if (!station.available || station.tokens.length === 0) return <Notice>{text.unavailable}</Notice>;
  const token = station.tokens.find((one) => one.symbol === symbol) ?? station.tokens[0]!;

  const askQuote = () => {
    if (sessionStatus === "signed_out") setSigningIn(true);
    else if (address !== null) ask.mutate({ wallet: address, token: token.address });
  };
  const reset = () => {
    clear();
    ask.reset();
  };

  return (
    <section aria-label={text.title} className="panel flex flex-col gap-3 p-4">
      {isTitled ? <p className="text-sm font-semibold">{text.title}</p> : null}
      {station.tokens.length > 1 ? (
        <Select
          label={text.token}
          value={token.symbol}
          options={station.tokens.map((one) => ({ value: one.symbol, label: one.symbol }))}
          onChange={(next) => {
            setSymbol(next);
            reset();
          }}
        />
      ) : null}
      {ask.error === null ? null : <ErrorNote error={ask.error} title={text.title} onRetry={askQuote} />}
      {quote === null ? (
        <ActionButton busy={ask.isPending || sessionStatus === "unknown"} onClick={askQuote}>
          {sessionStatus === "signed_out" ? text.signIn : text.ask(token.symbol)}
        </ActionButton>
      ) : !quote.needs_top_up ? (
        <Notice live tone="success">
          {text.none}
        </Notice>
      ) : (
        <>
          <Exchange quote={quote} token={token} />
          {flow === null ? (
            isExpired ? (
              <Notice
                live
                tone="warning"
                actions={
                  <Button size="sm" onClick={askQuote}>
                    {text.again}
                  </Button>
                }
              >
                {text.expired}
              </Notice>
            ) : (
              <>
                <QuoteBar quoteKey={quote.quote_id} seconds={quoteSeconds} />
                <ActionButton
                  onClick={() =>
                    address !== null &&
                    void start(createTopUpFlow({ ...services, wallet: address, token: token.address, quote }))
                  }
                >
                  {text.exchange(formatAmount(BigInt(quote.token_amount), token.decimals), token.symbol)}
                </ActionButton>
              </>
            )
          ) : (
            <TopUpSteps state={state} flow={flow} reset={reset} />
          )}
          {isDone ? (
            <Notice live tone="success">
              {text.done}
            </Notice>
          ) : null}
        </>
      )}
      {isSigningIn ? <SignInDialog onClose={() => setSigningIn(false)} /> : null}
    </section>
  );
}

type Token = { symbol: string; decimals: number };

function Exchange({ quote, token }: { quote: GasQuote; token: Token }) {
  const { gas: text } = useMessages();
  return (
    <dl className="grid grid-cols-2 gap-4 text-sm">
      <div>
        <dt className="text-muted">{text.pay}</dt>
        <dd className="font-bold">
          <Amount value={quote.token_amount} decimals={token.decimals} symbol={token.symbol} />
        </dd>
      </div>
      <div>
        <dt className="text-muted">{text.receive}</dt>
        <dd className="font-bold">
          <Amount value={quote.eth_amount} decimals={18} symbol="ETH" />
        </dd>
      </div>
    </dl>
  );
}

type TopUpStepsProps = Pick<RunningFlow, "state" | "flow"> & { reset: () => void };

function TopUpSteps({ state, flow, reset }: TopUpStepsProps) {
  const { gas: text } = useMessages();
  return (
    <FlowSteps
      state={state}
      flow={flow}
      onRestart={reset}
      explain={(refused) =>
        refused instanceof TopUpFailed ? (
          <Notice
            live
            tone="error"
            actions={
              <Button size="sm" onClick={reset}>
                {text.again}
              </Button>
            }
          >
            {text.failed}
          </Notice>
        ) : undefined
      }
    />
  );
}
