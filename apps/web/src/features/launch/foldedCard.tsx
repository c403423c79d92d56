import { type ReactNode, useState } from "react";
import { Icon } from "../../ui/icon.tsx";

type FoldedCardProps = {
  title: string;
  /** The current value in one line, e.g. "100% to you". */
  value: string;
  /** Opens the card, e.g. for an error in it. It then stays open while its content changes. */
  opens: boolean;
  children: ReactNode;
};

/** A part of a form that shows only its value until the user opens it. */
export function FoldedCard({ title, value, opens, children }: FoldedCardProps) {
  const [isOpen, setOpen] = useState(opens);
  return (
    <details open={isOpen || opens} className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex min-h-14 list-none items-center gap-3 rounded-sm px-4 py-2 -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <span className="font-semibold">{title}</span>
        <span className="ms-auto min-w-0 text-end text-sm wrap-anywhere text-muted">{value}</span>
        <Icon name="chevronDown" size={14} className="text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="px-4 pt-2 pb-4">{children}</div>
    </details>
  );
}
