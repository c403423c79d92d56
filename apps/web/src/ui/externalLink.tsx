import type { ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon } from "./icon.tsx";

/** A link to an untrusted site: without referrer and without endorsement (`rel`). */
export function ExternalLink({
  href,
  children,
  className = "",
}: {
  href: string;
  children: ReactNode;
  className?: string;
}) {
  const { ui } = useMessages();
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      className={`inline-flex max-w-full min-w-0 items-center gap-1 text-accent underline underline-offset-4 ${className}`}
    >
      <span className="truncate">{children}</span>
      <Icon name="external" size={12} />
      <span className="sr-only">, {ui.externalLink}</span>
    </a>
  );
}
