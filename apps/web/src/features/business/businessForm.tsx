import type { BusinessInput } from "@slipway/protocol/businesses";
import { ApiError } from "@slipway/sdk/apiError";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { ImageField } from "../../ui/imageField.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { type FieldFaults, noFaults, useFieldFaults, withoutField } from "../../ui/useFieldFaults.ts";
import { type BusinessFields, toBusinessInput, toFaults } from "./businessFields.ts";
import { Choice, ContactPanel, Line, Lines, PlacePanel, pairs } from "./businessPanels.tsx";

type BusinessFormProps = {
  start: BusinessFields;
  /** The stored picture of an edited listing. */
  picture?: string | undefined;
  /** Stores the listing. `key` identifies this content, so that a repeated request does not publish it twice. */
  store: (input: BusinessInput, key: string) => Promise<{ id: string }>;
  onStored: (id: string) => void;
  /** Renders the submit button. */
  button: (send: () => void, busy: boolean) => ReactNode;
};

/** The form of a listing. It keeps the input after a refusal and shows the service's faults at their fields. */
export function BusinessForm({ start, picture, store, onStored, button }: BusinessFormProps) {
  const { directory, business: text } = useMessages();
  const { api } = useServices();
  const { data: settings } = useQuery({ ...readOptions("getConfig", undefined), staleTime: Infinity });
  const [fields, setFields] = useState(start);
  const { form, faults, show, update } = useFieldFaults();
  const [file, setFile] = useState<File | null>(null);
  const attempt = useRef({ key: crypto.randomUUID() as string, content: "", file: null as File | null, uri: "" });
  const send = useSignedInChange(async () => {
    show(noFaults);
    const last = attempt.current;
    if (file !== null && last.file !== file) {
      last.uri = (await api.uploadImage({ file })).uri;
      last.file = file;
    }
    const input = toBusinessInput(file === null ? fields : { ...fields, image_uri: last.uri });
    const content = JSON.stringify(input);
    // A key publishes one content; other content needs a new key.
    if (last.content !== "" && last.content !== content) last.key = crypto.randomUUID();
    last.content = content;
    onStored((await store(input, last.key)).id);
  }, ["listOwnBusinesses", "getDirectory", "getBusiness"]);
  const refusal = send.error instanceof ApiError ? send.error : null;
  const refused = findRefusedFields(refusal);
  const isAtFields = refused.size > 0 && !refused.has("");
  const publish = () => send.mutate(undefined, { onError: (error) => show(findRefusedFields(error)) });
  const change = (name: string, value: string) => {
    setFields((now) => ({ ...now, [name]: value }));
    update((shown) => withoutField(shown, name));
  };
  const draft = { fields, faults, change };
  const categories =
    settings?.business_categories.map(({ slug, name }) => ({
      value: slug,
      label: directory.categoryName(slug, name),
    })) ?? [];

  return (
    <form ref={form} noValidate className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
      <Panel title={text.about}>
        <div className="flex flex-col gap-4">
          <div className={pairs}>
            <Line draft={draft} name="name" label={text.name} required />
            <Choice draft={draft} name="category" label={text.category} none={text.choose} options={categories} />
          </div>
          <Lines draft={draft} name="description" label={text.description} rows={5} required />
          <ImageField
            file={file}
            current={fields.image_uri === start.image_uri ? picture : undefined}
            uri={fields.image_uri!}
            error={faults.get("image_uri") ?? null}
            square
            onFile={setFile}
            onUri={(uri) => change("image_uri", uri)}
          />
          <Line draft={draft} name="tags" label={text.tags} hint={text.tagsHint} />
        </div>
      </Panel>
      <ContactPanel draft={draft} />
      <PlacePanel draft={draft} />
      {isAtFields && faults.size === 0 ? null : isAtFields ? (
        <Notice live tone="error">
          {text.faults}
        </Notice>
      ) : refusal?.status === 412 ? (
        <Notice live tone="warning">
          {text.changedElsewhere}
        </Notice>
      ) : send.error === null ? null : (
        <ErrorNote error={send.error} title={text.failed} />
      )}
      {button(publish, send.isPending)}
      {send.dialog}
    </form>
  );
}

/** Returns the errors of the fields that the service refused; the key "" has the ones without a field. */
function findRefusedFields(error: unknown): FieldFaults {
  return toFaults(error instanceof ApiError && error.status === 422 ? error.details : undefined);
}
