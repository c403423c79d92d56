import type { TokenDetail } from "@slipway/protocol/indexed";
import { formatCount, formatUsd } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Percent } from "../../ui/percent.tsx";

const names = ["m5", "h1", "h6", "h24"] as const;

/** Price change, volume, buys and sells by time window. */
export function TokenWindows({ windows, stale }: { windows: TokenDetail["windows"]; stale: boolean }) {
  const { token } = useMessages();
  return (
    <ul
      aria-label={token.windows}
      className={`panel grid grid-cols-2 overflow-hidden sm:grid-cols-4 ${stale ? "text-muted" : ""}`}
    >
      {names.map((name) => {
        const { price_change_pct, volume_usd, buys, sells } = windows[name];
        return (
          <li
            key={name}
            className="min-w-0 border-line px-4 py-3 text-sm odd:border-e max-sm:nth-[n+3]:border-t sm:border-e sm:last:border-e-0"
          >
            <p className="flex items-baseline justify-between gap-2 font-semibold">
              <span className="text-muted">{token.window[name]}</span>
              <Percent value={price_change_pct} />
            </p>
            <dl className="mt-1">
              <dt className="sr-only">{token.windowVolume}</dt>
              <dd className="font-semibold">{formatUsd(volume_usd)}</dd>
              <dt className="sr-only">{token.windowTrades}</dt>
              <dd className="text-muted">{token.buysSells(formatCount(buys), formatCount(sells))}</dd>
            </dl>
          </li>
        );
      })}
    </ul>
  );
}
