import { example, type OperationExamples, sample } from "./example.ts";
import { signedMessage } from "./signInExamples.ts";

const linkedAt = "2026-11-22T07:07:52.542Z";
const connections = [
  { provider: "wallet", id: sample.creator, handle: null, linked_at: linkedAt },
  { provider: "code_host", id: "583231", handle: "octo", linked_at: linkedAt },
];

const account = {
  id: sample.accountId,
  name: "Tin Boat makers",
  created_at: "2026-11-22T07:07:52.540Z",
  wallets: [{ address: sample.creator, linked_at: linkedAt }],
  connections,
  plan: { plan: "subscriber", active_from: linkedAt, active_until: "2026-12-22T07:07:52.542Z" },
  credits: 100,
  payout_wallet: sample.creator,
};

const credits = {
  balance: 100,
  items: [
    {
      ...{ id: 7, kind: "grant", amount: 100, reason: "grant", request_id: "welcome-2026-11" },
      ...{ balance_after: 100, created_at: "2026-11-22T08:00:00.000Z" },
    },
  ],
  next_before: null,
};

const events = {
  items: [
    { id: 4, kind: "wallet_linked", details: { wallet: sample.creator }, created_at: "2026-11-22T07:07:52.560Z" },
  ],
  next_before: null,
};

const accountExport = {
  exported_at: "2026-11-22T09:00:00.000Z",
  account: { id: account.id, name: account.name, created_at: account.created_at },
  wallets: [{ address: sample.creator, chain_id: sample.chainId, is_payout: true, linked_at: linkedAt }],
  connections,
  sessions: [],
  keys: [],
  plans: [account.plan],
  credits,
  forecasts: [],
  drafts: [],
  businesses: [],
  prepared_launches: [
    {
      ...{ token: sample.token, draft_id: sample.draftId, wallet: sample.creator },
      ...{ splitter: sample.splitter, created_at: sample.launchedAt },
    },
  ],
  prepared_splitters: [
    {
      ...{ draft_id: sample.draftId, wallet: sample.creator, method: "creation", account_nonce: 0 },
      created_at: sample.launchedAt,
    },
  ],
  images: [{ sha256: sample.imageSha256, bytes: 91_204, created_at: sample.launchedAt }],
  gas_quotes: [],
  top_ups: [],
  alerts: [],
  mail_addresses: [],
  mails: [],
  events,
};

/** The caller's account. */
export const accountExamples: Record<string, OperationExamples> = {
  getAccount: { responses: { 200: example(account) } },
  renameAccount: {
    request: {
      name: { summary: "Another name", value: { name: account.name } },
      payout: {
        summary: "The wallet by which others find the account's handles",
        value: { payout_wallet: sample.creator },
      },
    },
    responses: { 200: example(account) },
  },
  deleteAccount: { responses: { 200: example({ removed: true }) } },
  exportAccount: { responses: { 200: example(accountExport) } },
  linkWallet: {
    request: example(signedMessage),
    responses: { 200: example({ address: sample.creator, linked_at: linkedAt }) },
  },
  unlinkWallet: { responses: { 200: example({ removed: true }) } },
  listConnections: { responses: { 200: example({ items: connections }) } },
  unlinkConnection: { responses: { 200: example({ removed: true }) } },
  listCredits: { responses: { 200: example(credits) } },
  listAccountEvents: { responses: { 200: example(events) } },
};
