export const themeChoices = ["system", "light", "dark"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** The storage key, which the inline script of index.html reads too. */
const storageKey = "theme";
const darkQuery = "(prefers-color-scheme: dark)";

/** Returns the chosen theme; `system` if none is stored or storage is blocked. */
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

/** Applies a theme and stores the choice if the browser allows it. */
export function chooseTheme(choice: ThemeChoice): void {
  try {
    if (choice === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, choice);
  } catch {
    // Without storage, the choice ends with the page.
  }
  apply(choice);
}

/** Follows the system's theme while the user has not chosen one. Call it once, at the start of the page. */
export function followSystemTheme(): void {
  matchMedia(darkQuery).addEventListener("change", () => apply(readThemeChoice()));
}
