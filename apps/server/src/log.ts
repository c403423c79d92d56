import pino, { type Logger } from "pino";
import type { Config } from "./config.ts";

/**
 * Creates the process's log: JSON lines on standard output. Headers, bodies and URLs are never logged; other fields that
 * could hold a secret are redacted.
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
        // PostgreSQL quotes the row that violates a constraint.
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
