import { integer } from "./settingTypes.ts";

/** Settings of webhooks. `docs/webhooks.md` explains them. */
export const webhookSettings = {
  /** The interval at which the worker looks for new messages and due deliveries. */
  WEBHOOK_POLL_MS: integer(10, 3_600_000).default(500),
  /** Maximum number of concurrent deliveries of a process. */
  WEBHOOK_CONNECTIONS: integer(2, 1_000).default(50),
};
