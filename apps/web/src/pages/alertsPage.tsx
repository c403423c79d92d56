import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AlertForm } from "../features/alerts/alertForm.tsx";
import { AlertList } from "../features/alerts/alertList.tsx";
import { EventAlertForm } from "../features/alerts/eventAlertForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { SignInFirst } from "../session/signInFirst.tsx";
import { useAccount } from "../session/useAccount.ts";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Panel } from "../ui/panel.tsx";
import { Segments } from "../ui/segments.tsx";
import { MarketsNav } from "./marketsNav.tsx";

const route = getRouteApi("/alerts");

/** The account's alerts, and the form for a new one. */
export function AlertsPage() {
  const { alerts: text } = useMessages();
  const { pair } = route.useSearch();
  const { account, hasPlan } = useAccount();
  const [kind, setKind] = useState<"market" | "events">("market");
  return (
    <div className="page">
      <MarketsNav />
      <PageHead title={text.title} lead={text.lead} />
      <SignInFirst action={text.signIn}>
        <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <AlertList canSet={account === undefined || hasPlan} />
          <Panel title={text.create} className="max-lg:order-first">
            {account !== undefined && !hasPlan ? (
              <Notice>{text.needsPlan}</Notice>
            ) : (
              <>
                <Segments
                  label={text.kind}
                  value={kind}
                  items={(["market", "events"] as const).map((value) => ({ value, label: text.kinds[value] }))}
                  onChange={setKind}
                  className="mb-4"
                />
                {kind === "market" ? <AlertForm pair={pair} /> : <EventAlertForm />}
              </>
            )}
          </Panel>
        </div>
      </SignInFirst>
      <p className="mt-3 text-xs text-muted">{text.disclaimer}</p>
    </div>
  );
}
