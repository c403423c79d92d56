import "./jitless.ts";
import { SlipwayError } from "@slipway/protocol/errors";
import { checkAllocations, type Intent, intent } from "@slipway/protocol/intent";
import { type LaunchOptionsRequest, launchOptionsRequest, linkNames, parseLink } from "@slipway/protocol/launchOptions";
import { type FieldFaults, toFieldPath } from "../../ui/useFieldFaults.ts";

/** Checks a draft and its options with the schemas of the service. Loaded when a form is sent. */
export function findFormFaults(draft: Intent, options: LaunchOptionsRequest | null): FieldFaults {
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
    add([toFieldPath(error.field ?? "recipients")], error.message);
  }
  return faults;
}
