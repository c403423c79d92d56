import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { createObserver, type Observer } from "./createObserver.ts";

type ObserverConfig = Pick<
  Config,
  "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" | "OTEL_SDK_DISABLED" | "SLOW_QUERY_MS"
>;

/**
 * Opens the observer of the settings. Without an endpoint for traces, OpenTelemetry is not loaded.
 *
 * @returns undefined without traces and without a log of slow statements: nothing is then measured.
 */
export async function openObserver(
  config: ObserverConfig,
  log: Logger,
  clock: Pick<Clock, "now">,
): Promise<Observer | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isTraced = endpoint !== undefined && !config.OTEL_SDK_DISABLED;
  if (!isTraced && config.SLOW_QUERY_MS === 0) return undefined;
  const spans = isTraced ? (await import("./openTelemetry.ts")).openSpans() : null;
  return createObserver({ spans, slowQueryMs: config.SLOW_QUERY_MS, log, nowMs: () => clock.now() });
}
