import type { OpeningDetail } from "@slipway/protocol/openings";
import { formatAmount } from "../../format/amount.ts";
import { formatShare } from "../../format/figures.ts";
import { formatFraction } from "../../format/share.ts";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Figure } from "../../ui/figure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Price } from "../../ui/price.tsx";
import { Countdown } from "./countdown.tsx";
import { DepositBar } from "./depositBar.tsx";
import { OpeningStatusMark } from "./openingStatusMark.tsx";

/** The deposits against minimum and cap, the time left, and the price that everybody pays. */
export function OpeningSummary({ opening, currency }: { opening: OpeningDetail; currency: string }) {
  const { opening: text } = useMessages();
  const { total, minimum, cap, deadline, status, depositors, if_opened_now: now, opened } = opening;
  const toNative = (amount: string | bigint) => `${formatAmount(BigInt(amount), 18)} ${currency}`;
  const isRunning = status === "open" || status === "ready";
  const buy = opened ?? now;
  const note = !isRunning
    ? null
    : BigInt(total) > BigInt(cap)
      ? text.above
      : status === "ready"
        ? text.reached
        : text.missing(toNative(BigInt(minimum) - BigInt(total)));
  return (
    <Panel title={text.progress} aside={<OpeningStatusMark status={status} />}>
      <p className="text-2xl font-bold">{toNative(total)}</p>
      <div className="mt-2">
        <DepositBar
          total={total}
          minimum={minimum}
          cap={cap}
          label={text.progressOf(toNative(total), toNative(minimum), toNative(cap))}
        />
      </div>
      {note === null ? null : <p className="mt-2 text-sm text-muted">{note}</p>}
      <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
        <Figure name={text.minimum}>{toNative(minimum)}</Figure>
        <Figure name={text.cap}>{toNative(cap)}</Figure>
        <Figure name={text.depositors}>{depositors}</Figure>
        <Figure name={text.left}>{isRunning ? <Countdown deadline={deadline} /> : text.ended}</Figure>
        <Figure name={opened ? text.openedPrice : text.price}>
          {buy === null ? text.priceNone : <Price value={buy.price_eth} quote={currency} />}
        </Figure>
        <Figure name={text.bought}>{buy === null ? "—" : formatAmount(BigInt(buy.bought), 18)}</Figure>
        <Figure name={text.share}>{formatFraction(buy?.share_of_supply ?? null)}</Figure>
        <Figure name={text.spent}>{buy === null ? "—" : toNative(buy.spent)}</Figure>
      </dl>
      <p className="mt-3 text-sm text-muted">{text.deadline(formatMoment(new Date(deadline * 1_000)))}</p>
      <p className="text-sm text-muted">{text.fee(formatShare(opening.fee_bps))}</p>
    </Panel>
  );
}
