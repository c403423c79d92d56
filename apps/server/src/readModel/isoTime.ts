/** Unix seconds as RFC 3339 in UTC. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}
