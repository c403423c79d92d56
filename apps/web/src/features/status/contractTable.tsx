import type { Settings } from "@slipway/protocol/settings";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";

type Row = { name: string; address: string };

/** The contracts of the pinned manifest, with their manifest names. */
export function ContractTable({ settings }: { settings: Settings | undefined }) {
  const { status } = useMessages();
  const columns: Column<Row>[] = [
    {
      key: "name",
      header: status.contract,
      render: ({ name }) => (
        <span className="inline-block first-letter:uppercase">
          {status.contractNames[name] ?? name.replaceAll("_", " ")}
        </span>
      ),
    },
    {
      key: "address",
      header: status.address,
      numeric: true,
      render: ({ address }) => <Address value={address} to={null} copy />,
    },
  ];
  const rows = settings && Object.entries(settings.contracts).map(([name, address]) => ({ name, address }));
  return (
    <section aria-labelledby="contracts" className="panel self-start overflow-hidden">
      <h2 id="contracts" className="px-4 pt-4 text-base font-bold">
        {status.contracts}
      </h2>
      <DataTable
        caption={status.contracts}
        columns={columns}
        rows={rows}
        getKey={({ name }) => name}
        rowClassName="h-11"
      />
    </section>
  );
}
