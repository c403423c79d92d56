import { type ReactNode, useState } from "react";
import { linkNames } from "../../data/linkNames.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { ImageField } from "../../ui/imageField.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import type { LaunchFields } from "./formState.ts";

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
export function DetailsSection({ fields, change, faults, file, onFile, current }: DetailsSectionProps) {
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
