/** The parts of `/account` that have a path of their own; the first part has none. */
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
 * The pages of the site as its router names them, with their modules in `apps/web/src/pages`: `$name` is a segment, `{-$name}` one
 * that may be missing. Of two that match a path the first one is its page.
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
  "/status": "statusPage",
  "/t/$address": "tokenPage",
  "/wallet/$address": "walletPage",
} as const;

/** Segments that the pages themselves show as not found where they do not match. */
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

/** The page at a decoded path; null where the site has none. What it shows may still be unknown, such as a listing by its id. */
export function findSitePage(path: string): string | null {
  const segments = path.split("/").filter(Boolean);
  const isPage = ({ parts }: (typeof pages)[number]) =>
    segments.length <= parts.length && parts.every((part, i) => isMatch(segments[i], part));
  return pages.find(isPage)?.page ?? null;
}
