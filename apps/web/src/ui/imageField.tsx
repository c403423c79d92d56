import { type ChangeEvent, useEffect, useId, useState } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { buttonClasses } from "./button.tsx";
import { Field, Input } from "./field.tsx";

const maxBytes = 4 * 1024 * 1024;
const types = ["image/png", "image/jpeg", "image/gif", "image/webp"];

type ImageFieldProps = {
  /** The chosen file, which is uploaded when the form is submitted. */
  file: File | null;
  uri: string;
  /** The stored picture that the new one replaces. */
  current?: string | undefined;
  /** Square for listings; tokens are round. */
  square?: boolean;
  error: string | null;
  onFile: (file: File | null) => void;
  onUri: (uri: string) => void;
};

/** The picture of a token or listing: a file, or the URI of a published picture. */
export function ImageField({ file, uri, current, square = false, error, onFile, onUri }: ImageFieldProps) {
  const { picture: text, ui } = useMessages();
  const id = useId();
  const [preview, setPreview] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    setPreview(null);
    if (file !== null) void readDataUrl(file).then((url) => !isGone && setPreview(url));
    return () => {
      isGone = true;
    };
  }, [file]);
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    if (chosen === undefined) return;
    const wrong = !types.includes(chosen.type) ? text.imageType : chosen.size > maxBytes ? text.imageTooLarge : null;
    setFault(wrong);
    onFile(wrong === null ? chosen : null);
  };
  const shape = square ? "rounded-md" : "rounded-full";
  const shown = fault ?? error;
  const source = file === null ? current : preview;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-4">
        {source ? (
          <img
            src={source}
            alt=""
            width={72}
            height={72}
            className={`size-18 shrink-0 border border-line object-cover ${shape}`}
          />
        ) : (
          <span
            aria-hidden="true"
            className={`size-18 shrink-0 border border-dashed border-control bg-sunken ${shape}`}
          />
        )}
        <div className="flex min-w-0 flex-col gap-1">
          <span className="text-sm font-semibold">{text.image}</span>
          <input
            id={id}
            type="file"
            accept={types.join()}
            onChange={choose}
            aria-describedby={`${id}-hint`}
            aria-invalid={shown ? true : undefined}
            className="peer sr-only"
          />
          <label
            htmlFor={id}
            className={`${buttonClasses("secondary", "sm")} cursor-pointer self-start peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus`}
          >
            {file === null ? text.imageChoose : text.imageReplace}
          </label>
          <span id={`${id}-hint`} className="text-sm text-muted">
            {text.imageHint}
          </span>
        </div>
      </div>
      <p role="alert" className="text-sm font-semibold text-sell empty:hidden">
        {shown ? ui.fieldError(shown) : null}
      </p>
      {file === null ? (
        <Field label={text.imageUri} hint={text.imageUriHint}>
          {(control) => (
            <Input {...control} value={uri} placeholder="https://" onChange={(event) => onUri(event.target.value)} />
          )}
        </Field>
      ) : null}
    </div>
  );
}

/** Reads a file as a data URL, because the CSP blocks object URLs. */
const readDataUrl = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("Couldn't read the image."));
    reader.readAsDataURL(file);
  });
