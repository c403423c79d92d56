import { ConfigError, configExitCode, parseConfig } from "./config.ts";
import { createLog } from "./log.ts";
import { startServer } from "./startServer.ts";
import { systemClock } from "./systemClock.ts";

/** Exit code of a failed start whose cause an operator can correct (sysexits EX_UNAVAILABLE). */
const unavailableExitCode = 69;

// The IPC channel closes when the supervisor ends; without the supervisor nothing would restart or stop this process.
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
    // A hung connection must not keep the process running.
    setTimeout(() => process.exit(1), config.DRAIN_SECONDS * 1_000 + config.SHUTDOWN_TIMEOUT_MS + 1_000).unref();
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
