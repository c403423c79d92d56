type Json = { [key: string]: unknown };

/**
 * Allows further properties in the schemas of answers, because a later release may add some; removes
 * `additionalProperties: false` from them. Components that requests use stay closed, also where an answer contains them.
 */
export function openAnswers(document: object): void {
  const {
    paths = {},
    webhooks = {},
    components = {},
  } = document as {
    paths?: Record<string, Record<string, Json>>;
    webhooks?: Record<string, Record<string, Json>>;
    components?: { schemas?: Record<string, Json>; responses?: Record<string, Json> };
  };
  const schemas = components.schemas ?? {};
  const operations = [paths, webhooks].flatMap((items) => Object.values(items).flatMap((item) => Object.values(item)));
  const closed = new Set<string>();
  const close = (part: unknown): void => {
    for (const name of findReferences(part)) {
      if (closed.has(name)) continue;
      closed.add(name);
      close(schemas[name]);
    }
  };
  for (const { requestBody } of operations) close(requestBody);
  for (const { responses } of operations) open(responses);
  open(components.responses);
  for (const [name, schema] of Object.entries(schemas)) if (!closed.has(name)) open(schema);
}

/** The names of the schemas to which a part of the document refers. */
function findReferences(part: unknown): string[] {
  const references = JSON.stringify(part ?? null).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return [...references].map(([, name]) => name!);
}

function open(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  if (!Array.isArray(part) && (part as Json).additionalProperties === false) {
    delete (part as Json).additionalProperties;
  }
  for (const [key, value] of Object.entries(part)) if (key !== "example" && key !== "examples") open(value);
}
