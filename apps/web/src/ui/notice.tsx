import type { ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon, type IconName } from "./icon.tsx";

export type NoticeTone = "info" | "success" | "warning" | "error";

const tones: Readonly<Record<NoticeTone, { icon: IconName; classes: string }>> = {
  info: { icon: "info", classes: "border-s-accent [&>svg]:text-accent" },
  success: { icon: "check", classes: "border-s-buy [&>svg]:text-buy" },
  warning: { icon: "warning", classes: "border-s-warn [&>svg]:text-warn" },
  error: { icon: "warning", classes: "border-s-sell [&>svg]:text-sell" },
};

type NoticeProps = {
  tone?: NoticeTone;
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
  /** Announces the note to screen readers, because it appears without a user action. */
  live?: boolean;
  className?: string;
};

/** A note about the content beside it. */
export function Notice({ tone = "info", title, children, actions, live = false, className = "" }: NoticeProps) {
  const { ui } = useMessages();
  const { icon, classes } = tones[tone];
  return (
    <div
      role={live ? (tone === "error" ? "alert" : "status") : undefined}
      className={`flex gap-3 rounded-sm border border-s-4 border-line bg-surface p-3 text-sm ${classes} ${className}`}
    >
      <Icon name={icon} className="mt-0.5" />
      <span className="sr-only">{ui[tone]}: </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children ? <div className="text-muted">{children}</div> : null}
        {actions ? <div className="mt-1 flex flex-wrap gap-2">{actions}</div> : null}
      </div>
    </div>
  );
}
