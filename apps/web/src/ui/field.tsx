import { type ComponentProps, type ReactNode, useId } from "react";

/** What a control needs so that its label, hint and error are read with it. */
export type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  required: boolean | undefined;
};

type FieldProps = {
  label: ReactNode;
  /** Stands at the end of the label's line, e.g. a balance. */
  aside?: ReactNode;
  hint?: ReactNode;
  /** What is wrong and what to do. */
  error?: string | null;
  required?: boolean;
  /** The label is read and not shown. */
  labelHidden?: boolean;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

/** A label, a control, a hint, an error. */
export function Field({ label, aside, hint, error, required, labelHidden, className = "", children }: FieldProps) {
  const id = useId();
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
        {error}
      </p>
    </div>
  );
}

/** The classes of everything that is typed or chosen in. 16 px: phones zoom in on smaller text. */
export const controlClasses =
  "min-h-10 w-full min-w-0 rounded-sm border border-control bg-surface px-3 py-2 text-base text-ink placeholder:text-muted aria-invalid:border-sell disabled:opacity-50";

export const Input = ({ className = "", ...rest }: ComponentProps<"input">) => (
  <input className={`${controlClasses} ${className}`} {...rest} />
);

export const TextArea = ({ className = "", ...rest }: ComponentProps<"textarea">) => (
  <textarea rows={4} className={`${controlClasses} ${className}`} {...rest} />
);
