import type { TokenDetail } from "@slipway/protocol/indexed";
import { useState } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useMediaQuery } from "../ui/useMediaQuery.ts";

const TradeBox = lazyPart(async () => (await import("../features/trade/tradeBox.tsx")).TradeBox);
const TopUpBox = lazyPart(async () => (await import("../features/gas/topUpBox.tsx")).TopUpBox);
const Sheet = lazyPart(async () => (await import("../ui/sheet.tsx")).Sheet);

/** The way to a network fee for a wallet that has none. */
const renderGasHelp = (gasLimit: bigint, onDone: () => void) => <TopUpBox gasLimit={gasLimit} onDone={onDone} />;

/** From the width on at which it stands beside the chart. */
const isWide = "(min-width: 64rem)";

/**
 * The trade box: beside the chart on a wide page, on a phone behind a bar at the lower edge, which opens it as a sheet.
 *
 * @param stale - What is shown may be old: nothing can be traded.
 */
export function TokenTrade({ token, stale }: { token: TokenDetail; stale: boolean }) {
  const { token: texts } = useMessages();
  const wide = useMediaQuery(isWide);
  const [side, setSide] = useState<"buy" | "sell" | null>(null);
  if (wide) {
    return (
      <TradeBox fallback={<Skeleton className="h-96 rounded-md" />} {...{ token, renderGasHelp }} isPaused={stale} />
    );
  }
  return (
    <>
      <div className="fixed inset-x-0 bottom-0 z-10 flex gap-2 border-t border-line bg-surface px-3 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        <Button variant="buy" size="lg" className="flex-1" onClick={() => setSide("buy")}>
          {texts.buy}
        </Button>
        <Button variant="sell" size="lg" className="flex-1" onClick={() => setSide("sell")}>
          {texts.sell}
        </Button>
      </div>
      {side === null ? null : (
        <Sheet
          open
          onClose={() => setSide(null)}
          title={
            <>
              {texts.tradeTitle} <bdi>{token.symbol}</bdi>
            </>
          }
        >
          {/* The sheet is its frame. */}
          <div className="-m-4 *:rounded-none *:border-0">
            <TradeBox token={token} side={side} isPaused={stale} renderGasHelp={renderGasHelp} />
          </div>
        </Sheet>
      )}
    </>
  );
}
