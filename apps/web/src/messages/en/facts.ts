/** Texts of the facts of a launch. `about` explains a figure as docs/api.md does: what is divided by what. */
export const facts = {
  title: "Facts",
  intro: "Computed from events on the chain. A figure says what happened, not why. It is no rating.",
  asOf: (block: string) => `As of block ${block}`,
  unknown: "unknown",
  creator: "Creator",
  creatorFacts: {
    creator_share: {
      name: "Holds now",
      about: "The creator's balance. Other accounts of the same person are not known.",
    },
    creator_bought: { name: "Bought", about: "All its buys in this pool, the initial buy included." },
    creator_sold: { name: "Sold", about: "All its sells in this pool." },
    creator_transferred_out: {
      name: "Sent away",
      about:
        "Tokens that it sent to others without selling: gifts, burns, liquidity. Tokens that came back are not subtracted.",
    },
  },
  firstBuyers: "First buyers",
  firstBuyersAbout:
    "All buys from the launch to the end of the window; sells are not subtracted. Still held: what these accounts hold now, each counted up to the amount that it bought in the window.",
  window: "Window",
  windows: {
    launch_transaction: "Launch transaction",
    launch_block: "Launch block",
    first_3_blocks: "First 3 blocks",
    first_10_blocks: "First 10 blocks",
    first_60_seconds: "First 60 seconds",
  },
  running: "running",
  bought: "Bought",
  accounts: "Accounts",
  held: "Still held",
  firstBuyersCaption: "Buys in the first blocks",
  funded: {
    name: "First buyers that the creator gave tokens",
    about:
      "Accounts that bought in the first 10 blocks or 60 seconds, and received tokens of one of the creator's launches from it. " +
      "Unknown if there is none: other payments are not indexed.",
    value: (count: string) => `at least ${count}`,
  },
  holders: "Holders and trades",
  holderFacts: {
    top_10_share: {
      name: "Top 10 holders",
      about: "The ten largest balances, without the pool, the locker and burned tokens.",
    },
    holders_without_buy: {
      name: "Holders that never bought",
      about: "They received their tokens by a transfer, as in an airdrop.",
      of: (count: string, all: string) => `${count} of ${all}`,
    },
    round_trips_block: {
      name: "Bought and sold in one block",
      about: "By one account: twice the smaller amount, as part of all traded tokens.",
    },
    round_trips_300_seconds: {
      name: "Bought and sold in 5 minutes",
      about: "The same for each interval of 5 minutes.",
    },
  },
  fixed: "Fixed by the contracts",
  fixedFacts: {
    privileged_functions: {
      name: "Privileged functions",
      about:
        "No one can mint, pause, block accounts, change fees of transfers, upgrade, seize or limit. There is no owner.",
    },
    liquidity_locked: {
      name: "Locked liquidity",
      about: "The part of the liquidity in range that no one can withdraw.",
    },
    fee_total: { name: "Trading fee", about: "Of each trade. It can't be changed." },
    fee_protocol: { name: "Of it to the protocol", about: "Of each trade. The rest goes to the fee recipients." },
  },
  earlier: (count: string) => `Earlier launches of this creator: ${count}`,
  earlierNone: "Counts launches of the same account.",
  earlierAbout: "Launches of the same account. The newest 20 are listed.",
  earlierCaption: "Earlier launches, newest first",
  token: "Token",
  removed: "Removed from lists",
  launched: "Launched",
  lastTrade: "Last trade",
  never: "never",
  liquidity: "Liquidity",
  creatorSold: "Creator sold",
};
