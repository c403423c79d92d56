import { SlipwayError } from "./errors.ts";

/**
 * Checks what no single field can say: shares sum to 10000, each wallet stands once. No recipients at all is a valid
 * draft at every tier.
 *
 * @throws SlipwayError `duplicate_recipient`, `shares_not_10000`.
 */
export function checkAllocations(recipients: readonly { wallet: string; share_bps: number }[]): void {
  if (recipients.length === 0) return;
  const seen = new Set<string>();
  for (const [index, { wallet }] of recipients.entries()) {
    const key = wallet.toLowerCase();
    if (seen.has(key)) {
      throw new SlipwayError("duplicate_recipient", `The wallet ${wallet} stands twice.`, {
        field: `recipients/${index}/wallet`,
      });
    }
    seen.add(key);
  }
  const sum = recipients.reduce((total, { share_bps }) => total + share_bps, 0);
  if (sum !== 10_000) {
    throw new SlipwayError("shares_not_10000", `The shares sum to ${sum}, not to 10000.`, {
      field: "recipients",
      details: { sum },
    });
  }
}
