import { Readable } from "node:stream";
import { readBody } from "../outside/readBody.ts";

/** How long a provider may take for one answer. */
const patienceMs = 10_000;
/** No answer about one user is longer. */
const maxAnswerBytes = 256 * 1024;

/** A request as providers are asked; `form` makes it a POST. */
export type ProviderRequest = { headers: Record<string, string>; form?: Record<string, string> };

/**
 * Asks an OAuth server for JSON. Its URL comes from the operator; its answers may be late, endless or anything.
 *
 * @returns what it says, unknown; null when it refuses.
 * @throws when there is no answer in time, or none that is JSON of a sensible size.
 */
export async function askProvider(url: string, { headers, form }: ProviderRequest): Promise<unknown> {
  const response = await fetch(url, {
    method: form === undefined ? "GET" : "POST",
    headers: { accept: "application/json", "user-agent": "slipway", ...headers },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: "error",
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return null;
  }
  // Decompressed by fetch already.
  const bytes = await readBody(Readable.fromWeb(response.body as never), {}, maxAnswerBytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}
