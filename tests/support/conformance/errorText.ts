/** Jargon of validation libraries and of their languages, which the reader of an error does not know. */
const jargon =
  /received|\bexpected (a |an )?(string|number|int|array|object|boolean|record|one)\b|invalid (input|string|type|option|key|element|union|enum)|undefined|\bNaN\b|\bzod\b|regex|pattern|discriminator|instance ?of|too (small|big)|>=|<=|\bnull,|literal|\[object/i;

/** The format of field names: `recipients[0].share_bps`; an unknown field of another form is `["limit[]"]`. */
const fieldName = /^([A-Za-z_][\w-]*|\["[^"]*"\])(\[\d+\]|\.[A-Za-z_][\w-]*|\["[^"]*"\])*$/;

/** Returns the reason why an error text is unclear; null for a clear text. */
export function findErrorTextFault({ message, field }: { message: string; field?: string }): string | null {
  // The sender may have chosen the name of the field.
  const words = jargon.exec(field === undefined ? message : message.replaceAll(field, ""))?.[0];
  if (words !== undefined) return `"${message}" has the jargon "${words}"`;
  if (!/^[\w`"[].*\.$/su.test(message)) return `"${message}" is no sentence`;
  if (message.length > 400) return `"${message}" is too long to read`;
  if (field !== undefined && !fieldName.test(field)) return `the field is written ${JSON.stringify(field)}`;
  return null;
}
