export const themeChoices = ["system", "light", "dark"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** The key that the theme line of index.html reads too. */
const storageKey = "theme";
const darkQuery = "(prefers-color-scheme: dark)";

/** The chosen theme; `system` when none is stored or storage is refused. */
export function readThemeChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

function apply(choice: ThemeChoice): void {
  const system = matchMedia(darkQuery).matches ? "dark" : "light";
  document.documentElement.dataset.theme = choice === "system" ? system : choice;
}

/** Applies a choice and stores it, where the browser allows. */
export function chooseTheme(choice: ThemeChoice): void {
  try {
    if (choice === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, choice);
  } catch {
    // The choice holds until the page is left.
  }
  apply(choice);
}

/** Follows the system while no theme is chosen. Call once, at the start of the page. */
export function followSystemTheme(): void {
  matchMedia(darkQuery).addEventListener("change", () => apply(readThemeChoice()));
}
