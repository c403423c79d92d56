import { createVanitySearch, type VanitySalt, type VanityTerms } from "@slipway/protocol/vanitySearch";

/** A message of the worker: the progress of its search every few thousand salts, then the salt. */
export type VanityMessage = { tried: number; expected: number; found: VanitySalt | null };

/** Salts between two messages: a fraction of a second. */
const saltsTogether = 2_000;

// The page ends a search by ending the worker.
addEventListener("message", ({ data }: MessageEvent<VanityTerms>) => {
  const search = createVanitySearch(data);
  for (let found: VanitySalt | null = null; found === null; ) {
    found = search.tryNext(saltsTogether);
    postMessage({ tried: search.tried(), expected: search.expected, found } satisfies VanityMessage);
  }
});
