import { Component, type ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

type ErrorBoundaryProps = { children: ReactNode; className?: string };

/** Catches render errors of its children. A note with a retry replaces the children; the rest of the page remains. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <CrashNote className={this.props.className} onRetry={() => this.setState({ hasFailed: false })} />;
  }
}

type CrashNoteProps = { onRetry: () => void; className?: string | undefined };

function CrashNote({ onRetry, className }: CrashNoteProps) {
  const { ui } = useMessages();
  return (
    <Notice
      live
      tone="error"
      title={ui.crashTitle}
      className={className}
      actions={
        <Button size="sm" onClick={onRetry}>
          {ui.retry}
        </Button>
      }
    >
      {ui.crashBody}
    </Notice>
  );
}

/** Replaces a page that threw while rendering; header and footer remain. The router passes `reset`. */
export function PageCrash({ reset }: { reset: () => void }) {
  return (
    <div className="page py-10">
      <CrashNote onRetry={reset} />
    </div>
  );
}
