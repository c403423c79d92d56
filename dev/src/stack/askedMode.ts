import { StackError } from "./stackError.ts";

/** The local stack, or the server alone on a chain and a database that the environment names. */
export type AskedMode = { kind: "local"; demo: boolean } | { kind: "own-chain" };

/** What a chain of your own takes; all or none. */
const ownChainSettings = ["DATABASE_URL", "RPC_URL", "MANIFEST_PATH", "MANIFEST_SHA256"] as const;

/**
 * Reads what `npm start` was asked for.
 *
 * @throws StackError for an unknown argument, a bad PORT, or an incomplete set of settings
 */
export function askedMode(args: string[], environment: NodeJS.ProcessEnv): AskedMode {
  const unknown = args.filter((argument) => argument !== "--no-demo");
  if (unknown.length > 0) {
    throw new StackError(
      `Unknown argument: ${unknown.join(" ")}`,
      "npm start takes one option: npm start -- --no-demo",
    );
  }
  const missing = ownChainSettings.filter((name) => !environment[name]);
  if (missing.length === 0) return { kind: "own-chain" };
  if (missing.length < ownChainSettings.length) {
    const present = ownChainSettings.filter((name) => !missing.includes(name));
    throw new StackError(
      `${present.join(", ")} ${present.length === 1 ? "is" : "are"} set but ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not.`,
      "Set all four to serve a chain of your own, or none of them for the local stack.",
    );
  }
  const port = environment.PORT;
  if (port !== undefined && !(Number.isInteger(Number(port)) && Number(port) > 0 && Number(port) < 65_536)) {
    throw new StackError(`PORT is ${JSON.stringify(port)}.`, "Give a number from 1 to 65535: PORT=8788 npm start");
  }
  // `npm start --no-demo` without the second pair of dashes reaches a program as npm's own setting.
  const demo = !args.includes("--no-demo") && environment.npm_config_demo !== "";
  return { kind: "local", demo };
}
