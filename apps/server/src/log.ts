import pino, { type Logger } from "pino";
import type { Config } from "./config.ts";

/**
 * The process's log: JSON lines on standard output. Headers, bodies and URLs are never logged whole; what could still
 * carry a secret is redacted.
 */
export function createLog(config: Pick<Config, "LOG_LEVEL">): Logger {
  return pino({
    level: config.LOG_LEVEL,
    redact: {
      paths: [
        "*.authorization",
        "*.cookie",
        "*.password",
        "*.api_key",
        "*.privateKey",
        "*.connectionString",
        "err.config",
        "err.request",
        "err.url",
        // PostgreSQL quotes the row that it refuses.
        "err.detail",
        "err.where",
      ],
      censor: "[redacted]",
    },
    serializers: {
      err: pino.stdSerializers.err,
      req: (request: { method?: string; id?: string }) => ({ method: request.method, id: request.id }),
    },
  });
}
