import { example, type OperationExamples, sample } from "./example.ts";
import { trade } from "./marketExamples.ts";

const token = { address: sample.token, name: "Tin Boat", symbol: "TIN", image: sample.image };
const asOf = sample.asOf;

const wallet = {
  holdings: [
    {
      ...{ token, amount: "116729725378179990568834539", value_usd: 672.5008380938143 },
      share_of_supply: 0.11672972537817999,
    },
  ],
  launches: [
    {
      ...{ token, splitter: sample.splitter, launched_at: sample.launchedAt, block_number: 19 },
      ...{ tx_hash: sample.launchTx, market_cap_usd: 5_761.178962561515 },
    },
  ],
  recipient_of: [
    {
      ...{ token, splitter: sample.splitter, share_bps: 6_000 },
      claimable: [
        { asset: sample.token, amount: "0" },
        { asset: sample.weth, amount: "1080000000000000" },
      ],
    },
  ],
  trades: [{ ...trade, token }],
  next_cursor: null,
  profit: { method: "average_cost", realized_usd: 0, realized_eth: 0 },
  as_of: asOf,
};

const holder = (address: string, amount: string, share: number, label: string | null) => ({
  ...{ address, amount, share_of_supply: share, label },
});

/** Wallets, holders, and whom a handle names. */
export const peopleExamples: Record<string, OperationExamples> = {
  getWallet: { responses: { 200: example(wallet) } },
  listTokenHolders: {
    responses: {
      200: example({
        items: [
          holder(sample.pool, "883270274621820009431165442", 0.88327027462182, "pool"),
          holder(sample.trader, "116729725378179990568834539", 0.11672972537817999, null),
        ],
        next_cursor: null,
        as_of: asOf,
      }),
    },
  },
  findRecipient: { responses: { 200: example({ provider: "code_host", handle: "octo", wallet: sample.creator }) } },
};
