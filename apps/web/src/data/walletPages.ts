import { pageOptions } from "./queries.ts";

/** The lists of a wallet, in the order in which a cursor has their places. */
export const walletLists = ["holdings", "launches", "receipts", "trades"] as const;
export type WalletList = (typeof walletLists)[number];

/** What a wallet has, each list newest first; a page goes on in all four. An address in a URL has any case. */
export const walletPages = (address: string) => pageOptions("getWallet", { address: address.toLowerCase() });

type Pages = readonly { next_cursor: string | null }[];

/** Whether a list goes on after the pages that were read: a cursor has `-` in the place of one that has ended. */
export function isContinued(pages: Pages | undefined, list: WalletList): boolean {
  const cursor = pages?.at(-1)?.next_cursor ?? null;
  return cursor !== null && cursor.split("~")[walletLists.indexOf(list)] !== "-";
}
