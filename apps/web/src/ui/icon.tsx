/** Icon paths in a square of 16. */
const paths = {
  arrowUp: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  arrowDown: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  check: "M3 8.5 6.5 12 13 4.5",
  chevronDown: "M3.5 6 8 10.5 12.5 6",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  dot: "M8 7.5v1",
  external: "M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.5 3.5 7.5 8.5",
  flag: "M4 14V2.5h8.500l-2 3 2 3H4",
  info: "M8 7.5v4M8 4.6v.2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  monitor: "M2.5 3h11v8h-11zM6 13.5h4M8 11v2.5",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.500z",
  plus: "M8 3v10M3 8h10",
  refresh: "M13 8a5 5 0 1 1-1.5-3.500L13 6M13 3v3h-3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.4 3.400l1 1M11.6 11.600l1 1M3.4 12.600l1-1M11.6 4.400l1-1",
  warning: "M8 2 14.5 13.500h-13zM8 6.500v3M8 11.400v.2",
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon. Without a text beside it, the control needs a label. */
export function Icon({ name, size = 16, className = "" }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`inline-block shrink-0 ${className}`}
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** A small icon beside a name. Its message is a tooltip and a text for screen readers. */
export function WarningMark({ message }: { message: string }) {
  return (
    <span title={message} className="inline-flex shrink-0 text-warn">
      <Icon name="warning" size={12} />
      <span className="sr-only">{message}</span>
    </span>
  );
}
