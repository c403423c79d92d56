/** Programs and systems by what their user agents contain; the first that fits, since most contain the names of others. */
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const systems = [
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["iPad", "iPadOS"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** Browser and system that a user agent names, for people; null where it names none that is known. */
export function nameBrowser(userAgent: string | null): { browser: string; system: string | null } | null {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent?.includes(part))?.[1] ?? null;
  const browser = find(browsers);
  return browser === null ? null : { browser, system: find(systems) };
}
