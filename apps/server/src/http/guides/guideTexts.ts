/** The languages of the guides. Every page is there in English, and some pages also in Spanish. */
export const guideLanguages = ["en", "es"] as const;
export type GuideLanguage = (typeof guideLanguages)[number];

type GuideTexts = {
  /** The root of the pages in this language. */
  root: string;
  /** The name of the other language in that language. */
  other: string;
  documentation: string;
  skip: string;
  guides: string;
  reference: string;
  errors: string;
  changelog: string;
  terms: string;
  search: string;
  searchLabel: string;
  noResults: string;
  contents: string;
  table: string;
  asMarkdown: string;
  notFound: string;
  allGuides: string;
  /** Follows the title of a page that is only in English; null in English. */
  inEnglish: string | null;
  /** The sections by their names in `documentSections.ts`. */
  sections: Readonly<Record<string, string>>;
};

const english: GuideTexts = {
  root: "/guides",
  other: "Español",
  documentation: "Documentation",
  skip: "Skip to content",
  guides: "Guides",
  reference: "API reference",
  errors: "Errors",
  changelog: "Changelog",
  terms: "Terms",
  search: "Search",
  searchLabel: "Search the guides",
  noResults: "No page has all these words.",
  contents: "Contents",
  table: "Table",
  asMarkdown: "This page as Markdown",
  notFound: "Page not found",
  allGuides: "All guides",
  inEnglish: null,
  sections: { Optional: "Operation and internals" },
};

const spanish: GuideTexts = {
  root: "/guides/es",
  other: "English",
  documentation: "Documentación",
  skip: "Ir al contenido",
  guides: "Guías",
  reference: "Referencia de la API",
  errors: "Errores",
  changelog: "Cambios",
  terms: "Condiciones",
  search: "Buscar",
  searchLabel: "Buscar en las guías",
  noResults: "Ninguna página contiene todas estas palabras.",
  contents: "Contenido",
  table: "Tabla",
  asMarkdown: "Esta página en Markdown",
  notFound: "No se encontró la página",
  allGuides: "Todas las guías",
  inEnglish: "en inglés",
  sections: {
    "Getting started": "Primeros pasos",
    API: "API",
    Streams: "Flujos en vivo",
    Errors: "Errores",
    Feeds: "Fuentes de datos",
    "Terms and meanings": "Condiciones y significados",
    Optional: "Operación y funcionamiento interno",
  },
};

/** The texts around the pages by language. */
export const guideTexts: Readonly<Record<GuideLanguage, GuideTexts>> = { en: english, es: spanish };
