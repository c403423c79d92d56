import type { TokenDetail } from "@slipway/protocol/indexed";
import { toDisplayText } from "../../format/displayText.ts";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { createSnippet } from "./createSnippet.ts";

const { origin } = location;

/** A text to copy; a click selects all of it. */
function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start gap-1">
      <code className="min-w-0 flex-1 rounded-sm border border-line bg-sunken px-3 py-2 text-sm break-all select-all">
        {text}
      </code>
      <CopyButton text={text} label={label} className="size-9" />
    </div>
  );
}

/** The link of the token's page as text and QR code, and the picture that posts with the link show. */
export function LinkPanel({ token }: { token: TokenDetail }) {
  const { share: texts } = useMessages();
  const symbol = toDisplayText(token.symbol);
  const address = token.address.toLowerCase();
  return (
    <Panel title={texts.link}>
      <div className="flex flex-wrap items-start gap-4">
        <img
          src={`/embed/${address}/code.png`}
          alt={texts.codeAlt(symbol)}
          width={120}
          height={120}
          className="size-30 rounded-sm border border-line [image-rendering:pixelated]"
        />
        <div className="flex min-w-0 flex-1 basis-56 flex-col gap-2">
          <CopyText text={`${origin}/t/${token.address}`} label={texts.linkLabel} />
          <p className="text-sm text-muted">{texts.linkHint}</p>
        </div>
      </div>
    </Panel>
  );
}

/** The picture of a token with live figures. The service draws it. */
export function CardPanel({ token }: { token: TokenDetail }) {
  const { share: texts } = useMessages();
  const src = `/og/${token.address}.png`;
  return (
    <Panel title={texts.card}>
      <img
        src={src}
        alt={texts.cardAlt(toDisplayText(token.symbol))}
        width={1200}
        height={630}
        className="h-auto w-full rounded-sm border border-line"
      />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-56 text-sm text-muted">{texts.cardHint}</p>
        <a href={src} download={`slipway-${token.address}.png`} className={buttonClasses("secondary", "sm")}>
          {texts.cardDownload}
        </a>
      </div>
    </Panel>
  );
}

/** The HTML of the chart for another site. */
export function ChartSnippetPanel({ token }: { token: TokenDetail }) {
  const { share: texts } = useMessages();
  return (
    <Panel title={texts.chart}>
      <p className="mb-3 text-sm text-muted">{texts.chartHint}</p>
      <CopyText text={createSnippet(origin, token.address)} label={texts.chartLabel} />
      <a
        href={`/embed/${token.address.toLowerCase()}`}
        target="_blank"
        rel="noopener"
        className={`mt-3 ${buttonClasses("secondary", "sm")}`}
      >
        {texts.chartPreview}
        <Icon name="external" size={12} className="ms-1" />
      </a>
    </Panel>
  );
}

/** A message for each fee recipient, with the link of the page on which it claims. */
export function TellRecipientsPanel({ token }: { token: TokenDetail }) {
  const { share: texts } = useMessages();
  const symbol = toDisplayText(token.symbol);
  return (
    <Panel title={texts.recipients}>
      <p className="mb-2 text-sm text-muted">
        {token.recipients.length === 0 ? texts.recipientsNone : texts.recipientsHint}
      </p>
      <ul className="flex flex-col text-sm">
        {token.recipients.map(({ wallet, share_bps, handle }) => {
          const url = `${origin}/wallet/${wallet}?tab=receipts`;
          const message = texts.recipientMessage(formatShare(share_bps), symbol, url);
          return (
            <li key={wallet} className="flex min-h-10 items-center gap-2 border-b border-line last:border-b-0">
              <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
                <Address value={wallet} />
                {handle ? <bdi className="truncate text-muted">@{toDisplayText(handle)}</bdi> : null}
              </span>
              <span className="font-semibold">{formatShare(share_bps)}</span>
              <CopyButton text={message} label={texts.recipientLink(wallet)} className="size-9" />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
