/** Returns the ticket after # in a mail link; null if there is none. */
export function takeTicket(hash: string): string | null {
  return /^#([A-Za-z0-9_-]{1,128})$/.exec(hash)?.[1] ?? null;
}
