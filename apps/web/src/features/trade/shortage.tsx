import type { TokenDetail } from "@slipway/protocol/indexed";
import { ApiError } from "@slipway/sdk/apiError";
import type { ReactNode } from "react";
import { getAddress } from "viem/utils";
import { formatAmount, toExactAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import type { Balances } from "../../session/useBalances.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { TradeOrder } from "./tradeOrder.ts";

type ShortageProps = {
  error: unknown;
  order: TradeOrder;
  token: TokenDetail;
  balances: Balances;
  renderGasHelp?: ((gasLimit: bigint, onDone: () => void) => ReactNode) | undefined;
  onUseAll: (typed: string) => void;
  onPayNative: () => void;
  onRetry: () => void;
};

const nativeAsset = /^0x0{40}$/;
/** More gas than a sell with a permit and unwrapping needs. */
const swapGas = 400_000n;

/** Shows what is missing for a trade, and the remedies. */
export function Shortage(props: ShortageProps) {
  const { error, order, token, balances, renderGasHelp, onUseAll, onPayNative, onRetry } = props;
  const { trade: text } = useMessages();
  if (isWithoutGas(order, balances)) {
    return (
      <>
        <Notice live tone="warning" title={text.noGas}>
          {text.noGasHelp}
        </Notice>
        {renderGasHelp?.(swapGas, onRetry)}
      </>
    );
  }
  if (error === null || error === undefined) return null;
  if (!(error instanceof ApiError) || error.code !== "insufficient_balance") {
    return error instanceof ApiError && error.status === 401 ? null : (
      <ErrorNote error={error} onRetry={onRetry} title={text.title} />
    );
  }
  const {
    asset = "",
    needed,
    available,
  } = (error.details ?? {}) as { asset?: string; needed?: string; available?: string };
  const amounts = toAmounts(needed, available);
  const isToken = asset.toLowerCase() === token.address.toLowerCase();
  const symbol = isToken ? token.symbol : nativeAsset.test(asset) ? text.native : text.wrapped;
  const canPayNative =
    order.side === "buy" &&
    order.asset === "wrapped" &&
    balances.native !== null &&
    balances.native > BigInt(order.amount);
  return (
    <Notice
      live
      tone="warning"
      title={amounts === null ? error.message : text.short(formatShortage(amounts.needed - amounts.available), symbol)}
      actions={
        <>
          {amounts !== null && amounts.available > 0n && !nativeAsset.test(asset) ? (
            <Button size="sm" onClick={() => onUseAll(toExactAmount(amounts.available, 18))}>
              {text.useAll}
            </Button>
          ) : null}
          {canPayNative ? (
            <Button size="sm" onClick={onPayNative}>
              {text.payNative}
            </Button>
          ) : null}
        </>
      }
    >
      {canPayNative ? <p>{text.wrapHint(text.wrapped)}</p> : null}
      <p className="flex flex-wrap items-center gap-1">
        {text.receiveHint} <Address value={getAddress(order.wallet)} to={null} copy />
      </p>
    </Notice>
  );
}

/** Whether the wallet has no native for the network fee. False for a buy with native, which needs native anyway. */
function isWithoutGas(order: TradeOrder, { native }: Balances): boolean {
  return native === 0n && !(order.side === "buy" && order.asset === "native");
}

/** Formats a shortage, rounded up. */
const formatShortage = (amount: bigint) => formatAmount(amount + 10n ** 12n - 1n, 18);

function toAmounts(needed: string | undefined, available: string | undefined) {
  if (!/^\d+$/.test(needed ?? "") || !/^\d+$/.test(available ?? "")) return null;
  return { needed: BigInt(needed!), available: BigInt(available!) };
}
