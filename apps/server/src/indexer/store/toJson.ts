/**
 * Rows as JSON for json_populate_recordset: bigint as text, so that no amount passes through a double. Written by hand,
 * because a replacer of JSON.stringify costs several times as much.
 */
export function toJson(rows: readonly object[]): string {
  let text = "[";
  for (const [i, row] of rows.entries()) {
    if (i > 0) text += ",";
    text += "{";
    let isFirst = true;
    for (const column in row) {
      const value = row[column as keyof typeof row] as unknown;
      text += `${isFirst ? "" : ","}"${column}":`;
      text +=
        typeof value === "bigint" ? `"${value}"` : typeof value === "number" ? value : JSON.stringify(value, asText);
      isFirst = false;
    }
    text += "}";
  }
  return `${text}]`;
}

/** For the few nested values: the payloads of the outbox. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
