import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, type RefObject, useLayoutEffect } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon } from "./icon.tsx";

type DialogProps = {
  open: boolean;
  /** Called by Escape, the close button, or a press outside. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  /** On a phone, at the lower edge with the full width instead of centred. */
  sheet?: boolean;
  /** The element that has the focus first, instead of the close button. */
  initialFocus?: RefObject<HTMLElement | null>;
};

const places = {
  middle:
    "top-1/2 left-1/2 max-h-[90dvh] w-[min(32rem,calc(100vw-1.5rem))] -translate-x-1/2 -translate-y-1/2 rounded-md",
  sheet:
    "inset-x-0 bottom-0 max-h-[92dvh] rounded-t-md md:inset-x-auto md:top-1/2 md:bottom-auto md:left-1/2 md:w-[32rem] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-md",
} as const;

/** A modal dialog. Import it lazily, with the component that opens it. */
export function Dialog({ open, onClose, title, description, children, sheet = false, initialFocus }: DialogProps) {
  const { ui } = useMessages();
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-ink/40 dark:bg-canvas/80" />
        <Base.Popup
          initialFocus={initialFocus}
          className={`fixed z-20 flex flex-col overflow-hidden border border-line bg-surface outline-none ${places[sheet ? "sheet" : "middle"]}`}
        >
          <div className="flex items-start justify-between gap-4 border-b border-line px-4 py-3">
            <div className="min-w-0">
              <Base.Title className="text-base font-bold">{title}</Base.Title>
              {description ? (
                <Base.Description className="mt-0.5 text-sm text-muted">{description}</Base.Description>
              ) : null}
            </div>
            <Base.Close
              aria-label={ui.close}
              className="-me-1 flex size-8 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" />
            </Base.Close>
          </div>
          <div className="min-h-0 overflow-y-auto overscroll-contain p-4">{children}</div>
          <ReturnedFocus />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Returns the focus after a dialog closes and its opener is removed or disabled, e.g. the button that connects a
 * wallet. The focus moves to the nearest remaining part of the page. For an opener that remains, the dialog itself does
 * this.
 */
function ReturnedFocus() {
  useLayoutEffect(() => {
    // At this point the dialog has not taken the focus yet.
    const path: Element[] = [];
    for (let part = document.activeElement; part !== null; part = part.parentElement) path.push(part);
    return () => {
      // Runs after the page has rendered without the dialog.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const left = path.filter(({ isConnected }) => isConnected);
        for (const place of left.flatMap((part) => [part, ...part.querySelectorAll<HTMLElement>(focusable)])) {
          // Disabled or hidden elements do not accept the focus.
          (place as HTMLElement).focus({ preventScroll: true });
          if (document.activeElement === place) return;
        }
      });
    };
  }, []);
  return null;
}

const focusable = "button, a[href], input, select, textarea, summary";
