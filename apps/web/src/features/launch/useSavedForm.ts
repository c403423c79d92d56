import { useEffect, useRef, useState } from "react";
import { getAddress } from "viem/utils";
import { useServices, useSession } from "../../session/services.tsx";
import { isKept, loadForm, type SavedForm, saveForm } from "./formState.ts";

/** Returns the spelling of an address with its checksum (EIP-55); empty without one. */
export const toChecksum = (address: string | null) => (address === null ? "" : getAddress(address));

/** Loads and stores the form in this browser. @param onForgotten called when the form left with its account */
export function useSavedForm(address: string | null, onForgotten: () => void) {
  const { storage } = useServices();
  const { accountId } = useSession();
  const [form, setForm] = useState<SavedForm>(() => loadForm(storage, toChecksum(address)));
  // The form leaves the page with its account, because sign-out removes the form from the storage.
  const wasKept = useRef(isKept(storage, form));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the account is the reason to check again
  useEffect(() => {
    if (!wasKept.current || isKept(storage, form)) return;
    wasKept.current = false;
    setForm(loadForm(storage, toChecksum(address)));
    onForgotten();
  }, [accountId]);
  // Fills in the connected wallet as the first recipient.
  useEffect(() => {
    if (address === null) return;
    setForm((now) => {
      const [only, ...others] = now.fields.recipients;
      if (only === undefined || only.wallet !== "" || others.length > 0) return now;
      return { ...now, fields: { ...now.fields, recipients: [{ ...only, wallet: toChecksum(address) }] } };
    });
  }, [address]);
  const keep = (next: SavedForm) => {
    setForm(next);
    saveForm(storage, next);
    wasKept.current = true;
  };
  return { form, setForm, keep };
}
