import type { DirectorySource } from "@slipway/protocol/businesses";
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";

const maxUnits = 60;

async function readName(client: QueryClient, source: DirectorySource): Promise<string | undefined> {
  const first = { ...readOptions("getDirectory", { source, limit: 1 }), staleTime: Infinity };
  return (await client.fetchQuery(first)).items[0]?.attribution.source_name;
}

/**
 * Returns a function that names sources. Only the listings of an external list contain its name, so this hook reads the
 * first listing of each external list once.
 *
 * @returns the name of a source; a general name until its listing loads, or if the listing has no name
 */
export function useSourceNames(sources: readonly DirectorySource[]): (source: DirectorySource) => string {
  const { directory } = useMessages();
  const client = useQueryClient();
  const lists = [...new Set(sources)].filter((source) => source.startsWith("partner"));
  const { data } = useQuery({
    queryKey: ["sourceNames", lists],
    queryFn: () => Promise.all(lists.map(async (source) => [source, await readName(client, source)] as const)),
    enabled: lists.length > 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const names = new Map(data);
  return (source) => {
    const name = names.get(source);
    return name ? toDisplayText(name, maxUnits) : directory.sources[source];
  };
}
