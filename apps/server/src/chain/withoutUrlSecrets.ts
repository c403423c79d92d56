/** Parts of a URL shorter than this are words of its path, not keys. */
const shortestSecret = 12;

/**
 * A function that takes the secrets of URLs out of a text: user names and passwords, and long parts of path and query,
 * which is where vendors have their keys. What an endpoint says of a request may quote them.
 */
export function withoutUrlSecrets(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap((text) => {
    const { username, password, pathname, searchParams } = new URL(text);
    const parts = [...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= shortestSecret);
    return [username, password, ...parts].flatMap((part) => [part, decoded(part)]).filter(Boolean);
  });
  // The longest first: one may be a part of another.
  const distinct = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => distinct.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
