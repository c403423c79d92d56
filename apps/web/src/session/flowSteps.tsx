import type { ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { type Step, StepList, type StepState } from "../ui/stepList.tsx";
import type { Flow } from "../wallet/flow.ts";
import type { FlowState, FlowStep, StepStatus, Stop } from "../wallet/flowState.ts";
import { useChain } from "./services.tsx";
import { SignInRefused } from "./signInRefused.ts";

const states: Readonly<Record<StepStatus, StepState>> = {
  asking: "active",
  silent: "active",
  sent: "active",
  confirmed: "done",
  abandoned: "todo",
  failed: "failed",
  declined: "failed",
  replaced: "failed",
  left: "failed",
};

type FlowStepsProps = {
  state: FlowState;
  flow: Flow | null;
  /** Returns a step's exact description, e.g. "Approve only 0.01 WETH"; undefined for its default name. */
  describe?: (name: string) => string | undefined;
  /** Steps that are known to follow. */
  coming?: readonly { name: string; label: string }[];
  /** Returns a replacement for the message of a service error, if the page has a better one. */
  explain?: (error: unknown) => ReactNode | undefined;
  /** An alternative to a retry after the wallet refused: its explanation and its button. */
  otherWay?: { hint: ReactNode; action: ReactNode } | undefined;
  /** Starts again, for stops after which the flow cannot continue. */
  onRestart?: () => void;
};

/** The progress of a flow: each step with its transaction, and why it stopped with the ways to continue. */
export function FlowSteps({ state, flow, describe, coming = [], explain, otherWay, onRestart }: FlowStepsProps) {
  const { wallet: text } = useMessages();
  const label = (name: string) => describe?.(name) ?? text.names[name] ?? name;
  // Hides an abandoned request if a later step repeats it.
  const shown = state.steps.filter(
    (step, index) =>
      step.status !== "abandoned" || !state.steps.slice(index + 1).some(({ name }) => name === step.name),
  );
  const steps: Step[] = shown.map((step) => ({
    key: String(step.id),
    label: label(step.name),
    state: states[step.status],
    detail: <StepDetail step={step} flow={flow} />,
  }));
  const names = new Set(shown.filter(({ status }) => status !== "abandoned").map(({ name }) => name));
  if (state.phase === "preparing") steps.push({ key: "preparing", label: text.preparing, state: "active" });
  for (const next of coming)
    if (!names.has(next.name)) steps.push({ key: next.name, label: next.label, state: "todo" });
  return (
    <div className="flex flex-col gap-3">
      <StepList steps={steps} label={text.steps} />
      {state.stop === null ? null : <StopNote stop={state.stop} {...{ flow, explain, otherWay, onRestart }} />}
    </div>
  );
}

function StepDetail({ step, flow }: { step: FlowStep; flow: Flow | null }) {
  const { wallet: text } = useMessages();
  const { status, hash, delay, kind, name } = step;
  const texts: Readonly<Record<StepStatus, string>> = {
    asking: kind === "service" ? text.stepWorking : text.stepAsking,
    silent: text.stepSilent,
    abandoned: text.stepAbandoned,
    sent: kind === "batch" ? text.stepSentBatch : text.stepSent,
    confirmed: text.stepConfirmed,
    failed: text.stepFailed,
    declined: text.stepDeclined,
    replaced: text.stepReplaced,
    left: text.stepLeft,
  };
  return (
    <div className="flex flex-col gap-1">
      <p>{texts[status]}</p>
      {hash === null ? null : <TransactionLink hash={hash} />}
      {delay === null ? null : (
        <p>{{ unknown: text.delayUnknown, dropped: text.delayDropped, slow: text.delaySlow }[delay]}</p>
      )}
      {status === "silent" ? (
        <span className="flex flex-wrap gap-2">
          <Button size="sm" variant="primary" onClick={() => flow?.askAgain()}>
            {text.askAgain}
          </Button>
          <Button size="sm" onClick={() => flow?.leave()}>
            {text.cancel}
          </Button>
        </span>
      ) : null}
      {status === "asking" && (kind !== "service" || name === "pending") ? (
        <span>
          <Button size="sm" variant="quiet" onClick={() => flow?.leave()}>
            {text.cancel}
          </Button>
        </span>
      ) : null}
      {status === "sent" && delay !== null ? (
        <span>
          <Button size="sm" onClick={() => flow?.leave()}>
            {text.forget}
          </Button>
        </span>
      ) : null}
    </div>
  );
}

/** A transaction's hash, as a link to the explorer if there is one. */
export function TransactionLink({ hash }: { hash: string }) {
  const { wallet: text, ui } = useMessages();
  const chain = useChain();
  const short = `${hash.slice(0, 10)}…${hash.slice(-6)}`;
  const explorer = chain?.explorerUrl;
  if (!explorer || !/^https:\/\//.test(explorer)) {
    return (
      <p title={hash}>
        {text.transaction} {short}
      </p>
    );
  }
  return (
    <a
      href={`${explorer.replace(/\/+$/, "")}/tx/${hash}`}
      target="_blank"
      rel="noopener noreferrer"
      title={hash}
      className="inline-flex items-center gap-1 text-accent underline underline-offset-4"
    >
      {text.transaction} {short}
      <Icon name="external" size={12} />
      <span className="sr-only">{ui.externalLink}</span>
    </a>
  );
}

type StopNoteProps = Pick<FlowStepsProps, "explain" | "otherWay" | "onRestart" | "flow"> & { stop: Stop };

function StopNote({ stop, flow, explain, otherWay, onRestart }: StopNoteProps) {
  const { wallet: text } = useMessages();
  if (stop.kind === "service") {
    const explained = explain?.(stop.error);
    if (explained !== undefined) return explained;
    if (stop.error instanceof SignInRefused)
      return (
        <Notice live tone="error">
          {text.stopSignIn}
        </Notice>
      );
    return <ErrorNote error={stop.error} title={text.stopTitle} onRetry={() => void flow?.run()} />;
  }
  const isOver = stop.kind === "wallet" && ["account_changed", "not_as_asked"].includes(stop.fault);
  const canGoOn = !isOver || (stop.fault !== "account_changed" && onRestart === undefined);
  const isQuiet = stop.kind === "cancelled" || (stop.kind === "wallet" && stop.fault === "declined");
  return (
    <Notice
      live
      tone={isQuiet ? "info" : "warning"}
      actions={
        canGoOn ? (
          <>
            {otherWay?.action}
            <Button size="sm" onClick={() => void flow?.run()}>
              {text.tryAgain}
            </Button>
          </>
        ) : onRestart === undefined ? undefined : (
          <Button size="sm" onClick={onRestart}>
            {text.tryAgain}
          </Button>
        )
      }
    >
      <p>{explainStop(stop, text)}</p>
      {getDetail(stop)}
      {canGoOn && otherWay !== undefined ? <p className="mt-1">{otherWay.hint}</p> : null}
    </Notice>
  );
}

/** Returns the message of the wallet or the chain as text, never as markup. */
function getDetail(stop: Stop): ReactNode {
  const detail =
    stop.kind === "wallet" && stop.fault === "failed"
      ? stop.detail
      : stop.kind === "reverted" && stop.revert.reason === "unknown"
        ? stop.revert.detail
        : null;
  return detail === null ? null : <p className="mt-1 break-words">{detail}</p>;
}

type Texts = ReturnType<typeof useMessages>["wallet"];

function explainStop(stop: Exclude<Stop, { kind: "service" }>, text: Texts): string {
  switch (stop.kind) {
    case "wallet":
      return {
        declined: text.declined,
        busy: text.busy,
        account_changed: text.stopAccount,
        wrong_chain: text.stopChain,
        other_network: text.stopChain,
        not_this_wallet: text.stopNotThisWallet,
        not_as_asked: text.stopNotAsAsked,
        failed: text.stopFailed,
      }[stop.fault];
    case "reverted":
      return { price_moved: text.stopPriceMoved, too_late: text.stopTooLate, unknown: text.stopReverted }[
        stop.revert.reason
      ];
    case "batch_failed":
      return text.stopBatch;
    case "replaced":
      return text.stopReplaced;
    case "left":
      return text.stopLeft;
    case "cancelled":
      return text.stopCancelled;
  }
}
