import { z } from "zod";
import { readLimitedText } from "../readLimitedText.ts";
import { VerifierError } from "./sourceVerifier.ts";

/** More than any response that is read here. */
const maxAnswerBytes = 256 * 1024;

/** Maximum time of a request. Both services answer before they compile. */
export const verifierTimeoutMs = 20_000;

/**
 * Sends a request to a verifier. Refuses redirects, which could name a host that the operator did not choose.
 *
 * @param body - An object is sent as JSON.
 * @param statuses - Expected statuses besides 2xx.
 * @throws VerifierError
 */
export async function requestVerifier(
  url: string,
  signal: AbortSignal,
  { body, statuses = [] }: { body?: FormData | object; statuses?: readonly number[] } = {},
): Promise<{ status: number; body: unknown }> {
  const isForm = body instanceof FormData;
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(verifierTimeoutMs)]),
      headers: { accept: "application/json", ...(body && !isForm && { "content-type": "application/json" }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    status = response.status;
    text = await readLimitedText(response, maxAnswerBytes, () => new VerifierError("verifier_bad_answer"));
  } catch (error) {
    throw error instanceof VerifierError ? error : new VerifierError("verifier_unavailable", { cause: error });
  }
  if (status >= 500 || status === 429) throw new VerifierError("verifier_unavailable");
  const isExpected = (status >= 200 && status < 300) || statuses.includes(status);
  if (!isExpected) throw new VerifierError("verifier_refused");
  try {
    return { status, body: JSON.parse(text) };
  } catch (error) {
    throw new VerifierError("verifier_bad_answer", { cause: error });
  }
}

/** Parses a response. @throws VerifierError `verifier_bad_answer`. */
export function parseAnswer<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new VerifierError("verifier_bad_answer");
  return parsed.data;
}

/** An address in any case. */
export const answeredAddress = z.string().regex(/^0x[0-9a-f]{40}$/i);
