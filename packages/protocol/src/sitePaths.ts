/** The sections of `/account` with their own paths; the first section has none. */
export const accountSections = [
  "profile",
  "wallets",
  "links",
  "keys",
  "sessions",
  "credits",
  "listings",
  "events",
  "data",
] as const;

/**
 * The pages of the site by their router paths, with the module of each in `apps/web/src/pages`: `$name` is a segment,
 * `{-$name}` an optional segment. If two paths match, the first one wins.
 */
export const sitePages = {
  "/": "explorePage",
  "/account/{-$section}": "accountPage",
  "/alerts": "alertsPage",
  "/alerts/confirm": "alertConfirmPage",
  "/alerts/unsubscribe": "alertUnsubscribePage",
  "/business/new": "businessNewPage",
  "/business/$id": "businessPage",
  "/business/$id/edit": "businessEditPage",
  "/directory": "directoryPage",
  "/drafts": "draftsPage",
  "/fees": "feesPage",
  "/forecast": "forecastPage",
  "/gallery": "galleryPage",
  "/gas": "gasPage",
  "/launch": "launchPage",
  "/launch/$draft": "launchDraftPage",
  "/markets": "marketsPage",
  "/markets/$pair": "marketPage",
  "/opening/$address": "openingPage",
  "/openings": "openingsPage",
  "/status": "statusPage",
  "/t/$address": "tokenPage",
  "/t/$address/share": "sharePage",
  "/wallet/$address": "walletPage",
} as const;

/** The patterns of segments; the page shows a segment that does not match as not found. */
const knownSegments: Readonly<Record<string, RegExp>> = {
  address: /^0x(?!0{40}$)[0-9a-f]{40}$/i,
  section: new RegExp(`^(${accountSections.join("|")})$`),
};

const pages = Object.entries(sitePages).map(([path, page]) => ({ parts: path.split("/").filter(Boolean), page }));

function isMatch(segment: string | undefined, part: string): boolean {
  const parameter = /^(\{-)?\$(\w+)\}?$/.exec(part);
  if (parameter === null) return segment?.toLowerCase() === part;
  const [, optional, name] = parameter;
  return segment === undefined ? optional !== undefined : (knownSegments[name!]?.test(segment) ?? true);
}

/**
 * Returns the page of a decoded path; null if the site has none. The content of the page may still not exist, such as a
 * listing.
 */
export function findSitePage(path: string): string | null {
  const segments = path.split("/").filter(Boolean);
  const isPage = ({ parts }: (typeof pages)[number]) =>
    segments.length <= parts.length && parts.every((part, i) => isMatch(segments[i], part));
  return pages.find(isPage)?.page ?? null;
}
