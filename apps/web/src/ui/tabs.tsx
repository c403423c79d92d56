import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

type TabsProps<T extends string> = {
  label: string;
  value: T;
  items: readonly { value: T; label: ReactNode }[];
  onChange: (value: T) => void;
  /** The panel of the selected tab. */
  children: ReactNode;
  className?: string;
};

/** Tabs with a panel, following the ARIA Authoring Practices: arrow keys, Home and End move the selection. */
export function Tabs<T extends string>({ label, value, items, onChange, children, className = "" }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const at = items.findIndex((item) => item.value === value);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + items.length) % items.length;
    onChange(items[index]!.value);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };
  return (
    <div className={`min-w-0 ${className}`}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex gap-1 overflow-x-auto border-b border-line"
      >
        {items.map((item) => (
          <button
            key={item.value}
            type="button"
            role="tab"
            id={`${id}-${item.value}`}
            aria-selected={item.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={item.value === value ? 0 : -1}
            onClick={() => onChange(item.value)}
            className="-mb-px min-h-10 shrink-0 border-b-2 border-transparent px-3 py-2 text-sm font-semibold text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {item.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className="min-w-0 pt-4">
        {children}
      </div>
    </div>
  );
}
