import type { TokenDetail } from "@slipway/protocol/indexed";
import { useCallback, useState } from "react";
import { createPortal } from "react-dom";
import { renderGasHelp } from "../features/gas/gasHelp.tsx";
import { toDisplayText } from "../format/displayText.ts";
import { serverLanguage } from "../format/locale.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useMediaQuery } from "../ui/useMediaQuery.ts";

const TradeBox = lazyPart(
  () => import("../features/trade/tradeBox.tsx"),
  (module) => module.TradeBox,
);
const Sheet = lazyPart(
  () => import("../ui/sheet.tsx"),
  (module) => module.Sheet,
);

/** The minimum width for the trade box beside the chart. */
const isWide = "(min-width: 64rem)";

/**
 * The trade box: beside the chart on a wide page; on a phone in a sheet, which a bar at the lower edge opens. One
 * instance serves both: it renders into an element that moves between them, so that resizing the window or closing the
 * sheet keeps the typed amount and a trade in progress.
 *
 * @param stale - The shown data may be old: trading is disabled.
 */
export const TokenTrade = serverLanguage === undefined ? BrowserTrade : TradePlaceholder;

/** The space of the box beside the chart. The bar of a phone covers the page and needs none. */
function TradePlaceholder(_: TokenTradeProps) {
  return <Skeleton className="h-96 rounded-md max-lg:hidden" />;
}

type TokenTradeProps = { token: TokenDetail; stale: boolean };

function BrowserTrade({ token, stale }: TokenTradeProps) {
  const { token: texts, trade } = useMessages();
  const { journal } = useServices();
  const wide = useMediaQuery(isWide);
  const [side, setSide] = useState<"buy" | "sell">("buy");
  // Open if an earlier visit sent a transaction.
  const [isOpen, setOpen] = useState(() => !wide && journal.list(`trade:${token.address.toLowerCase()}`).length > 0);
  const [wasShown, setWasShown] = useState(false);
  const [element] = useState(() => document.createElement("div"));
  const place = useCallback((node: HTMLElement | null) => node?.append(element), [element]);
  // On a phone, the box loads when the sheet opens.
  if ((wide || isOpen) && !wasShown) setWasShown(true);
  // Only a phone has the sheet.
  if (wide && isOpen) setOpen(false);
  const open = (next: "buy" | "sell") => {
    setSide(next);
    setOpen(true);
  };
  return (
    <>
      {/* Different keys: a shared element would keep the moved element inside. */}
      {wide ? (
        <div key="panel" id="trade" tabIndex={-1} ref={place} className="outline-none" />
      ) : (
        <div
          key="bar"
          id="trade"
          tabIndex={-1}
          data-trade-bar
          className="fixed inset-x-0 bottom-0 z-10 flex gap-2 border-t border-line bg-surface px-3 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]"
        >
          <Button variant="buy" size="lg" className="flex-1" onClick={() => open("buy")}>
            {trade.buy}
          </Button>
          <Button variant="sell" size="lg" className="flex-1" onClick={() => open("sell")}>
            {trade.sell}
          </Button>
        </div>
      )}
      {!wide && isOpen ? (
        <Sheet
          open
          onClose={() => setOpen(false)}
          title={
            <>
              {texts.tradeTitle} <bdi>{toDisplayText(token.symbol)}</bdi>
            </>
          }
        >
          {/* The sheet is the frame. */}
          <div ref={place} className="-m-4 [&_section]:rounded-none [&_section]:border-0" />
        </Sheet>
      ) : null}
      {wasShown
        ? createPortal(
            <TradeBox
              {...{ token, side, renderGasHelp }}
              fallback={<Skeleton className="h-96 rounded-md" />}
              isPaused={stale}
              isShown={wide || isOpen}
              onSide={setSide}
            />,
            element,
          )
        : null}
    </>
  );
}
