import type { QueryClient } from "@tanstack/react-query";
import { getKey, type ReadName } from "./queries.ts";
import { tokenOptions } from "./tokenQueries.ts";

type FirstAnswer = { operation: ReadName; input: { address?: string }; answer: unknown };

/**
 * Fills the query cache with the first answers in the HTML, by the keys of `getKey`, so that the first page renders
 * without a request. Call it before the first render.
 *
 * @param text - The content of the element; null if the HTML has none.
 */
export function addFirstAnswers(client: QueryClient, text: string | null | undefined): void {
  if (!text) return;
  for (const { operation, input, answer } of JSON.parse(text) as FirstAnswer[]) {
    client.setQueryData<unknown>(toKey(operation, input), answer);
  }
}

/** Returns the query key. Converts a token address to lower case, because a URL may have any case. */
function toKey(operation: ReadName, input: FirstAnswer["input"]) {
  const { address } = input;
  return operation === "getToken" && address !== undefined
    ? tokenOptions(address).queryKey
    : getKey(operation, input as never);
}
