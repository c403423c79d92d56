import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Address, getAddress, type Hex, hexToNumber, isAddress, zeroAddress } from "viem";
import { callRpc, createRpcClient, type RpcClient } from "../createRpcClient.ts";
import { DeployError } from "../deployError.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type OptionValues = Record<string, string | boolean | undefined>;

const keyOption = /^--?(private-?key|key|secret|mnemonic|seed|password)(=|$)/i;
const bareKey = /(^|=)(0x)?[0-9a-fA-F]{64}$/;

/**
 * Parses a command line into values by name. Rejects a secret in any option.
 *
 * @param allowed - Options whose value is 32 bytes of hex but not a key.
 * @throws DeployError `key_on_command_line`, `invalid_option`.
 */
export function parseOptions(args: readonly string[], options: Options, allowed: readonly string[] = []): OptionValues {
  args.forEach((argument, index) => {
    const isAllowed = allowed.some((name) => argument.startsWith(`--${name}=`) || args[index - 1] === `--${name}`);
    if (keyOption.test(argument) || (bareKey.test(argument) && !isAllowed)) {
      throw new DeployError("key_on_command_line", "the command line seems to contain a secret");
    }
  });
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as OptionValues;
  } catch (error) {
    throw new DeployError("invalid_option", error instanceof Error ? error.message : String(error));
  }
}

/** Returns an option's text; undefined when omitted. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  if (value === "") throw new DeployError("invalid_option", `--${name} is empty`);
  return typeof value === "string" ? value : undefined;
}

/** Returns an option's address, checksummed; undefined when omitted. */
export function addressOption(values: OptionValues, name: string): Address | undefined {
  const text = textOption(values, name);
  return text === undefined ? undefined : parseAddress(text, `--${name}`);
}

/** Parses an address; mixed case must be a valid checksum. @throws DeployError `invalid_option` */
export function parseAddress(text: string, where: string): Address {
  if (!isAddress(text, { strict: false })) {
    throw new DeployError("invalid_option", `${where}: ${text} is not an address (0x and 40 hex digits)`);
  }
  const isMixed = text.slice(2) !== text.slice(2).toLowerCase() && text.slice(2) !== text.slice(2).toUpperCase();
  if (isMixed && !isAddress(text)) {
    throw new DeployError("invalid_option", `${where}: ${text} has a wrong checksum; look for a mistyped digit`);
  }
  if (text === zeroAddress) throw new DeployError("invalid_option", `${where} is the zero address`);
  return getAddress(text.toLowerCase() as Address);
}

/** Returns an option's integer; undefined when omitted. */
export function integerOption(values: OptionValues, name: string): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new DeployError("invalid_option", `--${name}: ${text} is not a whole number`);
  }
  return value;
}

/**
 * Connects to the chain of a command: `--rpc-url` or RPC_URL, checked against `--chain-id` if given.
 *
 * @throws DeployError `setting_missing`, `invalid_option`, `rpc_unavailable`, `wrong_chain`.
 */
export async function connect(
  values: OptionValues,
  env: NodeJS.ProcessEnv,
): Promise<{ client: RpcClient; chainId: number }> {
  const url = textOption(values, "rpc-url") ?? env.RPC_URL;
  if (url === undefined || url === "") {
    throw new DeployError("setting_missing", "the endpoint is missing: pass --rpc-url or set RPC_URL");
  }
  // The URL is not repeated: it may contain a key.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new DeployError("invalid_option", "the endpoint is not an http or https URL");
  }
  const client = createRpcClient(url);
  const chainId = hexToNumber((await callRpc(client, "eth_chainId", [])) as Hex);
  const expected = integerOption(values, "chain-id");
  if (expected !== undefined && expected !== chainId) {
    throw new DeployError("wrong_chain", `the endpoint's chain is ${chainId}, --chain-id is ${expected}`);
  }
  return { client, chainId };
}
