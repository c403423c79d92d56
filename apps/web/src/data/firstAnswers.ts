import type { QueryClient } from "@tanstack/react-query";
import { getKey, type ReadName } from "./queries.ts";
import { tokenOptions } from "./tokenQueries.ts";

type FirstAnswer = { operation: ReadName; input: { address?: string }; answer: unknown };

/**
 * Fills the cache with the answers that the server put into the HTML, by operation and input as `getKey` has them, so that
 * the first page is drawn without a request. Call it before the first render.
 *
 * @param text - The content of the element; null where the HTML has none.
 */
export function addFirstAnswers(client: QueryClient, text: string | null | undefined): void {
  if (!text) return;
  for (const { operation, input, answer } of JSON.parse(text) as FirstAnswer[]) {
    client.setQueryData<unknown>(toKey(operation, input), answer);
  }
}

/** An address in a URL has any case; the queries of a token have one. */
function toKey(operation: ReadName, input: FirstAnswer["input"]) {
  const { address } = input;
  return operation === "getToken" && address !== undefined
    ? tokenOptions(address).queryKey
    : getKey(operation, input as never);
}
