import { useEffect, useRef, useState } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { controlClasses } from "./field.tsx";
import { Icon } from "./icon.tsx";

const restMs = 250;

type SearchFieldProps = {
  label: string;
  placeholder: string;
  /** The current search, e.g. from the URL. */
  value: string;
  /** Called shortly after the last keystroke. */
  onSearch: (text: string) => void;
  className?: string;
};

/** A search field that searches while the user types. */
export function SearchField({ label, placeholder, value, onSearch, className = "" }: SearchFieldProps) {
  const { ui } = useMessages();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The URL changed from outside: a back navigation or a link.
  if (value !== shown) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => onSearch(wanted), restMs);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <search className={`relative block min-w-0 ${className}`}>
      <Icon name="search" className="pointer-events-none absolute start-3 top-3 text-muted" />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setText("")}
        className={`${controlClasses} ps-9 pe-10`}
      />
      {text === "" ? null : (
        <button
          type="button"
          aria-label={ui.clear}
          onClick={() => {
            setText("");
            input.current?.focus();
          }}
          className="absolute end-1.5 top-1.5 flex size-7 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </search>
  );
}
