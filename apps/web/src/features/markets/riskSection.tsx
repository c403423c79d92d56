import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { RiskAccess } from "./riskAccess.tsx";

/** The section of a page with risk figures, for accounts that may read them. */
export function RiskSection({ children, className = "" }: { children: ReactNode; className?: string }) {
  const { markets: text } = useMessages();
  return (
    <section aria-labelledby="risk" className={`flex min-w-0 flex-col gap-3 ${className}`}>
      <div>
        <h2 id="risk" className="text-lg font-bold">
          {text.risk}
        </h2>
        <p className="text-sm text-muted">{text.riskLead}</p>
      </div>
      <RiskAccess>{children}</RiskAccess>
    </section>
  );
}
