/** Names by patterns in user agents. The first match counts, because most user agents also name other browsers. */
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

/** Returns the readable browser and system names of a user agent; null if no known browser matches. */
export function nameBrowser(userAgent: string | null): { browser: string; system: string | null } | null {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent?.includes(part))?.[1] ?? null;
  const browser = find(browsers);
  return browser === null ? null : { browser, system: find(systems) };
}
