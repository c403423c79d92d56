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

/** The pages of the site as its router names them: `$name` is a segment, `{-$name}` one that may be missing. */
export const sitePaths = [
  "/",
  "/account/{-$section}",
  "/alerts",
  "/alerts/confirm",
  "/alerts/unsubscribe",
  "/business/$id",
  "/business/$id/edit",
  "/business/new",
  "/directory",
  "/drafts",
  "/fees",
  "/forecast",
  "/gallery",
  "/gas",
  "/launch",
  "/launch/$draft",
  "/markets",
  "/markets/$pair",
  "/status",
  "/t/$address",
  "/wallet/$address",
] as const;

/** Segments that the pages themselves show as not found where they do not match. */
const knownSegments: Readonly<Record<string, RegExp>> = {
  address: /^0x(?!0{40}$)[0-9a-f]{40}$/i,
  section: new RegExp(`^(${accountSections.join("|")})$`),
};

const pages = sitePaths.map((path) => path.split("/").filter(Boolean));

function isMatch(segment: string | undefined, part: string): boolean {
  const parameter = /^(\{-)?\$(\w+)\}?$/.exec(part);
  if (parameter === null) return segment?.toLowerCase() === part;
  const [, optional, name] = parameter;
  return segment === undefined ? optional !== undefined : (knownSegments[name!]?.test(segment) ?? true);
}

/** Whether the site has a page at a decoded path. What the page shows may still be unknown, such as a listing by its id. */
export function isSitePath(path: string): boolean {
  const segments = path.split("/").filter(Boolean);
  return pages.some((parts) => segments.length <= parts.length && parts.every((part, i) => isMatch(segments[i], part)));
}
