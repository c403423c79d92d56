/** Words of validation libraries and of their languages, which mean nothing to who reads an error. */
const jargon =
  /received|\bexpected (a |an )?(string|number|int|array|object|boolean|record|one)\b|invalid (input|string|type|option|key|element|union|enum)|undefined|\bNaN\b|\bzod\b|regex|pattern|discriminator|instance ?of|too (small|big)|>=|<=|\bnull,|literal|\[object/i;

/** How every field is named: `recipients[0].share_bps`; an unknown one of another form `["limit[]"]`. */
const fieldName = /^([A-Za-z_][\w-]*|\["[^"]*"\])(\[\d+\]|\.[A-Za-z_][\w-]*|\["[^"]*"\])*$/;

/** Why an error text is unclear to its reader; null for a clear one. */
export function findErrorTextFault({ message, field }: { message: string; field?: string }): string | null {
  // The sender may have chosen the name of the field.
  const words = jargon.exec(field === undefined ? message : message.replaceAll(field, ""))?.[0];
  if (words !== undefined) return `"${message}" has the jargon "${words}"`;
  if (!/^[\w`"[].*\.$/su.test(message)) return `"${message}" is no sentence`;
  if (message.length > 400) return `"${message}" is too long to read`;
  if (field !== undefined && !fieldName.test(field)) return `the field is written ${JSON.stringify(field)}`;
  return null;
}
