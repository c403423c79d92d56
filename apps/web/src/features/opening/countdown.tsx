import { useEffect, useState } from "react";
import type { Messages } from "../../messages/messages.ts";
import { useMessages } from "../../messages/useMessages.ts";

/** Formats a duration by its two largest units. @param seconds - Zero or less: it has ended. */
export function formatLeft(seconds: number, text: Messages["opening"]): string {
  if (seconds <= 0) return text.ended;
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return text.days(days, hours % 24);
  return hours > 0 ? text.hours(hours, minutes % 60) : text.minutes(minutes, Math.floor(seconds) % 60);
}

/** The time until a deadline, which counts down. @param deadline - Unix seconds. */
export function Countdown({ deadline }: { deadline: number }) {
  const { opening: text } = useMessages();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={new Date(deadline * 1_000).toISOString()}>{formatLeft(deadline - now / 1_000, text)}</time>;
}
