import type { Business, BusinessInput } from "@slipway/protocol/businesses";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";

export const linkFields = ["x", "github", "telegram", "discord", "farcaster", "instagram", "youtube"] as const;

const fieldNames = [
  ...["name", "description", "category", "website", "image_uri", "email", "phone", "hours", "tags"],
  ...["address.street", "address.city", "address.region", "address.postal_code", "address.country"],
  ...["location.lat", "location.lon"],
  ...linkFields.map((name) => `links.${name}`),
];

/** What is typed, by the path of the field as the service names it in its faults. */
export type BusinessFields = Readonly<Record<string, string>>;

export const emptyFields: BusinessFields = Object.fromEntries(fieldNames.map((name) => [name, ""]));

/** What the form shows of a listing. */
export function toFields(listing: Business): BusinessFields {
  const { address, location, contact, links } = listing;
  const known: Record<string, string | null | undefined> = {
    ...{ name: listing.name, description: listing.description, category: listing.category, website: listing.website },
    ...{ image_uri: listing.image?.uri, tags: listing.tags.join(", "), ...contact },
    ...Object.fromEntries(Object.entries(address ?? {}).map(([name, value]) => [`address.${name}`, value])),
    ...Object.fromEntries(Object.entries(links).map(([name, value]) => [`links.${name}`, value])),
    "location.lat": location?.lat.toString(),
    "location.lon": location?.lon.toString(),
  };
  return Object.fromEntries(fieldNames.map((name) => [name, known[name] ?? ""]));
}

/**
 * What is sent: fields that are empty are left out. The service checks it all and names each fault; so what is no number
 * goes as the text that it is.
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

/** The faults of a refused listing, by the field of the form that they belong to; those of no field are under "". */
export function toFaults(details: Readonly<Record<string, unknown>> | undefined): FieldFaults {
  const faults = new Map<string, string>();
  for (const { field, message } of (details?.fields ?? []) as { field: string; message: string }[]) {
    // An entry of a list is in the list's one field; a pair lacks its other half.
    const path = field.replace(/\[\d+\]$/, "");
    const name = path === "location" ? "location.lat" : Object.hasOwn(emptyFields, path) ? path : "";
    // Beside its field a message does not name it once more as requests do.
    const isNamed = name !== "" && message.startsWith(`${field} `);
    if (!faults.has(name)) faults.set(name, isNamed ? `It ${message.slice(field.length + 1)}` : message);
  }
  return faults;
}
