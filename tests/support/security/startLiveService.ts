import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { createLog } from "@slipway/server/log";
import { type RunningServer, startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import { openTestDatabase } from "../database/openTestDatabase.ts";
import { createSubscriber, type SubscriberAccount } from "./createSubscriber.ts";

/** The whole server over a real database whose outbox the test writes like the indexer. */
export type LiveService = {
  db: Database;
  databaseUrl: string;
  /** Creates an account with a key and, by default, a plan. */
  createSubscriber(options?: { plan?: boolean }): Promise<SubscriberAccount>;
  /** Commits `count` trades of a token at once, and notifies the servers. @returns the ids, oldest first. */
  publishTrades(token: string, count: number): Promise<number[]>;
  /** The number of published trades; the last one's hash is this number. */
  published(): number;
  /** Starts the API as a separate server; `url` is the site's URL. */
  openServer(environment?: Record<string, string>): Promise<RunningServer & { url: string }>;
  close(): Promise<void>;
};

const chainId = 46_630;
const blockTime = 1_790_000_000;

/** Starts a separate service. */
export async function startLiveService(): Promise<LiveService> {
  const { url: databaseUrl, drop } = await openTestDatabase();
  const settings = {
    NODE_ENV: "test",
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    PORT: "0",
    ROLES: "api",
    DATABASE_URL: databaseUrl,
    // Streams do not use the chain.
    RPC_URL: "http://127.0.0.1:1",
    READ_LIMIT_PER_SECOND: "1000000",
    READ_LIMIT_BURST: "1000000",
    METRICS_CACHE_MS: "0",
    STREAMS_PER_ADDRESS: "10000",
    STREAMS_PER_ACCOUNT: "10000",
  };
  const config = parseConfig(settings);
  const log = createLog(config);
  const db = openDatabase(config, log);
  // An index that is live, and does not become stale during the test.
  await db.indexer.query(
    `insert into chain.checkpoint (chain_id, sources, from_block, block_number, block_hash, block_time)
     values ($1, 'test', 1, 1, $2, $3)`,
    [chainId, `0x${"0".repeat(64)}`, blockTime],
  );
  await db.indexer.query(
    `insert into chain.status (state, head_block, head_time, updated_at) values ('live', 1, $1, now() + interval '1 day')`,
    [blockTime],
  );
  const servers = new Set<RunningServer>();
  let published = 0;

  return {
    db,
    databaseUrl,
    createSubscriber: (options) => createSubscriber(db, options),
    published: () => published,
    publishTrades: async (token, count) => {
      const { rows } = await db.indexer.query<{ id: number }>(
        `with published as (
           insert into chain.outbox (block_number, kind, token, payload)
           select n, 'trade', $1, jsonb_build_object(
             'address', $1::text, 'token_id', 1, 'block_number', n, 'log_index', 1, 'block_time', $4::int,
             'pool_price', 0.25, 'eth_usd', 2000, 'maker', $1::text, 'recipient', $1::text, 'is_buy', true,
             'tx_hash', '0x' || lpad(to_hex(n), 64, '0'), 'token_amount', '2000000000000000000',
             'quote_amount', '500000000000000000')
           from generate_series($2::int, $3::int) n order by n returning id)
         select id from published order by id`,
        [token.toLowerCase(), published + 1, published + count, blockTime],
      );
      published += count;
      await db.indexer.query("select pg_notify('slipway_outbox', '')");
      return rows.map(({ id }) => id);
    },
    openServer: async (environment = {}) => {
      const server = await startServer({
        config: parseConfig({ ...settings, ...environment }),
        log,
        clock: systemClock,
      });
      servers.add(server);
      return {
        url: server.url!,
        stop: async () => {
          if (servers.delete(server)) await server.stop();
        },
      };
    },
    close: async () => {
      for (const server of servers) await server.stop();
      await db.close();
      await drop();
    },
  };
}
