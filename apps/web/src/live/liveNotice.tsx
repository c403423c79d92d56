import { formatClock } from "../format/time.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Notice } from "../ui/notice.tsx";
import { useLiveStatus } from "./liveContext.tsx";

/** Warns that the shown data may be old, and since when. Renders nothing while they are current. */
export function LiveNotice({ className = "" }: { className?: string }) {
  const { live } = useMessages();
  const status = useLiveStatus();
  if (status.state !== "paused") return null;
  return (
    <Notice live tone="warning" title={live.paused(formatClock(new Date(status.asOf)))} className={className}>
      {live.pausedBody}
    </Notice>
  );
}
