import type { TokenDetail } from "@slipway/protocol/indexed";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Notice } from "../../ui/notice.tsx";

/** Severe warnings, which are listed first; the others are notes. */
const severe: readonly string[] = ["blocked", "splitter_unproven", "confusable_name", "similar_image"];

/** The service's warnings, most severe first. */
export function TokenWarnings({ warnings }: { warnings: TokenDetail["warnings"] }) {
  const { token } = useMessages();
  if (warnings.length === 0) return null;
  const sorted = warnings.toSorted((a, b) => Number(severe.includes(b.code)) - Number(severe.includes(a.code)));
  return (
    <ul aria-label={token.warnings} className="flex flex-col gap-2">
      {sorted.map(({ code, message }) => (
        <li key={code}>
          <Notice tone={severe.includes(code) ? "error" : "warning"}>
            {toDisplayText(token.warning(code, message))}
          </Notice>
        </li>
      ))}
    </ul>
  );
}
