import { type ReactNode, useEffect, useRef } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type ChartExtra, type ChartSettings, indicators, markKinds } from "./chartSettings.ts";

type ChartMenuProps = { settings: ChartSettings; onChange: (settings: ChartSettings) => void };

/** The choice of indicators, marks and scale. It closes by Escape, or by a press outside. */
export function ChartMenu({ settings, onChange }: ChartMenuProps) {
  const { chart } = useMessages();
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = details;
      if (current === null || !current.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== "Escape") return;
        current.querySelector("summary")?.focus();
      } else if (current.contains(event.target as Node)) return;
      current.open = false;
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
  }, []);
  const { shown, isLogarithmic } = settings;
  const toggle = (extra: ChartExtra) =>
    onChange({
      ...settings,
      shown: shown.includes(extra) ? shown.filter((one) => one !== extra) : [...shown, extra],
    });
  return (
    <details ref={details} className="relative">
      <summary className={`list-none [&::-webkit-details-marker]:hidden ${buttonClasses("secondary", "sm")}`}>
        {chart.display}
        <Icon name="chevronDown" size={12} />
      </summary>
      <div className="absolute end-0 z-10 mt-1 flex w-60 flex-col gap-3 rounded-sm border border-line bg-surface p-3">
        <Group title={chart.indicators}>
          {indicators.map((name) => (
            <Tick key={name} label={chart.extras[name]} checked={shown.includes(name)} onChange={() => toggle(name)} />
          ))}
        </Group>
        <Group title={chart.marks}>
          {markKinds.map((name) => (
            <Tick key={name} label={chart.extras[name]} checked={shown.includes(name)} onChange={() => toggle(name)} />
          ))}
        </Group>
        <Group title={chart.scale}>
          <Tick
            label={chart.logarithmic}
            checked={isLogarithmic}
            onChange={() => onChange({ ...settings, isLogarithmic: !isLogarithmic })}
          />
        </Group>
      </div>
    </details>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 text-xs font-semibold text-muted">{title}</legend>
      {children}
    </fieldset>
  );
}

function Tick({ label, checked, onChange }: { label: string; checked: boolean; onChange: () => void }) {
  return (
    <label className="flex min-h-7 items-center gap-2 text-sm">
      <input type="checkbox" checked={checked} onChange={onChange} className="size-4 accent-accent" />
      {label}
    </label>
  );
}
