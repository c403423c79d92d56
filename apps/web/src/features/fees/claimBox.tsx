import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type Claim, createClaimFlow, maxClaimTokens } from "./claimFlow.ts";

/** Claims what the connected wallet earns of these tokens, up to twenty in one transaction. */
export function ClaimBox({ tokens }: { tokens: readonly string[] }) {
  const { fees: text, wallet: walletText } = useMessages();
  const services = useServices();
  const client = useQueryClient();
  const { address } = useConnection();
  const [unwrap, setUnwrap] = useState(true);
  const [onlyRelease, setOnlyRelease] = useState(false);
  const running = useFlow();
  const { state, flow } = running;
  useRestoredFlow(
    `claim:${address ?? ""}`,
    ({ request }) => createClaimFlow({ ...services, claim: request as Claim }),
    running,
  );
  const chosen = tokens.slice(0, maxClaimTokens);
  const claim = async () => {
    if (address === null) return;
    const stages = onlyRelease ? "release" : "all";
    await running.start(createClaimFlow({ ...services, claim: { wallet: address, tokens: chosen, unwrap, stages } }));
    for (const name of ["getFeePositions", "getFeePending", "getWallet"])
      void client.invalidateQueries({ queryKey: [name] });
  };
  const wasSent = state.steps.some(({ status }) => status === "confirmed");
  return (
    <section aria-label={text.claimAll} className="panel flex flex-col gap-3 p-4">
      {flow === null ? (
        <>
          <p className="text-sm text-muted">{text.claimHint}</p>
          <Tick label={text.unwrap} checked={unwrap} onChange={setUnwrap} />
          <Tick label={text.release} checked={onlyRelease} onChange={setOnlyRelease} />
          <ActionButton disabled={chosen.length === 0} onClick={() => void claim()}>
            {chosen.length < 2 ? text.claimAll : text.claimCount(chosen.length)}
          </ActionButton>
        </>
      ) : (
        <>
          <FlowSteps {...{ state, flow }} describe={(name) => text.steps[name]} onRestart={running.clear} />
          {state.phase === "done" ? (
            <Notice
              live
              tone={wasSent ? "success" : "info"}
              actions={
                <Button size="sm" onClick={running.clear}>
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
