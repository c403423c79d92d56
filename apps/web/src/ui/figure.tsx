import type { ReactNode } from "react";

/** A name with its value below, for use in a `<dl>`. */
export function Figure({ name, children, className = "" }: { name: string; children: ReactNode; className?: string }) {
  return (
    <div className={`min-w-0 ${className}`}>
      <dt className="text-xs font-semibold text-muted">{name}</dt>
      <dd className="mt-0.5 truncate text-base font-semibold">{children}</dd>
    </div>
  );
}
