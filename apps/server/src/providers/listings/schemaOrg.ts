import type { BusinessCategory } from "@slipway/protocol/businessCategories";
import type { FeedParser } from "./feedParser.ts";
import { createExternalListing, type RawFields, readFirst, readObject, toText } from "./rawFields.ts";

/**
 * JSON-LD of schema.org: a node, a list of nodes, a `@graph` or an `ItemList`, of organizations and local businesses.
 * Does not resolve contexts, so that no document causes a further request.
 */
export const schemaOrg: FeedParser = {
  readPage: (document) => {
    const raw: unknown = document;
    const root = readObject(raw);
    const graph = root?.["@graph"] ?? root?.itemListElement ?? raw;
    const nodes = Array.isArray(graph) ? graph : root === null ? null : [root];
    if (nodes === null) return null;
    return { entries: nodes, next: null, name: toText(root?.name, 80), licence: toText(root?.license, 200) };
  },

  readEntry: (raw, source) => {
    const entry = readObject(raw);
    // An entry of a list is inside a ListItem.
    const node = readObject(entry?.item) ?? entry;
    const category = node === null ? null : getCategory(node["@type"]);
    if (node === null || category === null) return null;
    const geo = readObject(readFirst(node.geo));
    return createExternalListing(
      {
        id: node["@id"] ?? node.identifier ?? node.url,
        name: readFirst(node.name),
        description: readFirst(node.description),
        category,
        website: node.url,
        email: readFirst(node.email),
        phone: readFirst(node.telephone),
        image: toImage(node.image ?? node.logo),
        ...readAddress(node.address),
        lat: geo?.latitude,
        lon: geo?.longitude,
        hours: Array.isArray(node.openingHours)
          ? node.openingHours
              .filter((text) => typeof text === "string")
              .slice(0, 20)
              .join("\n")
          : node.openingHours,
        tags: node.keywords,
        links: node.sameAs,
        url: node.mainEntityOfPage ?? node["@id"],
      },
      source,
    );
  },
};

function toImage(raw: unknown): unknown {
  const image = readFirst(raw);
  const node = readObject(image);
  return node?.contentUrl ?? node?.url ?? image;
}

function readAddress(raw: unknown): { address?: Parameters<typeof createExternalListing>[0]["address"] } {
  const first = readFirst(raw);
  if (typeof first === "string") return { address: { street: first } };
  const node: RawFields | null = readObject(first);
  if (node === null) return {};
  return {
    address: {
      street: node.streetAddress,
      city: node.addressLocality,
      region: node.addressRegion,
      postalCode: node.postalCode,
      country: readObject(node.addressCountry)?.name ?? node.addressCountry,
    },
  };
}

/** Categories by the ends of type names, because schema.org has hundreds of types. The first match applies. */
const categories: readonly (readonly [RegExp, BusinessCategory])[] = [
  [
    /^(Bakery|BarOrPub|Brewery|CafeOrCoffeeShop|Distillery|FastFoodRestaurant|FoodEstablishment|IceCreamShop|Restaurant|Winery)$/,
    "food-drink",
  ],
  [/^Online(Store|Business|Marketplace)$/, "online-store"],
  [/^(Auto\w*|MotorcycleDealer|GasStation)$/, "automotive"],
  [
    /^(Hotel|Hostel|Motel|Resort|BedAndBreakfast|Campground|LodgingBusiness|TravelAgency|TouristInformationCenter|Airline)$/,
    "travel",
  ],
  [/^(BeautySalon|HairSalon|NailSalon|DaySpa|HealthAndBeautyBusiness|TattooParlor)$/, "beauty"],
  [/^(Medical\w*|Dentist|Hospital|Pharmacy|Physician|Optician|VeterinaryCare|DiagnosticLab)$/, "health"],
  [/^(Sports\w*|HealthClub|ExerciseGym|GolfCourse|StadiumOrArena|BowlingAlley)$/, "sports"],
  [/^(\w*School|CollegeOrUniversity|EducationalOrganization|Library|Preschool)$/, "education"],
  [/^(Bank\w*|FinancialService|InsuranceAgency|AccountingService)$/, "finance"],
  [/^(RealEstateAgent)$/, "real-estate"],
  [/^(NGO|ReligiousOrganization|NonprofitType)$/, "nonprofit"],
  [
    /^(MusicGroup|PerformingGroup|TheaterGroup|NightClub|ComedyClub|EntertainmentBusiness|MovieTheater)$/,
    "music-events",
  ],
  [/^(NewsMediaOrganization|RadioStation|TelevisionStation)$/, "media"],
  [
    /^(HomeAndConstructionBusiness|Electrician|Plumber|HousePainter|Locksmith|MovingCompany|RoofingContractor)$/,
    "home-garden",
  ],
  [/^(LegalService|Attorney|Notary|ProfessionalService|EmploymentAgency)$/, "professional"],
  [/^(ArtGallery)$/, "arts-design"],
  [/(Store|Shop|Florist)$/, "retail"],
  [/^(Organization|LocalBusiness|Corporation|Store)$|(Business|Organization)$/, "other"],
];

/** Returns the category for a node's types; null if it is not an organization. */
function getCategory(raw: unknown): BusinessCategory | null {
  const types = (Array.isArray(raw) ? raw.slice(0, 10) : [raw])
    .filter((type): type is string => typeof type === "string" && type.length <= 100)
    .map((type) => type.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, ""));
  return categories.find(([pattern]) => types.some((type) => pattern.test(type)))?.[1] ?? null;
}
