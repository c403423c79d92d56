import type { ReactNode } from "react";

/** An empty list: its meaning and what to do. */
export function EmptyState({ text, action }: { text: ReactNode; action?: ReactNode }) {
  return (
    <div className="panel flex min-h-64 flex-col items-center justify-center gap-4 px-6 py-12 text-center">
      <p className="max-w-md text-muted">{text}</p>
      {action}
    </div>
  );
}
