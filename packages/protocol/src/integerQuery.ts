import { z } from "zod";

/**
 * A whole number in a query, only in decimal digits: `Number` would also accept `1e2`, ` 5` and an empty text. OpenAPI
 * shows the parameter as an integer.
 */
const digits = (minimum: number, maximum: number, message: string) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, message)
    .meta({ type: "integer", minimum, maximum, pattern: undefined });

/** Later than any block. */
export const maxBlockNumber = 10 ** 15 - 1;

const describe = (minimum: number, maximum: number) => `must be a whole number from ${minimum} to ${maximum}`;

/** A whole number with a default. */
export function integerQuery(minimum: number, maximum: number, preset: number) {
  const message = describe(minimum, maximum);
  return digits(minimum, maximum, message)
    .default(String(preset))
    .meta({ default: preset })
    .transform(Number)
    .pipe(z.int(message).min(minimum, message).max(maximum, message));
}

/** A required whole number. */
export function requiredIntegerQuery(minimum: number, maximum: number, message = describe(minimum, maximum)) {
  return digits(minimum, maximum, message)
    .transform(Number)
    .pipe(z.int(message).min(minimum, message).max(maximum, message));
}

/** An optional whole number. */
export function optionalIntegerQuery(minimum: number, maximum: number, message = describe(minimum, maximum)) {
  return requiredIntegerQuery(minimum, maximum, message).optional();
}
