import { ApiError } from "@slipway/sdk/apiError";
import type { Client, MethodName } from "@slipway/sdk/createLazyClient";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { isOlder } from "./isOlder.ts";

/** Names of the read operations. */
export type ReadName = Extract<MethodName, `get${string}` | `list${string}` | `find${string}`>;
export type Input<Name extends MethodName> = Parameters<Client[Name]>[0];
export type Answer<Name extends MethodName> = Awaited<ReturnType<Client[Name]>>;

/** The longest wait before an automatic retry. For longer waits, the page shows the error with a retry button. */
const maxWaitSeconds = 10;
const maxRetries = 2;

/** Repeats a read if the service says that a later attempt may succeed; the user repeats all other reads. */
const retries = {
  retry: (failures: number, error: Error) =>
    error instanceof ApiError &&
    error.retryable &&
    failures < maxRetries &&
    (error.retryAfterSeconds ?? 0) <= maxWaitSeconds,
  retryDelay: (failures: number, error: Error) =>
    ((error instanceof ApiError ? error.retryAfterSeconds : null) ?? 2 ** failures) * 1_000,
};

/** Returns the key of a query: the operation and its input. `[operation]` is a prefix of all keys of the operation. */
export const getKey = <Name extends ReadName>(name: Name, input: Input<Name>) =>
  (input === undefined ? [name] : [name, input]) as readonly [Name, Input<Name>?];

/**
 * Returns query options of a read operation: `useQuery(readOptions("getToken", { address }))`. Drops a response of an
 * older block than the shown data.
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

/** The start of the next page. The API names it `cursor` or `before`. */
type PageStart = { cursor: string } | { before: string | number };
type PageAnswer = { next_cursor?: string | null; next_before?: string | number | null };

function getNextPage({ next_cursor, next_before }: PageAnswer): PageStart | null {
  if (next_cursor !== undefined && next_cursor !== null) return { cursor: next_cursor };
  return next_before === undefined || next_before === null ? null : { before: next_before };
}

/** Returns query options of a paged list: `useInfiniteQuery(pageOptions("listTokenHolders", { address }))`. */
export function pageOptions<Name extends ReadName>(name: Name, input: Input<Name>) {
  return infiniteQueryOptions({
    queryKey: [...getKey(name, input), "pages"] as const,
    queryFn: ({ pageParam, signal }) => call(name, { ...(input as object), ...pageParam } as Input<Name>, signal),
    initialPageParam: null as PageStart | null,
    getNextPageParam: (page: Answer<Name>) => getNextPage(page as PageAnswer),
    ...retries,
  });
}

function call<Name extends ReadName>(name: Name, input: Input<Name>, signal: AbortSignal): Promise<Answer<Name>> {
  const method = api[name] as (input: Input<Name>, options: { signal: AbortSignal }) => Promise<Answer<Name>>;
  return method(input, { signal });
}
