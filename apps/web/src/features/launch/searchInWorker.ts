import type { VanitySalt, VanityTerms } from "@slipway/protocol/vanitySearch";
import { toScriptUrl } from "../../ui/toScriptUrl.ts";
import type { VanityMessage } from "./vanityWorker.ts";
// oxlint-disable-next-line import/default -- Vite exports the URL of the built worker.
import workerUrl from "./vanityWorker.ts?worker&url";

/** The number of tried salts, and the mean number of salts that a search tries. */
export type VanityProgress = Pick<VanityMessage, "tried" | "expected">;

/**
 * Searches a salt in a worker, because the search uses a whole core.
 *
 * @throws the reason of `signal`; Error if the worker does not load or fails
 */
export function searchInWorker(
  terms: VanityTerms,
  onProgress: (progress: VanityProgress) => void,
  signal: AbortSignal,
): Promise<VanitySalt> {
  const worker = new Worker(toScriptUrl("vanity", workerUrl), { type: "module" });
  const search = new Promise<VanitySalt>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.addEventListener("error", () => reject(new Error("The search failed.")));
    worker.addEventListener("message", ({ data }: MessageEvent<VanityMessage>) => {
      onProgress(data);
      if (data.found !== null) resolve(data.found);
    });
    worker.postMessage(terms);
  });
  return search.finally(() => worker.terminate());
}
