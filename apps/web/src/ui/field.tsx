import { type ComponentProps, type ReactNode, useId } from "react";
import { useMessages } from "../messages/useMessages.ts";

/** Properties of a control that associate its label, hint and error. */
export type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  required: boolean | undefined;
};

type FieldProps = {
  label: ReactNode;
  /** Shown at the end of the label's line, e.g. a balance. */
  aside?: ReactNode;
  hint?: ReactNode;
  /** The error, and how to fix it. */
  error?: string | null;
  required?: boolean;
  /** Only screen readers get the label. */
  labelHidden?: boolean;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

/** A form field: label, control, hint and error. */
export function Field({ label, aside, hint, error, required, labelHidden, className = "", children }: FieldProps) {
  const id = useId();
  const { ui } = useMessages();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <div className={labelHidden ? "sr-only" : "flex items-baseline justify-between gap-2"}>
        <label htmlFor={id} className="text-sm font-semibold">
          {label}
        </label>
        {aside ? <span className="text-sm text-muted">{aside}</span> : null}
      </div>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? true : undefined,
        required: required || undefined,
      })}
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      ) : null}
      <p
        id={`${id}-error`}
        role="alert"
        className="text-sm font-semibold text-sell first-letter:uppercase empty:hidden"
      >
        {error ? ui.fieldError(error) : null}
      </p>
    </div>
  );
}

/** The classes of all inputs. 16 px, because phones zoom in on smaller text. */
export const controlClasses =
  "min-h-10 w-full min-w-0 rounded-sm border border-control bg-surface px-3 py-2 text-base text-ink placeholder:text-muted aria-invalid:border-sell disabled:opacity-50";

export const Input = ({ className = "", ...rest }: ComponentProps<"input">) => (
  <input className={`${controlClasses} ${className}`} {...rest} />
);

export const TextArea = ({ className = "", ...rest }: ComponentProps<"textarea">) => (
  <textarea rows={4} className={`${controlClasses} ${className}`} {...rest} />
);
