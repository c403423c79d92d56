import { relative } from "node:path";
import pc from "picocolors";
import { askedMode } from "./stack/askedMode.ts";
import { serveOwnChain } from "./service/serveOwnChain.ts";
import { printedProgress } from "./stack/progress.ts";
import { defaultStackDir } from "./stack/stackFolder.ts";
import { showError } from "./stack/showError.ts";
import { startStack, type Stack } from "./startStack.ts";
import { StopRequested, stopRequest } from "./process/stopRequest.ts";

const defaultPort = 8787;
const shownDir = relative(process.cwd(), defaultStackDir);

/**
 * `npm start`: the local stack of this checkout, until Ctrl-C; or, with the four settings of `askedMode`, the server
 * alone on a chain and a database of your own.
 *
 * @returns the exit code
 */
async function main(): Promise<number> {
  const mode = askedMode(process.argv.slice(2), process.env);
  if (mode.kind === "own-chain") return serveOwnChain();
  const startedAt = performance.now();
  const stopAsked = stopRequest();
  const stack = await startStack({
    dir: defaultStackDir,
    port: Number(process.env.PORT ?? defaultPort),
    demo: mode.demo,
    durable: true,
    progress: printedProgress(),
    signal: stopAsked,
  });
  printSummary(stack, (performance.now() - startedAt) / 1000);
  const failure = await Promise.race([stack.failed, aborted(stopAsked)]);
  process.stdout.write(failure ? "" : "\nStopping: server, chain (saves its state), database\n");
  await stack.stop();
  if (failure) throw failure;
  process.stdout.write(
    `Stopped. The data stay in ${shownDir}; npm start continues with them, npm run reset drops them.\n`,
  );
  return 0;
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener("abort", () => resolve(null));
  });
}

function printSummary(stack: Stack, seconds: number): void {
  const line = (name: string, value: string) => `  ${name.padEnd(14)}${value}\n`;
  process.stdout.write(
    `\n${pc.bold(`Slipway is ready in ${seconds.toFixed(1)} s`)}\n` +
      line("Site", stack.siteUrl) +
      line("API", stack.baseUrl) +
      line("Reference", `${stack.siteUrl}/docs`) +
      line("Chain RPC", `${stack.rpcUrl} (chain id ${stack.devFile.chain_id})`) +
      line("Key, wallets", `${shownDir}/dev.json`) +
      line("Logs", `${shownDir}/server.log, chain.log, postgres.log`) +
      `\nnpm run demo plays a launch from draft to fees. Ctrl-C stops everything.\n\n`,
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof StopRequested) process.stdout.write("Stopped before it was ready; nothing is left running.\n");
  else process.exitCode = showError(error);
}
