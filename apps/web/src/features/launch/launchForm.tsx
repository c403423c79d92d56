import { ApiError } from "@slipway/sdk/apiError";
import { useMutation } from "@tanstack/react-query";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useChain, useConnection, useServices, useSession } from "../../session/services.tsx";
import { useSignInThen } from "../../session/useSignInThen.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { noFaults, readRefusedField, useFieldFaults } from "../../ui/useFieldFaults.ts";
import { findUrl, keepPicture } from "./chosenPicture.tsx";
import { DetailsSection } from "./detailsSection.tsx";
import { findLaunchFaults } from "./findLaunchFaults.ts";
import { FoldedCards } from "./foldedCards.tsx";
import { createFields, dropChanged, isKept, type LaunchFields, saveForm, toIntent, toOptions } from "./formState.ts";
import { saveOpeningTerms, toOpeningTerms } from "./openingTerms.ts";
import { useKeptPicture } from "./useKeptPicture.ts";
import { toChecksum, useSavedForm } from "./useSavedForm.ts";
import { saveVanitySuffix } from "./vanitySuffix.ts";

/** The launch form. It stores a draft; the next page shows and launches it. */
export function LaunchForm({ onStored }: { onStored: (draftId: string) => void }) {
  const { launch: text } = useMessages();
  const { api, storage } = useServices();
  const chain = useChain();
  const { address } = useConnection();
  const { status: sessionStatus, session } = useSession();
  const { form: formElement, faults, show, update } = useFieldFaults();
  const { form, setForm, keep } = useSavedForm(address, () => {
    picture.choose(null);
    show(noFaults);
  });
  const { fields, key } = form;
  const picture = useKeptPicture(key);
  const { file } = picture;
  const change = (changed: Partial<LaunchFields>) => {
    const next = { ...fields, ...changed };
    keep({ ...form, fields: next });
    update((shown) => dropChanged(shown, fields, next));
  };

  /** Shows the faults of the form, and asks for the sign-in only if there are none. */
  const checkAndSignIn = async () => {
    const wrong = chain === null ? noFaults : await findLaunchFaults(fields, file, chain.id, text);
    show(wrong);
    if (wrong.size === 0) signIn();
  };

  /** Stores the draft. Returns its id, or null where a field is wrong. */
  const storeDraft = async (): Promise<string | null> => {
    const wrong = chain === null ? noFaults : await findLaunchFaults(fields, file, chain.id, text);
    show(wrong);
    if (chain === null || wrong.size > 0) return null;
    const uploaded = file === null ? null : await api.uploadImage({ file });
    if (uploaded !== null) keepPicture(storage, uploaded);
    const imageUri = uploaded?.uri ?? fields.imageUri;
    const intent = toIntent({ ...fields, imageUri }, chain.id);
    const content = JSON.stringify(intent);
    // A key makes one draft: other content needs another key.
    const draftKey = form.submitted === null || form.submitted === content ? key : crypto.randomUUID();
    keep({ fields: { ...fields, imageUri }, key: draftKey, submitted: content });
    const { id } = await api.createIntent(intent, { idempotencyKey: draftKey });
    await api.putIntentOptions({ id, ...toOptions(fields) });
    saveVanitySuffix(storage, id, fields.vanity.toLowerCase());
    saveOpeningTerms(storage, id, toOpeningTerms(fields));
    return id;
  };
  const store = useMutation({
    mutationFn: storeDraft,
    onSuccess: (id) => {
      if (id === null) return;
      // The draft has the uploaded picture.
      picture.choose(null);
      onStored(id);
    },
    onError: (refused) => {
      if (isSignedOut(refused)) {
        session.lost();
        signIn();
      } else show(readRefusedField(refused));
    },
  });
  // A sign-in with another account removes the form first.
  const { signIn, dialog } = useSignInThen(() => {
    if (isKept(storage, form)) store.mutate();
  });
  const isShownElsewhere = isSignedOut(store.error) || readRefusedField(store.error).size > 0;
  const reset = () => {
    saveForm(storage, null);
    setForm({ fields: createFields(toChecksum(address)), key: crypto.randomUUID(), submitted: null });
    picture.choose(null);
    show(noFaults);
    store.reset();
  };

  return (
    <form ref={formElement} noValidate className="flex flex-col gap-6" onSubmit={(event) => event.preventDefault()}>
      <DetailsSection
        {...{ fields, change, faults, file }}
        onFile={(chosen) => {
          picture.choose(chosen);
          change({});
        }}
        current={findUrl(storage, fields.imageUri) ?? undefined}
      />
      <FoldedCards
        fields={fields}
        change={change}
        faults={faults}
        own={address}
        symbol={chain?.currency.symbol ?? "ETH"}
      />
      {faults.size > 0 ? (
        <Notice live tone="error">
          {text.faults}
        </Notice>
      ) : null}
      {store.error === null || isShownElsewhere ? null : (
        <ErrorNote error={store.error} title={text.title} onRetry={() => store.mutate()} />
      )}
      <ActionButton
        busy={store.isPending || sessionStatus === "unknown"}
        onClick={() => (sessionStatus === "signed_out" ? void checkAndSignIn() : store.mutate())}
      >
        {store.isPending ? text.storing : sessionStatus === "signed_out" ? text.signInFirst : text.continue}
      </ActionButton>
      <p className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
        {text.saved}
        <Button size="sm" variant="quiet" onClick={reset}>
          {text.reset}
        </Button>
      </p>
      {dialog}
    </form>
  );
}

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
