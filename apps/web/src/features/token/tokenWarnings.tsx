import type { TokenDetail } from "@slipway/protocol/indexed";
import { useMessages } from "../../messages/useMessages.ts";
import { Notice } from "../../ui/notice.tsx";

/** Warnings that a person should read before anything else; the others are remarks. */
const severe: readonly string[] = ["blocked", "splitter_unproven", "confusable_name"];

/** What the service warns of, the most severe first. */
export function TokenWarnings({ warnings }: { warnings: TokenDetail["warnings"] }) {
  const { token } = useMessages();
  if (warnings.length === 0) return null;
  const sorted = warnings.toSorted((a, b) => Number(severe.includes(b.code)) - Number(severe.includes(a.code)));
  return (
    <ul aria-label={token.warnings} className="flex flex-col gap-2">
      {sorted.map(({ code, message }) => (
        <li key={code}>
          <Notice tone={severe.includes(code) ? "error" : "warning"}>{message}</Notice>
        </li>
      ))}
    </ul>
  );
}
