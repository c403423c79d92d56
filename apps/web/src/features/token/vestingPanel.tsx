import type { TokenDetail } from "@slipway/protocol/indexed";
import type { TokenVesting } from "@slipway/protocol/vestings";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { readOptions } from "../../data/queries.ts";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { formatFraction } from "../../format/share.ts";
import { formatCompleteTime } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useConnection, useServices } from "../../session/services.tsx";
import { useFlow, useRestoredFlow } from "../../session/useFlow.ts";
import { Address } from "../../ui/address.tsx";
import { Panel } from "../../ui/panel.tsx";
import { createReleaseFlow, getReleaseFlow, type ReleaseOrder } from "./releaseFlow.ts";

const toDate = (seconds: number) => formatCompleteTime(new Date(seconds * 1_000));

/** The vesting of the initial buy, with the release of its vested part. Renders nothing for a token without one. */
export function VestingPanel({ token }: { token: TokenDetail }) {
  const { data } = useQuery({ ...readOptions("getTokenVesting", { address: token.address }), staleTime: 10_000 });
  const vesting = data?.vesting;
  return vesting ? <VestingOf token={token} vesting={vesting} /> : null;
}

function VestingOf({ token, vesting }: { token: TokenDetail; vesting: NonNullable<TokenVesting["vesting"]> }) {
  const { vesting: text } = useMessages().token;
  const services = useServices();
  const client = useQueryClient();
  const { address: wallet } = useConnection();
  const running = useFlow();
  const { state, flow } = running;
  useRestoredFlow(
    getReleaseFlow(token.address),
    ({ request }) => createReleaseFlow(services.api, request as ReleaseOrder),
    running,
  );
  useEffect(() => {
    if (state.phase === "done") void client.invalidateQueries({ queryKey: ["getTokenVesting"] });
  }, [state.phase, client]);
  const release = async () => {
    if (wallet === null) return;
    const order = { token: token.address, wallet, vesting: vesting.address };
    await running.start(createReleaseFlow(services.api, order));
  };
  const toAmount = (amount: string) => `${formatAmount(BigInt(amount), 18)} ${toDisplayText(token.symbol)}`;
  const rows = [
    [text.begins, toDate(vesting.cliff)],
    [text.ends, toDate(vesting.end)],
    [text.received, toAmount(vesting.received)],
    [text.released, toAmount(vesting.released)],
    [text.releasable, toAmount(vesting.releasable)],
  ];
  return (
    <Panel title={text.title}>
      <p className="text-sm">{text.lead(formatFraction(vesting.locked_share_of_supply), toDate(vesting.end))}</p>
      <dl className="mt-2 flex flex-col gap-1 text-sm">
        {rows.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-4">
            <dt className="text-muted">{label}</dt>
            <dd className="text-end">{value}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-4">
          <dt className="text-muted">{text.beneficiary}</dt>
          <dd>
            <Address value={vesting.beneficiary} />
          </dd>
        </div>
      </dl>
      <div className="mt-3 flex flex-col gap-3">
        {flow === null ? (
          vesting.releasable === "0" ? null : (
            <ActionButton disabled={wallet === null} onClick={() => void release()}>
              {text.release}
            </ActionButton>
          )
        ) : (
          <FlowSteps state={state} flow={flow} onRestart={running.clear} />
        )}
      </div>
    </Panel>
  );
}
