/** The ticket that follows # in the link of a mail; null for what is none. */
export function takeTicket(hash: string): string | null {
  return /^#([A-Za-z0-9_-]{1,128})$/.exec(hash)?.[1] ?? null;
}
