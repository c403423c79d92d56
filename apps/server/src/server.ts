import { systemClock } from "./systemClock.ts";
import { ConfigError, configExitCode, parseConfig } from "./config.ts";
import { createLog } from "./log.ts";
import { startServer } from "./startServer.ts";

/** A start that failed for a reason an operator can mend (sysexits EX_UNAVAILABLE). */
const unavailableExitCode = 69;

// A supervisor that dies takes the channel with it; nobody would restart or stop this process then.
const endUnfinished = () => process.exit(unavailableExitCode);
process.on("disconnect", endUnfinished);

try {
  const config = parseConfig(process.env);
  const log = createLog(config);
  const server = await startServer({ config, log, clock: systemClock });

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    // A hung connection must not hold the process for ever.
    setTimeout(() => process.exit(1), config.SHUTDOWN_TIMEOUT_MS + 1_000).unref();
    await server.stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  process.off("disconnect", endUnfinished);
  process.on("disconnect", () => void stop("disconnect"));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(error instanceof ConfigError ? configExitCode : unavailableExitCode);
}
