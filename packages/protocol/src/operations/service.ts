import { z } from "zod";
import { clearSigningDescriptor, clearSigningIndex } from "../clearSigning.ts";
import { dailyAnalytics, dailyAnalyticsQuery } from "../dailyAnalytics.ts";
import { indexAnalytics } from "../indexed.ts";
import { settings } from "../settings.ts";
import { text } from "../text.ts";
import type { OperationDefinition } from "./operationDefinition.ts";

/** An address, alone or as an EIP-681 link with a chain id. Source: the spec. */
const receivePattern = /^(ethereum:)?0x[0-9a-fA-F]{40}(@[0-9]{1,8})?$/;

/** The `text` of a QR code: `0x…`, `ethereum:0x…` or either with `@<chain id>`. */
export const receiveText = z
  .string()
  .regex(receivePattern, "must be [ethereum:]0x followed by 40 hex digits and optionally @ and a chain id")
  .describe("The address, alone or as an EIP-681 link, each with or without a chain id.");

const check = z.object({ ok: z.boolean(), reason: z.string().nullable() });

const readiness = z
  .object({
    ready: z.boolean(),
    checks: z.object({ process: check, database: check, writes: check, chain: check, index: check, manifest: check }),
    database: z.object({
      reads_from: z.enum(["primary", "replica"]),
      replica_lag_ms: z
        .int()
        .nullable()
        .describe(
          "How long the replica in use, or the nearest one, has been missing changes; null without a replica, or when unknown.",
        ),
    }),
    index: z.object({
      indexed_block: z.int().nullable(),
      head_block: z.int().nullable(),
      lag_seconds: z.number().nullable(),
    }),
    manifest: z.object({
      sha256: z.string().nullable(),
      pinned: z.boolean(),
      verified: z.boolean(),
      verified_at_block: z.int().nullable(),
    }),
    history: z
      .object({ available: z.boolean(), configured: z.boolean(), reason: z.string().nullable() })
      .describe("The engine of old trades and candles. Recent ones are available without it."),
    gas_station: z.object({ available: z.boolean(), configured: z.boolean(), reason: z.string().nullable() }),
  })
  .meta({ id: "Readiness", description: "Whether the process can serve every request, with each check." });

/** Operations of the deployment, its health, totals and receive codes. */
export const serviceOperations = {
  getConfig: {
    tag: "Operation",
    summary: "Get fee policy, oracle, capabilities, contracts and manifest",
    description:
      "The configuration of this deployment. It does not mean that the contracts on the chain are verified; " +
      "`manifest.verified` shows that. While the index is not live, `oracle.stale` is true and `eth_usd` is null.",
    answers: { 200: { description: "The configuration", schema: settings } },
    errors: ["manifest_missing", "storage_unavailable"],
  },

  listClearSigning: {
    tag: "Wallet",
    summary: "List the descriptors for clear signing",
    description: "Descriptors of ERC-7730 for everything that a wallet signs with this service.",
    answers: { 200: { description: "The descriptors", schema: clearSigningIndex } },
    errors: ["manifest_missing"],
  },

  getClearSigning: {
    tag: "Wallet",
    summary: "Get a descriptor for clear signing",
    description:
      "A descriptor of ERC-7730, version 2, with the addresses of this deployment: a wallet that knows it shows names " +
      "and amounts instead of bytes. The same descriptors without addresses are in the repository.",
    params: z.object({
      name: text().max(100).describe("A name of the list, such as `calldata-LaunchFactory.json`."),
    }),
    answers: { 200: { description: "The descriptor", schema: clearSigningDescriptor } },
    errors: ["manifest_missing", "not_found"],
  },

  getReceiveCode: {
    tag: "Wallet",
    summary: "Get a receive address as a QR code",
    description:
      "The code of the zero address has the header `Slipway-Warning: zero_address`, and the code of an address with a " +
      "wrong checksum `Slipway-Warning: address_checksum`, because assets sent to such an address are lost.",
    query: z.object({ text: receiveText }),
    answers: { 200: { description: "The code as PNG", contentType: "image/png", headers: ["Slipway-Warning"] } },
    errors: [],
  },

  getAnalytics: {
    tag: "Tokens",
    summary: "Get totals of launches, trades, volume and fees",
    description:
      "`coverage` gives the blocks that the totals cover, as numbers and as a sentence. Fees are the earnings of " +
      "the locked positions, collected or not, divided by the policy of each launch.",
    answers: { 200: { description: "The totals", schema: indexAnalytics } },
    errors: ["index_unavailable", "storage_unavailable"],
  },

  listDailyAnalytics: {
    tag: "Tokens",
    summary: "List launches, trades, traders, volume and fees by day",
    description:
      "Sums of each day (UTC) since the first launch, oldest first; the latest `limit` days, or those before `before`. " +
      "Days without activity have zeros. With `format=csv` the answer is a table.",
    query: dailyAnalyticsQuery,
    answers: { 200: { description: "The days", schema: dailyAnalytics, csv: true } },
    errors: ["index_unavailable", "storage_unavailable"],
  },

  getLiveness: {
    tag: "Operation",
    summary: "Check that the process responds",
    description: "Does not check the database or the chain, because a restart of this process would not repair them.",
    foreignQuery: true,
    answers: { 200: { description: "The process responds", schema: z.object({ status: z.literal("alive") }) } },
    errors: [],
  },

  getReadiness: {
    tag: "Operation",
    summary: "Check that the process can serve every request",
    description:
      "Answers 503 with the failed checks if it cannot. With `for`, only the database and a stopping process matter: " +
      "a process that can read the database is ready for reads also while the primary takes no writes. `checks.chain` also compares the chain id of the RPC " +
      "endpoint. A gas station that is unavailable does not make the process unready; `gas_station` has the reason.",
    query: z.object({
      for: z.enum(["reads", "writes"]).optional().describe("The requests to check; default: every request."),
    }),
    foreignQuery: true,
    answers: {
      200: { description: "Ready", schema: readiness },
      503: { description: "Not ready; `checks` has the failed parts and the reasons", schema: readiness },
    },
    errors: ["invalid_query"],
  },

  getMetrics: {
    tag: "Operation",
    summary: "Get metrics in the Prometheus text format",
    description:
      "The metrics of this process only; every process has its own. Formatted at most once a second. If the operator " +
      "serves metrics at a port of their own, this path is not found.",
    foreignQuery: true,
    answers: { 200: { description: "The metrics of this process", contentType: "text/plain" } },
    errors: [],
  },
} satisfies Record<string, OperationDefinition>;
