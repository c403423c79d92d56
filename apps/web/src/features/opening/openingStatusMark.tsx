import type { OpeningStatus } from "@slipway/protocol/openings";
import { useMessages } from "../../messages/useMessages.ts";

const tones: Readonly<Record<OpeningStatus, string>> = {
  open: "text-accent",
  ready: "text-buy",
  opened: "text-buy",
  refunding: "text-warn",
  done: "text-muted",
};

/** The status of an opening, as a word. */
export function OpeningStatusMark({ status }: { status: OpeningStatus }) {
  const { opening: text } = useMessages();
  return (
    <span
      className={`rounded-sm border border-line px-2 py-0.5 text-sm font-semibold whitespace-nowrap ${tones[status]}`}
    >
      {text.statuses[status]}
    </span>
  );
}
