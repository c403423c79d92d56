import { ApiError } from "@slipway/sdk/apiError";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { getAddress } from "viem/utils";
import { linkNames } from "../../data/linkNames.ts";
import { parseAmount } from "../../format/amount.ts";
import { formatShare } from "../../format/figures.ts";
import type { Messages } from "../../messages/messages.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { SignInDialog } from "../../session/lazySignInDialog.ts";
import { useChain, useConnection, useServices, useSession } from "../../session/services.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { ImageField } from "../../ui/imageField.tsx";
import { importFile } from "../../ui/importFile.ts";
import { Notice } from "../../ui/notice.tsx";
import { type FieldFaults, noFaults, readRefusedField, useFieldFaults } from "../../ui/useFieldFaults.ts";
import { findUrl, keepPicture } from "./chosenPicture.tsx";
import { FoldedCards } from "./foldedCards.tsx";
import {
  createFields,
  dropChanged,
  isKept,
  type LaunchFields,
  loadForm,
  type SavedForm,
  saveForm,
  sumShares,
  toIntent,
  toOptions,
  wholeBps,
} from "./formState.ts";
import { hasOpening, openingNames, saveOpeningTerms, toOpeningTerms } from "./openingTerms.ts";
import { useKeptPicture } from "./useKeptPicture.ts";
import { isVanitySuffix, saveVanitySuffix } from "./vanitySuffix.ts";
import { hasVesting, toVesting, vestingNames } from "./vestingDays.ts";

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
  const [isSigningIn, setSigningIn] = useState(false);
  const [continues, setContinues] = useState(false);
  const change = (changed: Partial<LaunchFields>) => {
    const next = { ...fields, ...changed };
    keep({ ...form, fields: next });
    update((shown) => dropChanged(shown, fields, next));
  };

  /** Shows the faults of the form, and asks for the sign-in only if there are none. */
  const signIn = async () => {
    const wrong = chain === null ? noFaults : await findFaults(fields, file, chain.id, text);
    show(wrong);
    if (wrong.size === 0) setSigningIn(true);
  };

  /** Stores the draft. Returns its id, or null where a field is wrong. */
  const storeDraft = async (): Promise<string | null> => {
    const wrong = chain === null ? noFaults : await findFaults(fields, file, chain.id, text);
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
    networkMode: "always",
    onSuccess: (id) => {
      if (id === null) return;
      // The draft has the uploaded picture.
      picture.choose(null);
      onStored(id);
    },
    onError: (refused) => {
      if (isSignedOut(refused)) {
        session.lost();
        setSigningIn(true);
      } else show(readRefusedField(refused));
    },
  });
  // In an effect of the next render: a sign-in with another account removes the form first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the sign-in is the only reason to store
  useEffect(() => {
    if (!continues) return;
    setContinues(false);
    if (isKept(storage, form)) store.mutate();
  }, [continues]);
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
        onClick={() => (sessionStatus === "signed_out" ? void signIn() : store.mutate())}
      >
        {store.isPending ? text.storing : sessionStatus === "signed_out" ? text.signInFirst : text.continue}
      </ActionButton>
      <p className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
        {text.saved}
        <Button size="sm" variant="quiet" onClick={reset}>
          {text.reset}
        </Button>
      </p>
      {isSigningIn ? (
        <SignInDialog
          onClose={() => setSigningIn(false)}
          onDone={() => {
            setSigningIn(false);
            setContinues(true);
          }}
        />
      ) : null}
    </form>
  );
}

