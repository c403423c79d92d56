import { useState } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { chooseTheme, readThemeChoice, type ThemeChoice, themeChoices } from "./theme.ts";

const icons: Readonly<Record<ThemeChoice, IconName>> = { system: "monitor", light: "sun", dark: "moon" };

/** Cycles through the themes: system, light, dark. */
export function ThemeButton() {
  const { shell } = useMessages();
  const [choice, setChoice] = useState(readThemeChoice);
  const names = { system: shell.themeSystem, light: shell.themeLight, dark: shell.themeDark };
  const label = `${shell.theme}: ${names[choice]}`;
  const advance = () => {
    const next = themeChoices[(themeChoices.indexOf(choice) + 1) % themeChoices.length]!;
    chooseTheme(next);
    setChoice(next);
  };
  return (
    <button
      type="button"
      onClick={advance}
      aria-label={label}
      title={label}
      className="flex size-10 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon name={icons[choice]} size={18} />
    </button>
  );
}
