import { pageOptions } from "./queries.ts";

/** The lists of a wallet, in the order of their positions in a cursor. */
export const walletLists = ["holdings", "launches", "receipts", "trades"] as const;
export type WalletList = (typeof walletLists)[number];

/** Query options for a wallet's lists, each newest first. A page continues all four lists. */
export const walletPages = (address: string) => pageOptions("getWallet", { address: address.toLowerCase() });

type Pages = readonly { next_cursor: string | null }[];

/** Whether a list has more pages: a cursor contains `-` at the position of a list that has ended. */
export function isContinued(pages: Pages | undefined, list: WalletList): boolean {
  const cursor = pages?.at(-1)?.next_cursor ?? null;
  return cursor !== null && cursor.split("~")[walletLists.indexOf(list)] !== "-";
}
