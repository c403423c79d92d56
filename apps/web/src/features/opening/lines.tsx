import type { ReactNode } from "react";

/** Names with values, one per line. A null value has no line. */
export function Lines({ lines }: { lines: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="flex flex-col gap-1.5 text-sm">
      {lines
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="text-muted">{name}</dt>
            <dd className="text-end font-semibold">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
