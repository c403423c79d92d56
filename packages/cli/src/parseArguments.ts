import { InvalidArgumentError } from "commander";
import { formatUnits, getAddress, parseUnits } from "ethers";

/** The decimals of native, of wrapped native and of every token that the service launches. */
export const decimals = 18;

/** @throws InvalidArgumentError also for an address with a wrong checksum, which is likely a typing error. */
export function parseAddress(text: string): string {
  try {
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return getAddress(text);
  } catch {
    throw new InvalidArgumentError("The checksum of the address is wrong.");
  }
  throw new InvalidArgumentError("It is not an address: 0x and 40 hex digits.");
}

/** Parses a positive amount such as `0.25` into base units. */
export function parseAmount(text: string): bigint {
  if (!/^\d{1,40}(\.\d{1,18})?$/.test(text))
    throw new InvalidArgumentError("An amount is a number such as 0.25, with at most 18 decimals.");
  const amount = parseUnits(text, decimals);
  if (amount === 0n) throw new InvalidArgumentError("The amount is 0.");
  return amount;
}

/** Creates the parser of a whole number within limits. */
export const parseInteger = (minimum: number, maximum: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new InvalidArgumentError(`It is not a whole number from ${minimum} to ${maximum}.`);
};

/** Formats base units as an amount of whole units. */
export const formatAmount = (amount: string | bigint, unitDecimals = decimals) => formatUnits(amount, unitDecimals);
