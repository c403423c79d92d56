import { defaultFeeBps, protocolFeeBps } from "@slipway/protocol/feeTiers";
import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Select } from "../../ui/select.tsx";
import { FoldedCard } from "./foldedCard.tsx";

type FeeTierCardProps = {
  /** In basis points. */
  value: number;
  error: string | null;
  onChange: (feeBps: number) => void;
};

/** The choice of the trading fee among the tiers that launch on this chain. Renders nothing if only the default launches. */
export function FeeTierCard({ value, error, onChange }: FeeTierCardProps) {
  const { launch: text } = useMessages();
  const { data: settings } = useQuery({ ...readOptions("getConfig", undefined), staleTime: Infinity });
  const launchable = settings?.fee_policy.tiers.filter((tier) => tier.launchable) ?? [];
  if (launchable.every(({ fee_bps }) => fee_bps === defaultFeeBps)) return null;
  return (
    <FoldedCard title={text.feeTier} value={formatShare(value)} opens={error !== null}>
      <Select
        label={text.feeTier}
        hint={value === protocolFeeBps ? text.feeTierProtocolOnly : text.feeTierHint(formatShare(protocolFeeBps))}
        error={error}
        value={String(value)}
        options={launchable.map(({ fee_bps, collaborators_bps }) => ({
          value: String(fee_bps),
          label: text.feeTierOption(formatShare(fee_bps), formatShare(collaborators_bps)),
        }))}
        onChange={(chosen) => onChange(Number(chosen))}
      />
    </FoldedCard>
  );
}
