import type { Settings } from "@slipway/protocol/settings";
import { useMessages } from "../../messages/useMessages.ts";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { Icon } from "../../ui/icon.tsx";

type Row = { name: string; configured: boolean; reason: string | null };

/** The capabilities of this deployment, and why others are unavailable. */
export function CapabilityTable({ settings }: { settings: Settings | undefined }) {
  const { status } = useMessages();
  const columns: Column<Row>[] = [
    {
      key: "name",
      header: status.capability,
      render: ({ name, reason }) => (
        <>
          {status.names[name] ?? name}
          {reason === null ? null : <span className="block text-xs text-muted">{reason}</span>}
        </>
      ),
    },
    {
      key: "state",
      header: status.state,
      className: "whitespace-nowrap",
      render: ({ configured }) => (
        <span className={`inline-flex items-center gap-1 font-semibold ${configured ? "text-buy" : "text-warn"}`}>
          <Icon name={configured ? "check" : "close"} size={14} />
          {configured ? status.on : status.off}
        </span>
      ),
    },
  ];
  const rows = settings && Object.entries(settings.capabilities).map(([name, state]) => ({ name, ...state }));
  return (
    <section aria-labelledby="capabilities" className="panel self-start overflow-hidden">
      <h2 id="capabilities" className="px-4 pt-4 text-base font-bold">
        {status.capabilities}
      </h2>
      <DataTable
        caption={status.capabilities}
        columns={columns}
        rows={rows}
        getKey={({ name }) => name}
        rowClassName="h-11"
      />
    </section>
  );
}
