import { isPaymasterUrl } from "@slipway/protocol/paymasterUrl";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { Secret } from "./secret.ts";

// The types of settings: the valid texts of an environment variable, and the parsed values.

export const url = (protocols: readonly string[]) => {
  const text = `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`;
  return z.string(text).refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: text,
    abort: true,
  });
};

/** Whether a URL is http at 127.0.0.1: a service that the operator runs on the same machine. */
export function isLoopbackUrl(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && parsed.protocol === "http:" && parsed.hostname === "127.0.0.1";
}

/** A public https URL, or an http URL of this machine. */
export const httpsOrLoopbackUrl = z
  .string()
  .refine(
    (value) => (URL.canParse(value) && new URL(value).protocol === "https:") || isLoopbackUrl(value),
    "must be a URL that begins with https://, or with http://127.0.0.1 for a feed of this machine",
  );

/** The URL of a paymaster, which every visitor and every wallet can read. */
export const paymasterUrl = z
  .string()
  .refine(
    isPaymasterUrl,
    "must be a URL that begins with https://, or with http:// for this machine, without a user, a password or a #; " +
      "everybody can read it, so that it must contain no secret",
  );

/**
 * An origin as browsers send it: scheme, host in lower case and port. Refuses a path, which would never match, and a
 * wildcard, which the sign-in library would read as a pattern.
 */
export const webOrigin = z.string().transform((value, context) => {
  const parsed = URL.parse(value);
  const isOrigin =
    parsed !== null && ["http:", "https:"].includes(parsed.protocol) && parsed.href === `${parsed.origin}/`;
  if (isOrigin && !parsed.host.includes("*")) return parsed.origin;
  context.addIssue("must be an origin such as https://app.example.com, in full: no path and no wildcard");
  return z.NEVER;
});

/** A URL whose user and password the service decodes. */
export const urlWithUser = (protocols: readonly string[]) =>
  url(protocols).refine((value) => {
    try {
      const { username, password } = new URL(value);
      return decodeURIComponent(username + password) !== undefined;
    } catch {
      return false;
    }
  }, "has a % in its user or password that encodes nothing; write %25 for the character %");

export const createEnum = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

export const list = <T>(item: z.ZodType<T, string>, text = "must be a list separated by commas") =>
  z
    .string(text)
    .transform((value) =>
      value
        .split(",")
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item));

/** A whole number in decimal digits: `Number` would parse white space as 0, which disables some limits. */
export const integer = (minimum: number, maximum: number) => {
  const text = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .trim()
    .regex(/^[0-9]{1,16}$/, text)
    .transform(Number)
    .pipe(z.number().min(minimum, text).max(maximum, text));
};

/** An amount in wei, as decimal digits. */
export const wei = (byDefault: bigint) =>
  z
    .string()
    .regex(/^[0-9]{1,30}$/, "must be decimal digits")
    .default(byDefault.toString())
    .transform((digits) => BigInt(digits));

/** A private key as a `Secret`, which cannot be printed. */
export const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x followed by 64 hex digits")
  .refine((key) => {
    try {
      return privateKeyToAddress(key as `0x${string}`) !== undefined;
    } catch {
      return false;
    }
  }, "is not a private key of secp256k1")
  .transform((key) => new Secret(key));

/** Text as a `Secret`, which cannot be printed. */
export const secretText = (minimum: number) =>
  z
    .string()
    .min(minimum, `must have at least ${minimum} characters`)
    .transform((text) => Secret.fromText(text));
