import { z } from "zod";
import { removed } from "../accounts.ts";
import {
  createdWebhook,
  deliveriesQuery,
  maxWebhooks,
  newWebhook,
  replayQuery,
  webhook,
  webhookChange,
  webhookDeliveries,
  webhookList,
  webhookReplay,
  webhookSecret,
  webhookTest,
} from "../webhooks.ts";
import { idempotencyHeaders, type OperationDefinition } from "./operationDefinition.ts";

const params = z.object({ id: z.uuid().describe("The id of one of the account's webhooks.") });

/** Operations on webhooks. */
export const webhooksOperations = {
  createWebhook: {
    tag: "Webhooks",
    summary: "Create a webhook",
    description:
      "The endpoint gets every message of the subject from now on, signed by Standard Webhooks. Only this answer " +
      "contains the secret. A retry of the same request with the same Idempotency-Key answers 200 with the same id and " +
      `no secret; a different request with the same key is 409. An account can have ${maxWebhooks.free} webhooks, and ` +
      `${maxWebhooks.subscriber} with the plan \`subscriber\`, which the subject \`risk\` needs.`,
    headers: idempotencyHeaders,
    body: newWebhook,
    answers: {
      201: { description: "The webhook was stored", schema: createdWebhook },
      200: { description: "Retry of an earlier request", schema: createdWebhook },
    },
    errors: [
      ...(["too_many_webhooks", "plan_required", "idempotency_key_reused"] as const),
      ...(["provider_unavailable", "storage_unavailable"] as const),
    ],
  },

  listWebhooks: {
    tag: "Webhooks",
    summary: "List the webhooks of the account, newest first",
    description: "Secrets are not listed.",
    answers: { 200: { description: "The webhooks", schema: webhookList } },
    errors: ["storage_unavailable"],
  },

  changeWebhook: {
    tag: "Webhooks",
    summary: "Change the URL of a webhook, pause it or enable it",
    description:
      "An enabled webhook continues with the message after its last one. If messages in between are older than a day, " +
      "it first gets a `snapshot` message.",
    params,
    body: webhookChange,
    answers: { 200: { description: "The changed webhook", schema: webhook } },
    errors: ["invalid_request", "not_found", "too_many_webhooks", "plan_required", "storage_unavailable"],
  },

  deleteWebhook: {
    tag: "Webhooks",
    summary: "Delete a webhook",
    description: "Its queued messages are not sent. Its Idempotency-Key can be used again.",
    params,
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listWebhookDeliveries: {
    tag: "Webhooks",
    summary: "List the messages of a webhook, newest first",
    description: "Messages of the last two days, with their attempts. Bodies of requests and responses are not stored.",
    params,
    query: deliveriesQuery,
    answers: { 200: { description: "A page of messages", schema: webhookDeliveries } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  replayWebhook: {
    tag: "Webhooks",
    summary: "Send the messages after a cursor again",
    description:
      "The webhook gets every message after the cursor, also those that were delivered, with the same ids. Cursors are " +
      "those of messages and of the live streams; the service keeps the events of 24 hours. If events after the cursor " +
      "are older, the webhook first gets a `snapshot` message.",
    params,
    query: replayQuery,
    answers: { 200: { description: "The replay has begun", schema: webhookReplay } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  testWebhook: {
    tag: "Webhooks",
    summary: "Send a test message to a webhook",
    description:
      "Queues a message of the type `test` behind earlier messages; its delivery shows the result. While a test message " +
      "is queued, the answer has its id.",
    params,
    answers: { 202: { description: "The message is queued", schema: webhookTest } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  rotateWebhookSecret: {
    tag: "Webhooks",
    summary: "Create a new secret of a webhook",
    description:
      "Only this answer contains the secret. For 24 hours, messages are signed with the new and the previous secret.",
    params,
    answers: { 200: { description: "The new secret", schema: webhookSecret } },
    errors: ["invalid_request", "not_found", "provider_unavailable", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
