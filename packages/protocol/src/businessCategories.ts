/** The categories of businesses: the slug that a listing contains, and the English name. */
export const businessCategories = [
  { slug: "food-drink", name: "Food and drink" },
  { slug: "retail", name: "Shops" },
  { slug: "online-store", name: "Online stores" },
  { slug: "arts-design", name: "Arts and design" },
  { slug: "music-events", name: "Music and events" },
  { slug: "games", name: "Games" },
  { slug: "media", name: "Media and publishing" },
  { slug: "education", name: "Education" },
  { slug: "health", name: "Health" },
  { slug: "beauty", name: "Beauty and care" },
  { slug: "sports", name: "Sports and leisure" },
  { slug: "travel", name: "Travel and lodging" },
  { slug: "home-garden", name: "Home and garden" },
  { slug: "automotive", name: "Vehicles" },
  { slug: "real-estate", name: "Real estate" },
  { slug: "professional", name: "Professional services" },
  { slug: "software", name: "Software" },
  { slug: "finance", name: "Finance" },
  { slug: "nonprofit", name: "Nonprofit and community" },
  { slug: "token", name: "Tokens" },
  { slug: "other", name: "Other" },
] as const;

export type BusinessCategory = (typeof businessCategories)[number]["slug"];

export const categorySlugs = businessCategories.map(({ slug }) => slug) as [BusinessCategory, ...BusinessCategory[]];
