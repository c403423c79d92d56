import type { BusinessInput } from "@slipway/protocol/businesses";
import type { Client } from "@slipway/sdk/createClient";
import { drawPicture, type Motif } from "./drawPicture.ts";

type DemoBusiness = BusinessInput & { picture: [motif: Motif, hue: number] };

const demoBusinesses: DemoBusiness[] = [
  {
    name: "Pier Nine Coffee",
    description: "Coffee roasted on the pier, and rolls from six in the morning.",
    category: "food-drink",
    website: "https://pier-nine.example.com",
    email: "hello@pier-nine.example.com",
    phone: "+4940555010",
    address: { street: "Landungsbrücken 9", city: "Hamburg", postal_code: "20359", country: "DE" },
    location: { lat: 53.5458, lon: 9.97 },
    hours: "Daily 06:00–18:00",
    tags: ["coffee", "breakfast"],
    picture: ["kettle", 18],
  },
  {
    name: "Harbour Bicycle Repair",
    description: "Repairs while you wait. Rental by the day.",
    category: "sports",
    website: "https://harbour-bicycles.example.com",
    address: { city: "Rotterdam", country: "NL" },
    location: { lat: 51.9123, lon: 4.4864 },
    tags: ["bicycles", "repair", "rental"],
    picture: ["rings", 205],
  },
  {
    name: "Estaleiro do Tejo",
    description: "Construção e reparação de barcos de madeira desde 1954.\nVisitas aos sábados.",
    category: "travel",
    website: "https://estaleiro-tejo.example.com",
    address: { city: "Lisboa", country: "PT" },
    location: { lat: 38.7032, lon: -9.1588 },
    tags: ["boats", "wood"],
    picture: ["waves", 190],
  },
  {
    name: "月光書店",
    description: "港の見える小さな本屋。海図と航海記が揃っています。",
    category: "retail",
    website: "https://moonlight-books.example.com",
    address: { city: "横浜市", region: "神奈川県", country: "JP" },
    location: { lat: 35.4525, lon: 139.6466 },
    tags: ["books"],
    picture: ["moon", 250],
  },
  {
    name: "مقهى الميناء",
    description: "قهوة عربية وحلويات على رصيف الميناء القديم.",
    category: "food-drink",
    address: { city: "Alexandria", country: "EG" },
    location: { lat: 31.2135, lon: 29.8854 },
    hours: "10:00–24:00",
    tags: ["coffee", "sweets"],
    picture: ["lighthouse", 35],
  },
  {
    name: "Green Ledger Accounting",
    description: "Bookkeeping for cooperatives and studios. Fixed monthly price, one named accountant.",
    category: "professional",
    website: "https://green-ledger.example.com",
    email: "desk@green-ledger.example.com",
    address: { city: "Edinburgh", country: "GB" },
    tags: ["accounting"],
    picture: ["blocks", 150],
  },
  {
    name: "Fjord & Fern",
    description: "Plants that like rain, sent in peat-free soil.",
    category: "home-garden",
    website: "https://fjord-and-fern.example.com",
    address: { city: "Bergen", country: "NO" },
    location: { lat: 60.3913, lon: 5.3221 },
    tags: ["plants", "delivery"],
    picture: ["leaf", 130],
  },
  {
    name: "Low Tide Records",
    description: "Vinyl, a stage for forty people, and a label for those who play on it.",
    category: "music-events",
    website: "https://low-tide-records.example.com",
    address: { city: "Bristol", country: "GB" },
    location: { lat: 51.4488, lon: -2.5987 },
    tags: ["vinyl", "concerts"],
    picture: ["rings", 320],
  },
  {
    name: "Hill School of Sailing",
    description: "Dinghies for children from eight, certificates for everyone else.",
    category: "education",
    website: "https://hill-sailing.example.com",
    phone: "+353215550144",
    address: { city: "Cork", country: "IE" },
    tags: ["sailing", "courses"],
    picture: ["hills", 95],
  },
  {
    name: "Nightwatch Software",
    description: "Monitoring for small fleets: positions, engine hours, weather. Open source, hosted or your own.",
    category: "software",
    website: "https://nightwatch.example.com",
    address: { city: "Tallinn", country: "EE" },
    tags: ["open-source", "monitoring"],
    picture: ["moon", 225],
  },
];

/**
 * Publishes the demo businesses that are not listed yet, each with a picture that is uploaded first.
 *
 * @returns the number of demo businesses, and the number published now
 */
export async function ensureDemoBusinesses(client: Client): Promise<{ count: number; published: number }> {
  const { items } = await client.listBusinesses({ source: "own", limit: 100 });
  const listed = new Set(items.map(({ name }) => name));
  const missing = demoBusinesses.filter(({ name }) => !listed.has(name));
  for (const { picture, ...input } of missing) {
    const { uri } = await client.uploadImage({ file: await drawPicture(...picture) });
    await client.createBusiness({ ...input, image_uri: uri }, { idempotencyKey: `demo-${crypto.randomUUID()}` });
  }
  return { count: demoBusinesses.length, published: missing.length };
}
