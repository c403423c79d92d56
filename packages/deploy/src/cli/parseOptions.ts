import { parseArgs, type ParseArgsConfig } from "node:util";
import { type Address, getAddress, isAddress, zeroAddress } from "viem";
import { DeployError } from "../deployError.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type OptionValues = Record<string, string | boolean | undefined>;

const keyOption = /^--?(private-?key|key|secret|mnemonic|seed|password)(=|$)/i;
const bareKey = /(^|=)(0x)?[0-9a-fA-F]{64}$/;

/**
 * A command line as values by name. Refuses a secret on it, whatever its option is called.
 *
 * @param allowed - Options whose value is 32 bytes of hex and no key.
 * @throws DeployError `key_on_command_line`, `invalid_option`.
 */
export function parseOptions(args: readonly string[], options: Options, allowed: readonly string[] = []): OptionValues {
  args.forEach((argument, index) => {
    const isAllowed = allowed.some((name) => argument.startsWith(`--${name}=`) || args[index - 1] === `--${name}`);
    if (keyOption.test(argument) || (bareKey.test(argument) && !isAllowed)) {
      throw new DeployError("key_on_command_line", "there seems to be a secret on the command line");
    }
  });
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as OptionValues;
  } catch (error) {
    throw new DeployError("invalid_option", error instanceof Error ? error.message : String(error));
  }
}

/** An option's text; undefined when it was left out. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  if (value === "") throw new DeployError("invalid_option", `--${name} is empty`);
  return typeof value === "string" ? value : undefined;
}

/** An option's address, checksummed; undefined when it was left out. */
export function addressOption(values: OptionValues, name: string): Address | undefined {
  const text = textOption(values, name);
  return text === undefined ? undefined : parseAddress(text, `--${name}`);
}

/** @throws DeployError `invalid_option` for anything but an address; mixed case must be a right checksum. */
export function parseAddress(text: string, where: string): Address {
  if (!isAddress(text, { strict: false })) {
    throw new DeployError("invalid_option", `${where}: ${text} is no address (0x and 40 hex digits)`);
  }
  const isMixed = text.slice(2) !== text.slice(2).toLowerCase() && text.slice(2) !== text.slice(2).toUpperCase();
  if (isMixed && !isAddress(text)) {
    throw new DeployError("invalid_option", `${where}: ${text} has a wrong checksum; look for a mistyped digit`);
  }
  if (text === zeroAddress) throw new DeployError("invalid_option", `${where} is the zero address`);
  return getAddress(text.toLowerCase() as Address);
}

/** An option's whole number; undefined when it was left out. */
export function integerOption(values: OptionValues, name: string): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new DeployError("invalid_option", `--${name}: ${text} is no whole number`);
  }
  return value;
}
