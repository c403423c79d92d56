import type { TokenDetail } from "@slipway/protocol/indexed";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Panel } from "../../ui/panel.tsx";

/** The trading fee and its division. Renders nothing if the token's policy is unknown. */
export function FeesPanel({ token }: { token: TokenDetail }) {
  const texts = useMessages().token;
  const policy = token.fee_policy;
  if (policy === null) return null;
  const effective = token.pool_state.lp_fee_bps_effective;
  const rows = [
    [texts.feeCollaborators, policy.collaborators_bps],
    [texts.feeProtocol, policy.protocol_bps],
    [texts.feeTotal, policy.total_bps],
  ] as const;
  return (
    <Panel title={texts.feesTitle}>
      <dl className="flex flex-col gap-1 text-sm">
        {rows.map(([label, bps]) => (
          <div
            key={label}
            className="flex justify-between gap-4 last:border-t last:border-line last:pt-1 last:font-semibold"
          >
            <dt className="text-muted">{label}</dt>
            <dd>{formatShare(bps)}</dd>
          </div>
        ))}
      </dl>
      {effective === policy.total_bps ? null : (
        <p className="mt-2 text-sm text-muted">{texts.feeEffective(formatShare(effective))}</p>
      )}
    </Panel>
  );
}
