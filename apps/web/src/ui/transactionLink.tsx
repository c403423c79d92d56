import { useMessages } from "../messages/useMessages.ts";
import { CopyButton } from "./copyButton.tsx";
import { Icon } from "./icon.tsx";

type TransactionLinkProps = {
  hash: string;
  url: string | null;
  /** -1 if the arrow keys of its table reach it (`moveInRows`). */
  tabIndex?: -1 | undefined;
};

/** A link to a transaction at the block explorer; without an explorer, a button that copies the hash. */
export function TransactionLink({ hash, url, tabIndex }: TransactionLinkProps) {
  const { ui } = useMessages();
  if (url === null) return <CopyButton text={hash} label={hash} tabIndex={tabIndex} />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      title={hash}
      tabIndex={tabIndex}
      className="inline-flex size-7 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon name="external" size={14} />
      <span className="sr-only">
        {hash} ({ui.externalLink})
      </span>
    </a>
  );
}
