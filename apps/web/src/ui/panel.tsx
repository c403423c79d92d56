import { type ReactNode, useId } from "react";

type PanelProps = {
  title: ReactNode;
  /** Shown at the end of the title's line. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Without padding, for a table. */
  flush?: boolean;
};

/** A section of a page with a title. */
export function Panel({ title, aside, children, className = "", flush = false }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`panel ${className}`}>
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 pt-3 pb-1">
        <h2 id={id} className="text-base font-bold">
          {title}
        </h2>
        {aside}
      </div>
      <div className={flush ? "pb-1" : "px-4 pt-1 pb-4"}>{children}</div>
    </section>
  );
}
