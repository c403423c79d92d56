import { useMessages } from "../messages/useMessages.ts";
import { CopyButton } from "./copyButton.tsx";
import { Icon } from "./icon.tsx";

/** A link to a transaction at the block explorer; without an explorer, a button that copies the hash. */
export function TransactionLink({ hash, url }: { hash: string; url: string | null }) {
  const { ui } = useMessages();
  if (url === null) return <CopyButton text={hash} label={hash} />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      title={hash}
      className="inline-flex size-7 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon name="external" size={14} />
      <span className="sr-only">
        {hash} ({ui.externalLink})
      </span>
    </a>
  );
}
