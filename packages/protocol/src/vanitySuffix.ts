const suffixPattern = /^[0-9a-f]{1,8}$/;

/**
 * Returns the wanted last hex digits of a token's address in lower case.
 *
 * @param suffix - 1 to 8 hex digits in any case.
 * @throws RangeError for a suffix of another form
 */
export function readVanitySuffix(suffix: string): string {
  const digits = suffix.toLowerCase();
  if (!suffixPattern.test(digits)) throw new RangeError("The suffix must be 1 to 8 hex digits, such as c0de.");
  return digits;
}
