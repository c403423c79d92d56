const tagLength = 4;
const headerLength = 12;
const recordLength = 16;

/**
 * Removes a table of a TrueType or OpenType font.
 * Source: https://learn.microsoft.com/typography/opentype/spec/otff (Organization of an OpenType Font)
 *
 * @param tag - The four characters of the table, such as `"SVG "`.
 * @throws Error if the font has no such table.
 */
export function removeFontTable(font: Buffer, tag: string): Buffer {
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const at = headerLength + index * recordLength;
    return {
      tag: font.toString("latin1", at, at + tagLength),
      checksum: font.readUInt32BE(at + 4),
      offset: font.readUInt32BE(at + 8),
      length: font.readUInt32BE(at + 12),
    };
  });
  const kept = records.filter((record) => record.tag !== tag);
  if (kept.length === records.length) throw new Error(`the font has no table "${tag}"`);
  const head = Buffer.alloc(headerLength + kept.length * recordLength);
  font.copy(head, 0, 0, 4);
  const power = Math.floor(Math.log2(kept.length));
  const search = [kept.length, 2 ** power * 16, power, kept.length * 16 - 2 ** power * 16];
  for (const [index, value] of search.entries()) head.writeUInt16BE(value, 4 + 2 * index);
  const parts: Uint8Array[] = [head];
  let offset = head.length;
  for (const [index, record] of kept.entries()) {
    const at = headerLength + index * recordLength;
    head.write(record.tag, at, "latin1");
    for (const [field, value] of [record.checksum, offset, record.length].entries()) {
      head.writeUInt32BE(value, at + 4 + 4 * field);
    }
    const padding = (4 - (record.length % 4)) % 4;
    parts.push(font.subarray(record.offset, record.offset + record.length), Buffer.alloc(padding));
    offset += record.length + padding;
  }
  return Buffer.concat(parts);
}
