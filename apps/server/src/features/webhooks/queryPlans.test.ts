import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatements, rowsRead, wholeReads } from "../../../../../bench/queryPlan.ts";
import { createSubscriber } from "../../../../../tests/support/security/createSubscriber.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { toAddress, toHash } from "../../../../../tests/support/server/rows.ts";
import { lockDueAlerts, readQueue } from "./alertQueries.ts";
import { claimWebhooks, expireMessages, takeMessage, type WebhookClaim } from "./deliveryQueries.ts";
import { queueFees } from "./feesQueries.ts";
import type { MatchedMessage } from "./matchKeys.ts";
import {
  countCrossings,
  countMatches,
  lockBehind,
  queueCrossings,
  queueMatches,
  retractMessages,
} from "./matchQueries.ts";
import { listDeliveries } from "./queries.ts";

const all = { webhookId: null };
const one = "00000000-0000-0000-0000-000000000007";
const occurredAt = new Date();
const message: MatchedMessage = {
  outboxId: 900_000,
  type: "trade",
  keys: ["trades", `token:${toAddress(7)}`, `account:${toAddress(8)}`],
  amount: "1",
  ref: null,
  occurredAt,
  data: "{}",
};
const trade = {
  ...{
    outboxId: 900_000,
    token: toAddress(7),
    blockNumber: 1,
    logIndex: 1,
    price: 1,
    ref: `${toHash(7)}:1`,
    occurredAt,
  },
};
const fees = {
  outboxId: 900_000,
  splitter: toAddress(7),
  asset: toAddress(8),
  amount: "10",
  token: null,
  occurredAt,
  block_number: 1,
  log_index: 1,
  tx_hash: toHash(7),
};
const claim = { id: one, claim: 0 } as WebhookClaim;

let database: ReadDatabase;
let client: Awaited<ReturnType<ReadDatabase["connect"]>>;
let accountId: string;
beforeAll(async () => {
  database = await startReadDatabase();
  ({ id: accountId } = await createSubscriber(database.db));
  const { indexer } = database.db;
  // 5,000 webhooks of as many tokens, one in a hundred due or behind; 50,000 messages.
  await indexer.query(
    `insert into app.webhooks (id, account_id, idempotency_key, body_hash, url, host, subject, match_key, secret, cursor, next_at)
     select lpad(n::text, 32, '0')::uuid, $1, 'key ' || n, '', '', '', '{}', 'token:0x' || lpad(to_hex(n), 40, '0'), '',
       case when n % 100 = 1 then 0 end, case when n % 100 = 2 then now() end
     from generate_series(1, 5000) n`,
    [accountId],
  );
  await indexer.query(
    `insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, type, ref, occurred_at, state, attempts)
     select lpad((1 + n % 5000)::text, 32, '0')::uuid, 1, n, 'trade', '0x' || lpad(to_hex(n), 64, '0') || ':1', now(),
       case when n % 50 = 0 then 'queued' else 'delivered' end, 1 from generate_series(1, 50000) n`,
  );
  // 2,000 splitters of two recipients each; every fourth recipient has a webhook.
  await indexer.query(
    `insert into chain.splitters (address, proven, block_number)
     select '0x' || lpad(to_hex(n), 40, '0'), true, 1 from generate_series(1, 2000) n`,
  );
  await indexer.query(
    `insert into chain.splitter_payees (splitter, position, payee, share_bps, block_number)
     select '0x' || lpad(to_hex(n), 40, '0'), p, '0x' || lpad(to_hex(2 * n + p), 40, '0'), 5000, 1
     from generate_series(1, 2000) n, generate_series(0, 1) p`,
  );
  await indexer.query(
    `update app.webhooks set match_key = 'payee:0x' || lpad(to_hex(('x' || right(id::text, 4))::bit(16)::int), 40, '0')
     where id < '00000000-0000-0000-0000-000000001000'`,
  );
  await indexer.query("analyze chain.splitters, chain.splitter_payees");
  await indexer.query("analyze app.webhooks, app.webhook_deliveries");
  client = await database.connect("-c random_page_cost=1.1");
});
afterAll(() => database?.stop());

const claimOptions = {
  nowMs: Date.now() + 60_000,
  leaseMs: 1,
  limit: 10,
  isSlow: false,
  busyIds: [],
  busyHosts: [],
  busyAccounts: [],
};
const retraction = { outboxId: 900_001, aboveBlock: 1, refs: [`${toHash(7)}:1`, `${toHash(8)}:1`], occurredAt };

test.each<[name: string, maxRows: number, run: (db: any) => Promise<unknown>]>([
  ["counting the webhooks of a message", 10, (db) => countMatches(db, [message], all)],
  ["counting the messages of one webhook", 10, (db) => countMatches(db, [message], { webhookId: one })],
  ["queueing a message", 30, (db) => queueMatches(db, [message], 1, all)],
  ["counting crossings of a price", 30, (db) => countCrossings(db, [trade], all)],
  ["queueing crossings of a price", 30, (db) => queueCrossings(db, [trade], 1, all)],
  ["queueing fees", 30, (db) => queueFees(db, [fees], 1, all)],
  ["queueing fees of one webhook", 30, (db) => queueFees(db, [fees], 1, { webhookId: one })],
  ["finding due alerts", 60, (db) => lockDueAlerts(db, Date.now() + 60_000, 20)],
  ["reading the events of an alert", 60, (db) => readQueue(db, one, 20)],
  ["retracting two messages", 60, (db) => retractMessages(db, retraction, 1, all)],
  ["finding webhooks that are behind", 20, (db) => lockBehind(db, { upTo: 1_000_000, limit: 5 })],
  ["claiming due webhooks", 120, (db) => claimWebhooks(db, claimOptions)],
  ["taking a message", 20, (db) => takeMessage(db, claim, Date.now())],
  ["finding expired messages", 20, (db) => expireMessages(db, Date.now(), 1_000)],
  ["listing the messages of a webhook", 40, (db) => listDeliveries(db, { accountId, id: one }, { limit: 20 })],
])("%s reads no whole table", async (_, maxRows, run) => {
  await client.query("begin");
  const { db, plans } = explainStatements(client);
  await run(db);
  await client.query("rollback");
  const nodes = plans.flat();
  expect(wholeReads(nodes)).toEqual([]);
  expect(rowsRead(nodes)).toBeLessThanOrEqual(maxRows);
});
