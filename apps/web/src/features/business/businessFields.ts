import type { Business, BusinessInput } from "@slipway/protocol/businesses";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";

export const linkFields = ["x", "github", "telegram", "discord", "farcaster", "instagram", "youtube"] as const;

const fieldNames = [
  ...["name", "description", "category", "website", "image_uri", "email", "phone", "hours", "tags"],
  ...["address.street", "address.city", "address.region", "address.postal_code", "address.country"],
  ...["location.lat", "location.lon"],
  ...linkFields.map((name) => `links.${name}`),
];

/** Form input by field path, with the paths that the service uses in its faults. */
export type BusinessFields = Readonly<Record<string, string>>;

export const emptyFields: BusinessFields = Object.fromEntries(fieldNames.map((name) => [name, ""]));

/** Converts a listing to form fields. */
export function toFields(listing: Business): BusinessFields {
  const { address, location, contact, links } = listing;
  const stored: Record<string, string | null | undefined> = {
    ...{ name: listing.name, description: listing.description, category: listing.category, website: listing.website },
    ...{ image_uri: listing.image?.uri, tags: listing.tags.join(", "), ...contact },
    ...Object.fromEntries(Object.entries(address ?? {}).map(([name, value]) => [`address.${name}`, value])),
    ...Object.fromEntries(Object.entries(links).map(([name, value]) => [`links.${name}`, value])),
    "location.lat": location?.lat.toString(),
    "location.lon": location?.lon.toString(),
  };
  return Object.fromEntries(fieldNames.map((name) => [name, stored[name] ?? ""]));
}

/**
 * Converts form fields to the request, without empty fields. The service validates everything and names each fault;
 * therefore a coordinate that is not a number is sent as text.
 */
export function toBusinessInput(fields: BusinessFields): BusinessInput {
  const input: Record<string, unknown> = {};
  for (const [path, typed] of Object.entries(fields)) {
    const text = typed.trim();
    if (text === "") continue;
    const [name, part] = path.split(".") as [string, string?];
    if (part === undefined) input[name] = name === "tags" ? toTags(text) : text;
    else input[name] = { ...(input[name] as object), [part]: name === "location" ? toNumber(text) : text };
  }
  return input as BusinessInput;
}

const toTags = (text: string) => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  ),
];
const toNumber = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** Maps the faults of a refused listing to form fields; faults without a field have the key "". */
export function toFaults(details: Readonly<Record<string, unknown>> | undefined): FieldFaults {
  const faults = new Map<string, string>();
  for (const { field, message } of (details?.fields ?? []) as { field: string; message: string }[]) {
    // A fault of a list entry belongs to the list's field; a fault of the coordinate pair to the latitude.
    const path = field.replace(/\[\d+\]$/, "");
    const name = path === "location" ? "location.lat" : Object.hasOwn(emptyFields, path) ? path : "";
    // Beside its field, the message does not repeat the field's name.
    const isNamed = name !== "" && message.startsWith(`${field} `);
    if (!faults.has(name)) faults.set(name, isNamed ? `It ${message.slice(field.length + 1)}` : message);
  }
  return faults;
}
