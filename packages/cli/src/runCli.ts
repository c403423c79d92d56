import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createClient } from "@slipway/sdk/createClient";
import { Command } from "commander";
import { exitCodes, getEnding, maskSecrets } from "./cliError.ts";
import { addAccountCommands } from "./commands/account.ts";
import { addFeeCommands } from "./commands/fees.ts";
import { addGasCommands } from "./commands/gas.ts";
import { addLaunchCommands } from "./commands/launch.ts";
import { addMarketCommands } from "./commands/market.ts";
import { addOpeningCommands } from "./commands/openings.ts";
import { addTradeCommands } from "./commands/trade.ts";
import { addWatchCommand } from "./commands/watch.ts";
import type { Context, GlobalOptions } from "./context.ts";
import type { Environment } from "./openWallet.ts";
import { createOutput, type Sink } from "./output.ts";

/** The used part of the process. */
export type Process = { env: Environment; stdin: Readable; stdout: Sink; stderr: Sink };

const help = `
Settings: SLIPWAY_URL, SLIPWAY_API_KEY, SLIPWAY_RPC_URL, SLIPWAY_MANIFEST.
The key that signs: --keystore FILE (SLIPWAY_KEYSTORE_PASSWORD or a prompt), --key-file FILE, or SLIPWAY_PRIVATE_KEY.
Exit codes: 0 success, 1 unexpected, 2 usage, 3 refused, 4 reverted, 5 declined.`;

/**
 * Runs the program.
 *
 * @param args - The arguments without the program's name.
 * @returns the exit code
 */
export async function runCli(args: readonly string[], { env, stdin, stdout, stderr }: Process): Promise<number> {
  const program = new Command("slipway")
    .description("Market data, trades, launches and fees of Slipway, a noncustodial token launchpad.")
    .option("--url <url>", "the API's root (SLIPWAY_URL)")
    .option("--json", "print an object a line instead of tables")
    .addHelpText("after", help)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // The error names a wrong argument, which can be a key that was pasted by mistake, or a stranger's text.
      outputError: (text) => output.note(maskSecrets(text)),
    });
  const isJson = () => program.opts<GlobalOptions>().json === true;
  const output = createOutput({ stdout, stderr }, { isJson, env });
  const prompt = createPrompt(stdin, stderr);
  const getBaseUrl = () =>
    program.opts<GlobalOptions>().url ?? (env.SLIPWAY_URL || "http://127.0.0.1:8787/api/v1/launchpad");
  const context: Context = {
    env,
    output,
    ask: prompt.ask,
    getBaseUrl,
    openClient: () => {
      const apiKey = env.SLIPWAY_API_KEY;
      return createClient({ baseUrl: getBaseUrl(), ...(apiKey ? { apiKey } : {}) });
    },
  };
  const groups = [
    addMarketCommands,
    addTradeCommands,
    addFeeCommands,
    addWatchCommand,
    addLaunchCommands,
    addOpeningCommands,
    addGasCommands,
    addAccountCommands,
  ];
  for (const addCommands of groups) addCommands(program, context);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    const { outcome, code, message } = getEnding(error);
    if (message !== null) output.note(outcome === "ok" ? message : `${outcome}: ${code}: ${message}`);
    return exitCodes[outcome];
  } finally {
    prompt.close();
  }
}

/** Creates the question for yes or no on the terminal. The end of the input is a no. */
function createPrompt(stdin: Readable, stderr: Sink) {
  let lines: ReturnType<typeof createInterface> | undefined;
  let answers: AsyncIterator<string> | undefined;
  return {
    ask: async (question: string): Promise<boolean> => {
      stderr.write(`${question} [y/N] `);
      lines ??= createInterface({ input: stdin });
      answers ??= lines[Symbol.asyncIterator]();
      const { value, done } = await answers.next();
      return !done && /^y(es)?$/i.test(value.trim());
    },
    close: () => lines?.close(),
  };
}
