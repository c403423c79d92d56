import { useState } from "react";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { lazyPart } from "../../ui/lazyPart.tsx";
import type { Reported } from "./reportDialog.tsx";

const ReportDialog = lazyPart(
  () => import("./reportDialog.tsx"),
  (module) => module.ReportDialog,
);

/** Opens the report dialog. `compact` shows only the flag, for use over a picture. */
export function ReportButton({ reported, compact = false }: { reported: Reported; compact?: boolean }) {
  const { report: text } = useMessages();
  const [isOpen, setOpen] = useState(false);
  const label = text.named(toDisplayText(reported.name));
  return (
    <>
      {compact ? (
        <button
          type="button"
          aria-label={label}
          title={text.button}
          onClick={() => setOpen(true)}
          className="absolute end-2 top-2 z-10 flex size-8 items-center justify-center rounded-sm border border-line bg-surface text-muted opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100"
        >
          <Icon name="flag" size={14} />
        </button>
      ) : (
        <Button size="sm" variant="quiet" aria-label={label} onClick={() => setOpen(true)}>
          <Icon name="flag" size={14} />
          {text.button}
        </Button>
      )}
      {isOpen ? <ReportDialog reported={reported} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
