import type { ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon, type IconName } from "./icon.tsx";

export type StepState = "todo" | "active" | "done" | "failed";
export type Step = { key: string; label: ReactNode; state: StepState; detail?: ReactNode };

const marks: Readonly<Record<StepState, { icon: IconName | null; classes: string }>> = {
  todo: { icon: null, classes: "border-control text-muted" },
  active: { icon: "dot", classes: "border-accent text-accent" },
  done: { icon: "check", classes: "border-buy bg-buy text-surface" },
  failed: { icon: "close", classes: "border-sell text-sell" },
};

/** The steps of a flow in order: done, active and pending ones. Screen readers announce changes. */
export function StepList({ steps, label }: { steps: readonly Step[]; label: string }) {
  const { ui } = useMessages();
  const words = { todo: ui.stepTodo, active: ui.stepActive, done: ui.stepDone, failed: ui.stepFailed };
  return (
    <ol aria-label={label} aria-live="polite" className="flex flex-col">
      {steps.map(({ key, label: text, state, detail }, index) => (
        <li key={key} aria-current={state === "active" ? "step" : undefined} className="flex gap-3">
          <span className="flex flex-col items-center">
            <span
              className={`flex size-6 items-center justify-center rounded-full border-2 text-xs font-bold ${marks[state].classes}`}
            >
              {marks[state].icon ? (
                <Icon name={marks[state].icon} size={12} />
              ) : (
                <span aria-hidden="true">{index + 1}</span>
              )}
            </span>
            {index < steps.length - 1 ? <span className="min-h-3 w-px flex-1 bg-line" /> : null}
          </span>
          <div className="min-w-0 flex-1 pb-4">
            <p className={state === "todo" ? "text-muted" : "font-semibold"}>
              {text}
              <span className="sr-only">, {words[state]}</span>
            </p>
            {detail ? <div className="mt-0.5 text-sm text-muted">{detail}</div> : null}
          </div>
        </li>
      ))}
    </ol>
  );
}
