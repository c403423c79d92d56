import "./jitless.ts";
import { SlipwayError } from "@slipway/protocol/errors";
import { checkAllocations, type Intent, intent } from "@slipway/protocol/intent";
import { type LaunchOptionsRequest, launchOptionsRequest, linkNames, parseLink } from "@slipway/protocol/launchOptions";

/** What is wrong in a form, by the path of the field, e.g. `recipients.0.wallet`. */
export type FormFaults = ReadonlyMap<string, string>;

/** Checks a draft and its options with the service's own schemas. Loaded when a form is sent. */
export function findFormFaults(draft: Intent, options: LaunchOptionsRequest | null): FormFaults {
  const faults = new Map<string, string>();
  const add = (path: readonly PropertyKey[], message: string) => {
    const key = path.join(".");
    if (!faults.has(key)) faults.set(key, message);
  };
  for (const { path, message } of intent.safeParse(draft).error?.issues ?? []) add(path, message);
  for (const { path, message } of (options && launchOptionsRequest.safeParse(options).error?.issues) ?? [])
    add(path, message);
  for (const name of linkNames) {
    const value = options?.links?.[name];
    const parsed = value ? parseLink(name, value) : null;
    if (parsed !== null && !parsed.ok)
      add(["links", name], "message" in parsed ? String(parsed.message) : "is no link");
  }
  try {
    checkAllocations(draft.recipients ?? []);
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    add([toPath(error.field ?? "recipients")], error.message);
  }
  return faults;
}

/** A field as the service names it, `recipients[0].wallet`, as a path of the form. */
export const toPath = (field: string): string => field.replace(/\[(\d+)\]/g, ".$1");
