import { ApiError } from "@slipway/sdk/apiError";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** The error message of each field, by the path of the field in the form, for example `recipients.0.wallet`. */
export type FieldFaults = ReadonlyMap<string, string>;

export const noFaults: FieldFaults = new Map();

export type ShownFaults = {
  /** The form element. The first invalid field in it gets the focus when faults are shown. */
  form: RefObject<HTMLFormElement | null>;
  faults: FieldFaults;
  /** Replaces the faults after a check or a refusal, and focuses the first invalid field. */
  show: (faults: FieldFaults) => void;
  /** Removes the faults that an edit of the form has made obsolete; the focus stays. */
  update: (change: (shown: FieldFaults) => FieldFaults) => void;
};

/** Shows the errors of a form's fields. An edited field loses its error until the next check. */
export function useFieldFaults(): ShownFaults {
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState(noFaults);
  const [checks, setChecks] = useState(0);
  const show = useCallback((next: FieldFaults) => {
    setFaults(next);
    setChecks((count) => count + 1);
  }, []);
  useEffect(() => {
    // No field is invalid before the first check.
    if (checks > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [checks]);
  return { form, faults, show, update: setFaults };
}

/** Returns the faults without that of one field. */
export function withoutField(faults: FieldFaults, field: string): FieldFaults {
  if (!faults.has(field)) return faults;
  return new Map([...faults].filter(([name]) => name !== field));
}

/** Returns the field that the service refused: `recipients[0].wallet` becomes `recipients.0.wallet`. Empty for other errors. */
export function readRefusedField(error: unknown): FieldFaults {
  if (!(error instanceof ApiError) || error.field === undefined) return noFaults;
  return new Map([[toFieldPath(error.field), error.message]]);
}

/** Converts a field name of the service into a path of the form. */
export const toFieldPath = (field: string): string => field.replace(/\[(\d+)\]/g, ".$1");
