import type { OpeningDetail } from "@slipway/protocol/openings";
import { useQuery } from "@tanstack/react-query";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useSender } from "../../session/services.tsx";
import { balancesOptions } from "../../session/useBalances.ts";
import { Panel } from "../../ui/panel.tsx";
import type { Hex } from "../../wallet/provider.ts";

type ArrivedTokensProps = { opening: OpeningDetail; token: string; onClose: () => void };

/**
 * Offers the closing after the deadline, when a launch without the opening sent it tokens: only the closing shares them.
 * Without such tokens it would only cost gas. @param token - The token that was launched without the opening.
 */
export function ArrivedTokens({ opening, token, onClose }: ArrivedTokensProps) {
  const { opening: text } = useMessages();
  const sender = useSender();
  const holder = sender === null ? null : { ...sender, address: opening.address.toLowerCase() as Hex };
  const arrived = useQuery(balancesOptions(holder, [token])).data?.tokens.get(token.toLowerCase()) ?? 0n;
  if (arrived === 0n) return null;
  const symbol = toDisplayText(opening.symbol) || text.columns.token;
  return (
    <Panel title={text.arrivedTitle}>
      <p className="mb-3 text-sm break-words">{text.arrivedBody(`${formatAmount(arrived, 18)} ${symbol}`)}</p>
      <ActionButton onClick={onClose}>{text.closeToShare}</ActionButton>
    </Panel>
  );
}
