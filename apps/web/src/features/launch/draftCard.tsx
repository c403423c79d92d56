import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { ReactNode } from "react";
import type { LinkName } from "../../data/linkNames.ts";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatShare } from "../../format/figures.ts";
import { formatCompleteTime } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Address } from "../../ui/address.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SplitBar } from "../../ui/splitBar.tsx";
import { ChosenPicture } from "./chosenPicture.tsx";

/** The draft as its token will appear, and its fee recipients. */
export function DraftCard({
  draft: { intent, options, warnings },
  own,
}: {
  draft: DraftWithOptions;
  own: string | null;
}) {
  const { launch: text } = useMessages();
  const { storage } = useServices();
  const recipients = intent.recipients ?? [];
  return (
    <section className="panel flex flex-col gap-4 p-4">
      <div className="flex flex-col gap-3">
        <h2 className="text-sm font-bold">{text.asShown}</h2>
        <ChosenPicture uri={intent.image_uri} storage={storage}>
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xl font-bold">
            <bdi className="max-w-full break-words">{toDisplayText(intent.name)}</bdi>
            <bdi className="max-w-full text-base font-semibold break-words text-muted">
              {toDisplayText(intent.symbol)}
            </bdi>
          </p>
        </ChosenPicture>
        {intent.description ? (
          <p className="text-sm break-words whitespace-pre-line">
            <bdi>{toDisplayText(intent.description)}</bdi>
          </p>
        ) : null}
      </div>
      <div className="flex flex-col gap-2" hidden={recipients.length === 0}>
        <h2 className="text-sm font-bold">{text.recipients}</h2>
        <SplitBar
          label={text.recipients}
          parts={recipients.map(({ wallet, share_bps }) => ({ key: wallet, label: wallet, bps: share_bps }))}
        />
        <ul className="flex flex-col gap-1 text-sm">
          {recipients.map(({ wallet, share_bps, handle }) => (
            <li key={wallet} className="flex flex-wrap items-center justify-between gap-2">
              <span className="flex min-w-0 items-center gap-2">
                <Address value={wallet} copy />
                {own !== null && wallet.toLowerCase() === own ? <span className="text-muted">({text.me})</span> : null}
                {handle ? <span className="truncate text-muted">{handle}</span> : null}
              </span>
              <span className="font-semibold">{formatShare(share_bps)}</span>
            </li>
          ))}
        </ul>
      </div>
      <Options intent={intent} options={options} />
      {warnings.map(({ code, message }) => (
        <Notice key={`${code}${message}`} tone="warning">
          {message}
        </Notice>
      ))}
    </section>
  );
}

/** The draft's other permanent parts, one per line. */
function Options({ intent, options }: Pick<DraftWithOptions, "intent" | "options">) {
  const { launch: text, tokenLinks } = useMessages();
  const { initial_buy: buy = null, partner = null, banner_uri: banner = null, links } = options ?? {};
  const named = Object.entries(links ?? {}) as [LinkName, string | null][];
  const amount = buy && `${formatAmount(BigInt(buy.amount_in), 18)} ETH`;
  return (
    <>
      <Line name={text.website}>{intent.website}</Line>
      {named.map(([name, link]) => (
        <Line key={name} name={tokenLinks[name]}>
          {link}
        </Line>
      ))}
      <Line name={text.banner}>{banner}</Line>
      <Line name={text.initialBuy}>{amount}</Line>
      <Line name={text.vesting}>
        {buy?.vesting ? text.vests(toDate(buy.vesting.cliff), toDate(buy.vesting.end)) : null}
      </Line>
      <Line name={text.initialBuyFor}>{buy?.recipient ? <Address value={buy.recipient} copy /> : null}</Line>
      <Line name={text.partner}>{partner ? <Address value={partner} copy /> : null}</Line>
    </>
  );
}

const toDate = (seconds: number) => formatCompleteTime(new Date(seconds * 1_000));

function Line({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <p className="flex justify-between gap-4 text-sm">
      <span className="text-muted">{name}</span>
      <span className="min-w-0 font-semibold break-all">{children}</span>
    </p>
  );
}
