import { useEffect, useRef } from "react";
import { Button } from "./button.tsx";

type MoreRowsProps = {
  label: string;
  hasMore: boolean;
  busy: boolean;
  onMore: () => void;
  /** Loads automatically near the end of the list, unless a request failed. */
  auto?: boolean;
};

/** The end of a list with more rows: a button, which triggers automatically near the viewport. */
export function MoreRows({ label, hasMore, busy, onMore, auto = true }: MoreRowsProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!hasMore || busy || !auto || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onMore(),
      { rootMargin: "600px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [hasMore, busy, auto, onMore]);
  if (!hasMore) return null;
  return (
    <div ref={element} className="flex justify-center py-6">
      <Button busy={busy} onClick={onMore}>
        {label}
      </Button>
    </div>
  );
}