/** Returns the spelling of an address with its checksum (EIP-55); empty without one. */
const toChecksum = (address: string | null) => (address === null ? "" : getAddress(address));

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Loads and stores the form in this browser. @param onForgotten called when the form left with its account */
function useSavedForm(address: string | null, onForgotten: () => void) {
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

type FoldedProps = { title: string; opens: boolean; children: ReactNode };

/** A section that the user opens, or its content (`opens`). It stays open while the content changes. */
function Folded({ title, opens, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(opens);
  return (
    <details open={isOpen || opens} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-8 rounded-sm font-semibold">{title}</summary>
      {children}
    </details>
  );
}

/** Returns the faults of the form, including a missing picture. A chosen file counts as a picture before its upload. */
async function findFaults(
  fields: LaunchFields,
  file: File | null,
  chainId: number,
  text: Messages["launch"],
): Promise<FieldFaults> {
  const { findFormFaults } = await importFile(() => import("./findFormFaults.ts"));
  const checked = file === null ? fields : { ...fields, imageUri: "https://picture.invalid/" };
  const found = new Map(findFormFaults(toIntent(checked, chainId), toOptions(fields)));
  if ((fields.initialBuy !== "" || hasVesting(fields)) && parseAmount(fields.initialBuy, 18) === null)
    found.set("initial_buy", text.amountError);
  if (hasVesting(fields) && toVesting(fields, Date.now()) === null)
    for (const name of vestingNames) found.set(name, text.vestingError);
  if (!isVanitySuffix(fields.vanity)) found.set("vanity", text.vanityError);
  if (hasOpening(fields)) {
    if (toOpeningTerms(fields) === null) for (const name of openingNames) found.set(name, text.openingError);
    if (fields.initialBuy !== "") found.set("initial_buy", text.openingBuyError);
    if (fields.vanity !== "") found.set("vanity", text.openingVanityError);
    if (fields.creator !== "") found.set("creator", text.openingCreatorError);
  }
  // The service counts in basis points, the form in percent.
  const sum = sumShares(fields.recipients);
  if (found.has("recipients") && sum !== wholeBps) found.set("recipients", text.sharesError(formatShare(sum)));
  if (found.has("image_uri") && fields.imageUri === "") found.set("image_uri", text.imageMissing);
  return found;
}

type DetailsSectionProps = {
  fields: LaunchFields;
  change: (changed: Partial<LaunchFields>) => void;
  faults: FieldFaults;
  file: File | null;
  onFile: (file: File | null) => void;
  /** The uploaded picture, after the draft was stored. */
  current: string | undefined;
};

/** Name, symbol and picture; the other fields are folded. */
function DetailsSection({ fields, change, faults, file, onFile, current }: DetailsSectionProps) {
  const { launch: text, tokenLinks } = useMessages();
  const fault = (name: string) => faults.get(name) ?? null;
  const hasFoldedFault =
    ["description", "website"].some((name) => faults.has(name)) ||
    [...faults.keys()].some((name) => name.startsWith("links"));
  return (
    <section aria-labelledby="launch-details" className="panel flex flex-col gap-4 p-4">
      <h2 id="launch-details" className="text-base font-bold">
        {text.details}
      </h2>
      <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
        <Field label={text.name} error={fault("name")} required>
          {(control) => (
            <Input
              {...control}
              value={fields.name}
              maxLength={64}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label={text.symbol} hint={text.symbolHint} error={fault("symbol")} required>
          {(control) => (
            <Input
              {...control}
              value={fields.symbol}
              maxLength={12}
              autoCapitalize="characters"
              onChange={(event) => change({ symbol: event.target.value })}
            />
          )}
        </Field>
      </div>
      <ImageField
        file={file}
        current={current}
        uri={fields.imageUri}
        error={fault("image_uri")}
        onFile={onFile}
        onUri={(imageUri) => change({ imageUri })}
      />
      <Folded title={text.more} opens={hasFoldedFault}>
        <div className="flex flex-col gap-4 pt-3">
          <Field label={text.description} error={fault("description")}>
            {(control) => (
              <TextArea
                {...control}
                value={fields.description}
                maxLength={1000}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
          <Field label={text.website} error={fault("website")}>
            {(control) => (
              <Input
                {...control}
                value={fields.website}
                placeholder="https://"
                onChange={(event) => change({ website: event.target.value })}
              />
            )}
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            {linkNames.map((name) => (
              <Field key={name} label={tokenLinks[name]} error={fault(`links.${name}`)}>
                {(control) => (
                  <Input
                    {...control}
                    value={fields.links[name]}
                    placeholder="https://"
                    onChange={(event) => change({ links: { ...fields.links, [name]: event.target.value } })}
                  />
                )}
              </Field>
            ))}
          </div>
        </div>
      </Folded>
    </section>
  );
}
