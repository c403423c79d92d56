import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../data/queries.ts";
import { CapabilityTable } from "../features/status/capabilityTable.tsx";
import { ContractTable } from "../features/status/contractTable.tsx";
import { DeploymentPanel } from "../features/status/deploymentPanel.tsx";
import { IndexPanel } from "../features/status/indexPanel.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";

const refetchInterval = 10_000;

export function StatusPage() {
  const { status } = useMessages();
  const settings = useQuery({ ...readOptions("getConfig", undefined), refetchInterval });
  const analytics = useQuery({ ...readOptions("getAnalytics", undefined), refetchInterval });
  return (
    <div className="page">
      <PageHead title={status.title} lead={status.lead} />
      {analytics.error ? (
        <ErrorNote
          error={analytics.error}
          onRetry={() => void analytics.refetch()}
          busy={analytics.isFetching}
          className="mb-4"
        />
      ) : null}
      {settings.error ? (
        <ErrorNote
          error={settings.error}
          onRetry={() => void settings.refetch()}
          busy={settings.isFetching}
          className="mb-4"
        />
      ) : null}
      <div className="grid grid-cols-1 gap-4 *:min-w-0 lg:grid-cols-2">
        {analytics.error && !analytics.data ? null : <IndexPanel analytics={analytics.data} />}
        {settings.error && !settings.data ? null : (
          <>
            <DeploymentPanel settings={settings.data} />
            <CapabilityTable settings={settings.data} />
            <ContractTable settings={settings.data} />
          </>
        )}
      </div>
    </div>
  );
}
