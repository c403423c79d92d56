import { example, type OperationExamples, sample } from "./example.ts";

const input = {
  name: "Tin Boat Bakery",
  description: "Bread from a boat.\nEvery morning.",
  category: "food-drink",
  website: "https://tinboat.example/",
  image_uri: sample.image,
  email: "hello@tinboat.example",
  phone: "+4930123456",
  address: { street: "Quay 1", city: "Berlin", country: "DE" },
  location: { lat: 52.52, lon: 13.405 },
  hours: "Mon-Sat 7-12",
  tags: ["bread"],
  links: { x: "https://x.com/tinboat" },
};

const id = "01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70";

const business = {
  id,
  kind: "business",
  source: "own",
  name: input.name,
  description: input.description,
  category: input.category,
  website: input.website,
  image: {
    ...{ uri: sample.image, sha256: null, width: null, height: null, animated: null, blurhash: null },
    ...{ dominant_color: null, urls: null },
  },
  location: input.location,
  address: { region: null, postal_code: null, ...input.address },
  contact: { email: input.email, phone: input.phone, hours: input.hours },
  links: input.links,
  tags: input.tags,
  token: null,
  attribution: { source_name: "Slipway", url: null, fetched_at: null, licence: null },
  verified: { website: true, owner: false },
  status: "published",
  created_at: "2026-11-22T07:07:42.018Z",
  updated_at: "2026-11-22T07:07:42.018Z",
};

/** Business listings. */
export const businessExamples: Record<string, OperationExamples> = {
  listBusinesses: { responses: { 200: example({ items: [business], next_cursor: null }) } },
  getBusiness: { responses: { 200: example(business) } },
  getDirectory: {
    responses: {
      200: example({
        items: [
          { ...business, also_on: [{ source: "partner_a", id: "partner_a:42", url: "https://list.example/42" }] },
        ],
        sources: [
          { source: "own", count: 1, updated_at: "2026-11-22T07:07:42.018Z", stale: false, error: null },
          { source: "partner_a", count: 1, updated_at: "2026-11-22T07:00:00.000Z", stale: true, error: "too_slow" },
          { source: "partner_b", count: 0, updated_at: null, stale: false, error: null },
          { source: "partner_c", count: 0, updated_at: null, stale: false, error: null },
          { source: "legacy", count: 0, updated_at: null, stale: false, error: null },
        ],
        total: 1,
        next_cursor: null,
        as_of: "2026-11-22T07:07:42.018Z",
      }),
    },
  },
  createBusiness: { request: example(input), responses: { 200: example(business), 201: example(business) } },
  replaceBusiness: { request: example(input), responses: { 200: example(business) } },
  proveWebsite: {
    responses: {
      200: example({
        code: "9f86d081884c7d659a2feaa0c55ad015",
        file_url: "https://tinboat.example/.well-known/slipway.txt",
        dns_name: "_slipway.tinboat.example",
        status: "pending",
        reason: null,
      }),
    },
  },
  createReport: {
    request: example({ kind: "listing", id, reason: "impersonation", text: "This is not their website." }),
    responses: { 202: example({ received: true }) },
  },
  withdrawBusiness: { responses: { 200: example({ removed: true }) } },
  listOwnBusinesses: {
    responses: {
      200: example({ items: [{ business, etag: '"kLyRXvoLmuu9yBNAGRmMBWd9NxE"', website_proof: null }] }),
    },
  },
};
