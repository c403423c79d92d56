import { ApiError } from "@slipway/sdk/apiError";
import type { Client, MethodName } from "@slipway/sdk/createLeanClient";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { isOlder } from "./isOlder.ts";

/** The operations that only read. */
export type ReadName = Extract<MethodName, `get${string}` | `list${string}` | `find${string}`>;
export type Input<Name extends MethodName> = Parameters<Client[Name]>[0];
export type Answer<Name extends MethodName> = Awaited<ReturnType<Client[Name]>>;

/** A read that waits longer than this shows its error instead, with a button to try it again. */
const maxWaitSeconds = 10;
const maxRetries = 2;

/** Reads are repeated when the service says that they may succeed later; everything else is repeated by the person. */
const retries = {
  retry: (failures: number, error: Error) =>
    error instanceof ApiError &&
    error.retryable &&
    failures < maxRetries &&
    (error.retryAfterSeconds ?? 0) <= maxWaitSeconds,
  retryDelay: (failures: number, error: Error) =>
    ((error instanceof ApiError ? error.retryAfterSeconds : null) ?? 2 ** failures) * 1_000,
};

/** The key of a query: the operation and its input. All queries of an operation have the key that begins with its name. */
export const getKey = <Name extends ReadName>(name: Name, input: Input<Name>) =>
  (input === undefined ? [name] : [name, input]) as readonly [Name, Input<Name>?];

/**
 * Query options of an operation that reads: `useQuery(readOptions("getToken", { address }))`. An answer that is older
 * than what is shown, by the block that both name, is dropped.
 */
export function readOptions<Name extends ReadName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: getKey(name, input),
    queryFn: async ({ client, queryKey, signal }): Promise<Answer<Name>> => {
      const answer = await call(name, input, signal);
      const shown = client.getQueryData<Answer<Name>>(queryKey);
      return shown !== undefined && isOlder(answer, shown) ? shown : answer;
    },
    ...retries,
  });
}

/** Where the page after an answer begins; the API names it in one of two ways. */
type PageStart = { cursor: string } | { before: string | number };
type PageAnswer = { next_cursor?: string | null; next_before?: string | number | null };

function getNextPage({ next_cursor, next_before }: PageAnswer): PageStart | null {
  if (next_cursor !== undefined && next_cursor !== null) return { cursor: next_cursor };
  return next_before === undefined || next_before === null ? null : { before: next_before };
}

/**
 * Query options of a list page by page: `useInfiniteQuery(pageOptions("listTokenHolders", { address }))`.
 *
 * @param getNext - Where the next page begins, for a list whose first page does not say it.
 */
export function pageOptions<Name extends ReadName>(
  name: Name,
  input: Input<Name>,
  getNext: (page: Answer<Name>) => PageStart | null = (page) => getNextPage(page as PageAnswer),
) {
  return infiniteQueryOptions({
    queryKey: [...getKey(name, input), "pages"] as const,
    queryFn: ({ pageParam, signal }) => call(name, { ...(input as object), ...pageParam } as Input<Name>, signal),
    initialPageParam: null as PageStart | null,
    getNextPageParam: getNext,
    ...retries,
  });
}

function call<Name extends ReadName>(name: Name, input: Input<Name>, signal: AbortSignal): Promise<Answer<Name>> {
  const method = api[name] as (input: Input<Name>, options: { signal: AbortSignal }) => Promise<Answer<Name>>;
  return method(input, { signal });
}
