import { useId } from "react";

type SegmentsProps<T extends string> = {
  /** The name of the choice, e.g. "Order". */
  label: string;
  value: T;
  items: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  className?: string;
  /** Narrow options, for a row of controls. */
  size?: "sm" | "md";
};

/** A choice of few visible options: radio buttons side by side, e.g. sort orders and intervals. */
export function Segments<T extends string>({
  label,
  value,
  items,
  onChange,
  className = "",
  size = "md",
}: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset className={`min-w-0 ${className}`}>
      <legend className="sr-only">{label}</legend>
      <div className="relative flex max-w-full overflow-x-auto rounded-sm border border-line bg-sunken p-0.5">
        {items.map((item) => (
          <label
            key={item.value}
            className={`relative flex flex-1 shrink-0 cursor-pointer items-center justify-center rounded-sm border border-transparent ${size === "sm" ? "min-h-7 px-2" : "min-h-8 px-3"} text-sm font-semibold whitespace-nowrap text-muted hover:text-ink has-checked:border-line has-checked:bg-surface has-checked:text-ink dark:has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus`}
          >
            <input
              type="radio"
              name={name}
              value={item.value}
              checked={item.value === value}
              onChange={() => onChange(item.value)}
              className="sr-only"
            />
            {item.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
