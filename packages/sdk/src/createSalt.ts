/**
 * Returns the salt of an attempt to launch a draft: SHA-256 of the UTF-8 text `draft id:wallet:attempt` in lower case;
 * the first attempt is 0. The salt, and therefore the token's address, is the same after a restart and on another
 * device.
 */
export async function createSalt(draftId: string, wallet: string, attempt: number): Promise<`0x${string}`> {
  const text = `${draftId.toLowerCase()}:${wallet.toLowerCase()}:${attempt}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `0x${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
