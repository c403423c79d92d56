import type { Claim } from "@slipway/protocol/verify/orderedCalls";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { SponsorNote } from "../../session/sponsorNote.tsx";
import { useBalances, useRefreshBalances } from "../../session/useBalances.ts";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { createClaimFlow, maxClaimTokens } from "./claimFlow.ts";
import { ClaimPreview, useClaimPreview } from "./claimPreview.tsx";

/** More gas than a claim of twenty tokens needs on average. Unused gas is not charged. */
const claimGas = 1_000_000n;

type ClaimBoxProps = {
  tokens: readonly string[];
  /** Loads more tokens; undefined when all are loaded. */
  onMore?: (() => void) | undefined;
  /** Renders the way to get native for this amount of gas. */
  renderGasHelp?: (gasLimit: bigint, onDone: () => void) => ReactNode;
};

/**
 * Claims the connected wallet's fees of these tokens, up to twenty tokens per claim. After the last loaded token it
 * loads more, so that the claims cover tokens that the user has not scrolled to.
 */
export function ClaimBox({ tokens, onMore, renderGasHelp }: ClaimBoxProps) {
  const { fees: text, wallet: walletText } = useMessages();
  const services = useServices();
  const client = useQueryClient();
  const { address } = useConnection();
  const [unwrap, setUnwrap] = useState(true);
  const [onlyRelease, setOnlyRelease] = useState(false);
  const [first, setFirst] = useState(0);
  // The end of the running claim, because more tokens may load meanwhile.
  const [end, setEnd] = useState<number | null>(null);
  const running = useFlow();
  const { state, flow } = running;
  useRestoredFlow(
    `claim:${address ?? ""}`,
    ({ request }) => createClaimFlow({ ...services, claim: request as Claim }),
    running,
  );
  const chosen = tokens.slice(first, first + maxClaimTokens);
  const last = first + chosen.length;
  const claimed: Claim | null =
    address === null || chosen.length === 0
      ? null
      : { wallet: address, tokens: chosen, unwrap, stages: onlyRelease ? "release" : "all" };
  const preview = useClaimPreview(flow === null ? claimed : null);
  // With more tokens, an empty claim leads to the next ones.
  const isNothing = preview.data?.status === "nothing_to_do" && tokens.length <= maxClaimTokens;
  const claim = async () => {
    if (claimed === null) return;
    setEnd(last);
    await running.start(createClaimFlow({ ...services, claim: claimed }));
  };
  useEffect(() => {
    if (state.phase !== "done") return;
    for (const name of ["getFeePositions", "getFeePending", "getWallet", "prepareClaimCalls"])
      void client.invalidateQueries({ queryKey: [name] });
  }, [state.phase, client]);
  const isEnd = onMore !== undefined && last === tokens.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each end; the user repeats the read with a button
  useEffect(() => {
    if (isEnd) onMore();
  }, [isEnd, last]);
  const goOn = () => {
    const reached = end ?? last;
    running.clear();
    // The read of the next page may have failed: read it again; the next claim starts at this end.
    if (reached === tokens.length) onMore?.();
    setFirst(reached < tokens.length || onMore !== undefined ? reached : 0);
  };
  const wasSent = state.steps.some(({ status }) => status === "confirmed");
  return (
    <section aria-label={text.claimAll} className="panel flex flex-col gap-3 p-4">
      {flow === null ? (
        <>
          <h2 className="text-base font-bold">{text.claimTitle}</h2>
          {claimed === null ? null : <ClaimPreview claim={claimed} preview={preview} />}
          <p className="text-sm text-muted">{text.claimHint}</p>
          <Tick label={text.unwrap} checked={unwrap} onChange={setUnwrap} />
          <Tick label={text.release} checked={onlyRelease} onChange={setOnlyRelease} />
          <NoGas renderGasHelp={renderGasHelp} />
          <BatchNote prepared={preview.data} />
          <ActionButton disabled={claimed === null || isNothing} onClick={() => void claim()}>
            {tokens.length > maxClaimTokens && chosen.length > 0
              ? text.claimRange(first + 1, last, onMore === undefined ? tokens.length : null)
              : chosen.length < 2
                ? text.claimAll
                : text.claimCount(chosen.length)}
          </ActionButton>
        </>
      ) : (
        <>
          <FlowSteps state={state} flow={flow} describe={(name) => text.steps[name]} onRestart={running.clear} />
          {state.phase === "done" ? (
            <Notice
              live
              tone={wasSent ? "success" : "info"}
              actions={
                <Button size="sm" onClick={goOn}>
                  {walletText.goOn}
                </Button>
              }
            >
              {wasSent ? text.claimed : text.nothing}
            </Notice>
          ) : null}
        </>
      )}
    </section>
  );
}

/** Shown if the wallet cannot pay the network fee, with the way to get native. */
function NoGas({ renderGasHelp }: Pick<ClaimBoxProps, "renderGasHelp">) {
  const { trade: text } = useMessages();
  const { native } = useBalances([]);
  const refreshBalances = useRefreshBalances();
  if (native !== 0n) return null;
  return (
    <>
      <Notice live tone="warning" title={text.noGas}>
        {text.noGasHelp}
      </Notice>
      {renderGasHelp?.(claimGas, refreshBalances)}
    </>
  );
}

/** Shown before a claim whose calls the service could not join in one transaction, so that the wallet may send a batch. */
function BatchNote({ prepared }: { prepared: ReturnType<typeof useClaimPreview>["data"] }) {
  if (prepared === undefined || prepared.status === "nothing_to_do" || prepared.transaction !== null) return null;
  return <SponsorNote />;
}

type TickProps = { label: string; checked: boolean; onChange: (checked: boolean) => void };

function Tick({ label, checked, onChange }: TickProps) {
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-5 accent-accent"
      />
      {label}
    </label>
  );
}
