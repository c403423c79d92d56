import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { pageOptions, readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatCount } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Figure } from "../../ui/figure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";
import { Rows, RowsEnd } from "./rows.tsx";

/** The plan, the balance and the credit history. */
export function CreditsPanel() {
  const { account: text } = useMessages();
  const account = useQuery(readOptions("getAccount", undefined));
  const ledger = useInfiniteQuery(pageOptions("listCredits", undefined));
  const plan = account.data?.plan;
  const balance = ledger.data?.pages[0]?.balance ?? account.data?.credits;
  return (
    <div className="flex flex-col gap-4">
      {account.error !== null && account.data === undefined ? (
        <AccountError error={account.error} onRetry={() => void account.refetch()} busy={account.isFetching} />
      ) : (
        <dl className="panel grid gap-4 p-4 sm:grid-cols-2">
          <Figure name={text.plan}>
            {plan === undefined ? (
              <Skeleton className="my-1 h-4 w-32" />
            ) : plan === null ? (
              text.noPlan
            ) : (
              <>
                <bdi>{plan.plan}</bdi>{" "}
                {plan.active_until === null ? (
                  text.planNoEnd
                ) : (
                  <>
                    {text.planUntil} <Time value={plan.active_until} />
                  </>
                )}
              </>
            )}
          </Figure>
          <Figure name={text.balance}>
            {balance === undefined ? <Skeleton className="my-1 h-4 w-16" /> : formatCount(balance)}
          </Figure>
        </dl>
      )}
      <Panel title={text.ledger} flush>
        {ledger.data === undefined && ledger.error !== null ? null : (
          <Rows
            label={text.ledger}
            rows={ledger.data?.pages.flatMap(({ items }) => items)}
            getKey={({ id }) => String(id)}
            empty={text.ledgerEmpty}
            title={({ kind }) => text.ledgerKinds[kind]}
            details={({ kind, reason, created_at }) => (
              <>
                {reason === kind ? null : (
                  <bdi className="break-words">{text.ledgerReasons[reason] ?? toDisplayText(reason)}</bdi>
                )}
                <Time value={created_at} />
              </>
            )}
            action={({ amount, balance_after }) => (
              <span className="text-end">
                <span className="block font-semibold">
                  {amount > 0 ? "+" : "−"}
                  {formatCount(Math.abs(amount))}
                </span>
                <span className="block text-sm text-muted">
                  {text.ledgerColumns.after} {formatCount(balance_after)}
                </span>
              </span>
            )}
          />
        )}
        <RowsEnd pages={ledger} />
      </Panel>
    </div>
  );
}
