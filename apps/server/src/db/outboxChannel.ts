/**
 * The channel that API processes LISTEN on. A notification says that there is something new in `chain.outbox` or
 * `app.token_manifests`, not what.
 */
export const outboxChannel = "slipway_outbox";
