import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { saveOpeningDraft } from "../../data/openingDrafts.ts";
import { formatAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useChain, useConnection, useServices } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { DraftCard } from "./draftCard.tsx";
import { type CreationOrder, createCreationFlow, getCreationFlow } from "./openingCreation.ts";
import { type OpeningTerms, saveOpeningTerms } from "./openingTerms.ts";
import { PermanentParts } from "./permanentParts.tsx";

type OpeningReviewProps = {
  draft: DraftWithOptions;
  terms: OpeningTerms;
  onCreated: (opening: string) => void;
  /** Launches without an opening. */
  onForget: () => void;
};

const daySeconds = 86_400;

/** The review of a draft that opens at one price: the launch, the terms of its opening, and the flow that creates it. */
export function OpeningReview({ draft, terms, onCreated, onForget }: OpeningReviewProps) {
  const { launch: text, opening: openingText, wallet: walletText } = useMessages();
  const services = useServices();
  const { address } = useConnection();
  const currency = useChain()?.currency.symbol ?? "ETH";
  const running = useFlow();
  const { state, flow } = running;
  const [opening, setOpening] = useState<string | null>(null);
  const parts = { ...services, draft, onPredicted: setOpening };
  useRestoredFlow(
    getCreationFlow(draft.id),
    ({ request }) => {
      const order = request as CreationOrder;
      setOpening(order.opening);
      return createCreationFlow(parts, order);
    },
    running,
  );
  const { storage } = services;
  useEffect(() => {
    if (state.phase !== "done" || opening === null) return;
    saveOpeningTerms(storage, draft.id, { ...terms, created: opening });
    saveOpeningDraft(storage, opening, draft.id);
    onCreated(opening);
  }, [state.phase, opening, storage, draft.id, terms, onCreated]);
  const create = (wallet: string) => {
    const deadline = Math.floor(Date.now() / 1_000) + terms.days * daySeconds;
    void running.start(
      createCreationFlow(parts, { wallet, minimum: terms.minimum, cap: terms.cap, deadline, opening: null }),
    );
  };
  const toNative = (amount: string) => `${formatAmount(BigInt(amount), 18)} ${currency}`;
  const lines = [
    [openingText.minimum, toNative(terms.minimum)],
    [openingText.cap, toNative(terms.cap)],
    [text.openingDeadline, text.openingDaysAfter(terms.days)],
  ] as const;
  return (
    <div className="flex flex-col gap-6">
      <DraftCard draft={draft} own={address} />
      {flow === null ? <PermanentParts feeBps={draft.intent.fee_bps} /> : null}
      <section className="panel flex flex-col gap-3 p-4">
        <h2 className="text-base font-bold">{text.opening}</h2>
        <dl className="flex flex-col gap-1.5 text-sm">
          {lines.map(([label, value]) => (
            <div key={label} className="flex justify-between gap-4">
              <dt className="text-muted">{label}</dt>
              <dd className="text-end font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
        <ul className="flex list-disc flex-col gap-1 ps-5 text-sm">
          {openingText.howList.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      {terms.created !== null ? (
        <Notice
          tone="success"
          title={text.openingCreated}
          actions={
            <Link to="/opening/$address" params={{ address: terms.created }} className={buttonClasses("primary", "sm")}>
              {text.openingView}
            </Link>
          }
        />
      ) : flow === null ? (
        <div className="flex flex-col gap-3">
          <ActionButton onClick={() => address !== null && create(address)}>{text.openingCreate}</ActionButton>
          <Button variant="quiet" onClick={onForget}>
            {text.openingForget}
          </Button>
        </div>
      ) : (
        <section className="panel flex flex-col gap-4 p-4">
          <FlowSteps
            state={state}
            flow={flow}
            coming={
              state.phase === "done" ? [] : [{ name: "create_opening", label: walletText.names.create_opening ?? "" }]
            }
            onRestart={running.clear}
          />
        </section>
      )}
    </div>
  );
}
