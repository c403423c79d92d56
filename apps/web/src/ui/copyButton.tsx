import { useEffect, useState } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon } from "./icon.tsx";

const shownMs = 2_000;

type CopyButtonProps = { text: string; label: string; className?: string; tabIndex?: -1 | undefined };

/** Copies a text and confirms it. `label` names the text for screen readers. */
export function CopyButton({ text, label, className = "", tabIndex }: CopyButtonProps) {
  const { ui } = useMessages();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button
      type="button"
      onClick={copy}
      tabIndex={tabIndex}
      aria-label={`${ui.copy} ${label}`}
      title={copied ? ui.copied : ui.copy}
      className={`inline-flex size-7 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink ${className}`}
    >
      <Icon name={copied ? "check" : "copy"} size={14} />
      <span role="status" className="sr-only">
        {copied ? ui.copied : ""}
      </span>
    </button>
  );
}
