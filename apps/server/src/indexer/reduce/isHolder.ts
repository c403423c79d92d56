import type { TokenRef } from "../indexState.ts";

export const zeroAddress = `0x${"0".repeat(40)}`;
const deadAddress = `0x${"0".repeat(36)}dead`;

/** Whether tokens at this address are out of circulation. */
export function isBurnAddress(address: string): boolean {
  return address === zeroAddress || address === deadAddress;
}

/** Whether a balance makes an account a holder. Pool, locker and burn addresses have balances but are not holders. */
export function isHolder({ pool, locker }: Pick<TokenRef, "pool" | "locker">, account: string): boolean {
  return account !== pool && account !== locker && !isBurnAddress(account);
}
