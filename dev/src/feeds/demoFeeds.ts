type DemoFeed = {
  prefix: "PARTNER_A" | "PARTNER_B" | "PARTNER_C";
  format: "json-feed" | "schema-org" | "token-list";
  name: string;
  document: unknown;
};

const jsonFeed = {
  name: "Harbour Association",
  licence: "CC BY 4.0",
  next: null,
  items: [
    {
      id: "ferry",
      name: "North Quay Ferries",
      description: "Crossings every twenty minutes, bicycles free of charge.",
      category: "travel",
      website: "https://north-quay-ferries.example.com",
      phone: "+4940555020",
      hours: "05:00-23:40",
      tags: ["ferry"],
      address: { city: "Hamburg", country: "DE" },
      location: { lat: 53.5436, lon: 9.9661 },
    },
    {
      id: "ropes",
      name: "Ropewalk Chandlery",
      description: "Ropes, blocks and paint for boats of wood.",
      category: "retail",
      website: "https://ropewalk.example.com",
      tags: ["boats", "rope"],
      address: { city: "Bristol", country: "GB" },
    },
    {
      id: "coffee",
      name: "Pier Nine Coffee",
      description: "The association's own entry of a business that is also listed here.",
      category: "food-drink",
      website: "https://pier-nine.example.com",
    },
  ],
};

const schemaOrg = {
  "@context": "https://schema.org",
  "@graph": [
    {
      "@type": "Restaurant",
      "@id": "https://salt-and-sail.example.com/#it",
      name: "Salt & Sail",
      description: "Six tables and the catch of the day.",
      url: "https://salt-and-sail.example.com",
      telephone: "+35315550190",
      address: { "@type": "PostalAddress", addressLocality: "Dublin", addressCountry: "IE" },
      geo: { "@type": "GeoCoordinates", latitude: 53.3455, longitude: -6.2264 },
      openingHours: ["Tu-Su 18:00-23:00"],
    },
    {
      "@type": "Store",
      "@id": "https://brass-compass.example.com/#it",
      name: "The Brass Compass",
      description: "Instruments for navigation, old and new, repaired and adjusted.",
      url: "https://brass-compass.example.com",
      address: { "@type": "PostalAddress", addressLocality: "Genova", addressCountry: "IT" },
    },
  ],
};

const tokenList = {
  name: "Harbour Tokens",
  timestamp: "2026-01-01T00:00:00.000Z",
  version: { major: 1, minor: 0, patch: 0 },
  tokens: [
    {
      chainId: 4663,
      address: "0x1111111111111111111111111111111111111111",
      name: "Quay Token",
      symbol: "QUAY",
      decimals: 18,
    },
    {
      chainId: 4663,
      address: "0x2222222222222222222222222222222222222222",
      name: "Mooring",
      symbol: "MOOR",
      decimals: 6,
    },
  ],
};

/** The feeds of the demo, one for each format that the service reads. */
export const demoFeeds: DemoFeed[] = [
  { prefix: "PARTNER_A", format: "json-feed", name: "Harbour Association", document: jsonFeed },
  { prefix: "PARTNER_B", format: "schema-org", name: "Quayside Guide", document: schemaOrg },
  { prefix: "PARTNER_C", format: "token-list", name: "Harbour Tokens", document: tokenList },
];
