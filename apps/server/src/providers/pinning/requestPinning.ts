import type { z } from "zod";
import type { Secret } from "../../secret.ts";
import { readLimitedText } from "../readLimitedText.ts";
import { PinningError } from "./pinningService.ts";

/** More than any response of these services. */
const maxAnswerBytes = 256 * 1024;

/**
 * Sends a request to a pinning service and parses its response. Refuses redirects, because the token is for one host.
 *
 * @param options.readJson - Parses the text of the response; default: JSON.
 * @throws PinningError
 */
export async function requestPinning<T>(
  url: string,
  options: {
    method: "GET" | "POST";
    token: Secret | undefined;
    schema: z.ZodType<T>;
    signal: AbortSignal;
    body?: FormData | object;
    readJson?: (text: string) => unknown;
  },
): Promise<T> {
  const { method, token, schema, signal, body, readJson = JSON.parse } = options;
  const isForm = body instanceof FormData;
  let text: string;
  try {
    const response = await fetch(url, {
      method,
      redirect: "error",
      signal,
      headers: {
        accept: "application/json",
        ...(token && { authorization: `Bearer ${token.revealText()}` }),
        ...(body && !isForm && { "content-type": "application/json" }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    text = await readLimitedText(response, maxAnswerBytes, () => new PinningError("pinning_bad_answer"));
    // 5xx and 429: the service is overloaded or faulty. Other statuses: it refuses the picture or the token.
    if (response.status >= 500 || response.status === 429) throw new PinningError("pinning_unavailable");
    if (!response.ok) throw new PinningError("pinning_refused");
  } catch (error) {
    throw error instanceof PinningError ? error : new PinningError("pinning_unavailable", { cause: error });
  }
  try {
    return schema.parse(readJson(text));
  } catch (error) {
    throw new PinningError("pinning_bad_answer", { cause: error });
  }
}

/** Creates a form with the picture as its part `file`. */
export function createFileForm(name: string, bytes: Uint8Array): FormData {
  const form = new FormData();
  form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  return form;
}

/** @throws PinningError `pinning_mismatch`. */
export function requireCid(answered: string, wanted: string): void {
  if (answered !== wanted) throw new PinningError("pinning_mismatch");
}
