import type { ComponentProps } from "react";

const variants = {
  primary: "border-accent bg-accent text-on-accent hover:opacity-95",
  secondary: "border-control bg-surface text-ink hover:bg-sunken",
  quiet: "border-transparent text-muted hover:bg-sunken hover:text-ink",
  buy: "border-buy bg-buy text-surface hover:opacity-90",
  sell: "border-sell bg-sell text-surface hover:opacity-90",
  danger: "border-sell bg-surface text-sell hover:bg-sunken",
} as const;
const sizes = {
  sm: "min-h-8 gap-1.5 px-2.5 py-1 text-sm",
  md: "min-h-10 gap-2 px-4 py-2 text-sm",
  lg: "min-h-12 gap-2 px-6 py-3 text-base",
} as const;

export type ButtonVariant = keyof typeof variants;
export type ButtonSize = keyof typeof sizes;

/** Returns a button's classes, for a link that looks like a button. */
export const buttonClasses = (variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string =>
  `inline-flex items-center justify-center rounded-sm border font-semibold transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-progress aria-disabled:opacity-70 ${variants[variant]} ${sizes[size]}`;

type ButtonProps = ComponentProps<"button"> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** An action is in progress: the button keeps the focus and ignores presses. */
  busy?: boolean;
};

export function Button({ variant, size, busy = false, className = "", onClick, type, ...rest }: ButtonProps) {
  return (
    <button
      // The submit button of a form sets its type itself.
      type={type ?? "button"}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${buttonClasses(variant, size)} ${className}`}
      {...rest}
    />
  );
}
