import { once } from "node:events";
import { relative } from "node:path";
import pc from "picocolors";
import { subscribeWallet } from "./service/subscribeWallet.ts";
import { buildSite } from "./site/buildSite.ts";
import { siteServerOrigin, startSiteServer } from "./site/startSiteServer.ts";
import { createProgressPrinter, type Progress, printError } from "./stack/progress.ts";
import { defaultStackDir, resolveStackFolder } from "./stack/stackFolder.ts";
import { hasApiRole, onNpmExit, parseStartMode, serveExternalChain, startHelp } from "./stack/startMode.ts";
import { type Stack, startStack } from "./startStack.ts";

const shownDir = relative(process.cwd(), defaultStackDir);
/** The time within which a second Ctrl-C counts as the same one: npm also passes on the terminal's signal. */
const repeatMs = 2_000;

/** The abort reason of the signal from `createStopSignal`. */
class StopRequested extends Error {
  override readonly name = "StopRequested";
}

/**
 * `npm start`: runs the local stack of this checkout until Ctrl-C; or, with the four settings of `parseStartMode`, only
 * the server on an external chain and database.
 *
 * @returns the exit code
 */
async function main(): Promise<number> {
  const mode = parseStartMode(process.argv.slice(2), process.env);
  if (mode.kind === "help") {
    process.stdout.write(startHelp);
    return 0;
  }
  const startedAt = performance.now();
  const progress = createProgressPrinter();
  const watch = mode.kind === "local" && mode.watch;
  // The server reads WEB_DIST from the environment, like every other setting.
  if (!watch && hasApiRole(process.env)) process.env.WEB_DIST ||= await buildSiteWith(progress);
  if (mode.kind === "external-chain") return serveExternalChain();
  const signal = createStopSignal();
  const stack = await startStack({
    dir: defaultStackDir,
    port: mode.ports.site,
    chainPort: mode.ports.chain,
    databasePort: mode.ports.database,
    demo: mode.demo,
    durable: true,
    watch,
    ...(watch && { serverEnvironment: { SITE_URL: siteServerOrigin } }),
    progress,
    signal,
  });
  const stopSite = watch ? await startSiteServer(resolveStackFolder(defaultStackDir), stack.siteUrl) : null;
  printSummary(stack, watch ? siteServerOrigin : stack.siteUrl, (performance.now() - startedAt) / 1000);
  if (mode.demo) {
    // The stack works without the plan, and stops without waiting for it.
    void subscribeWallet(stack, watch ? siteServerOrigin : stack.siteUrl).catch(({ message }: Error) => {
      if (!signal.aborted) process.stderr.write(`The first wallet of dev.json has no plan: ${message}\n`);
    });
  }
  const stopped = signal.aborted ? null : once(signal, "abort").then(() => null);
  const failure = await Promise.race([stack.failed, stopped]);
  process.stdout.write(failure ? "" : "\nStopping: server, chain (saves its state), database\n");
  await stopSite?.();
  await stack.stop();
  if (failure) throw failure;
  process.stdout.write(
    `Stopped. The data stay in ${shownDir}; npm start continues with them, npm run reset deletes them.\n`,
  );
  return 0;
}

/** Builds the site of this checkout. @returns its folder */
async function buildSiteWith(progress: Progress): Promise<string> {
  const { folder } = await progress.step(
    "Site",
    () => buildSite(),
    ({ isNew }) => (isNew ? "built" : "unchanged, already built"),
  );
  return folder;
}

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP of this process, or when the npm that runs it
 * has ended. A later signal, after two seconds, ends the process immediately; its reaper then ends the children.
 */
function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  let abortedAt = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        abortedAt = Date.now();
        controller.abort(new StopRequested());
      } else if (Date.now() - abortedAt > repeatMs) process.exit(130);
    });
  }
  onNpmExit(() => controller.abort(new StopRequested()));
  return controller.signal;
}

function printSummary(stack: Stack, siteUrl: string, seconds: number): void {
  const line = (name: string, value: string) => `  ${name.padEnd(14)}${value}\n`;
  process.stdout.write(
    `\n${pc.bold(`Slipway is ready in ${seconds.toFixed(1)} s`)}\n` +
      line("Site", siteUrl) +
      line("API", stack.baseUrl) +
      line("Reference", `${stack.siteUrl}/docs`) +
      line("Chain RPC", `${stack.rpcUrl} (chain id ${stack.devFile.chain_id})`) +
      line("Mails", `${shownDir}/mails`) +
      line("Key, wallets", `${shownDir}/dev.json`) +
      line("Logs", `${shownDir}/server.log, chain.log, postgres.log`) +
      `\nnpm run demo runs a launch from draft to fees. Ctrl-C stops everything.\n\n`,
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof StopRequested) process.stdout.write("Stopped before it was ready; nothing is left running.\n");
  else process.exitCode = printError(error);
}
