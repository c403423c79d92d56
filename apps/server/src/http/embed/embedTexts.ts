/** The languages of the embedded chart. */
export type EmbedLanguage = "en" | "es";

/** The texts of the embedded chart by language. */
export const embedTexts = {
  en: {
    title: "Token chart",
    change: (change: string) => `${change} in 24 h`,
    noLine: "No price line yet.",
    line: "Price line",
    since: (time: string) => `Since ${time}`,
    open: "Open on Slipway",
    notFound: "This token is not available.",
    unavailable: "The price is not available at the moment.",
  },
  es: {
    title: "Gráfico del token",
    change: (change: string) => `${change} en 24 h`,
    noLine: "Aún no hay línea de precios.",
    line: "Línea de precios",
    since: (time: string) => `Desde ${time}`,
    open: "Abrir en Slipway",
    notFound: "Este token no está disponible.",
    unavailable: "El precio no está disponible en este momento.",
  },
} as const;

/** Returns the preferred language of a browser among those of the chart. @param header - Accept-Language. */
export function chooseEmbedLanguage(header: string | undefined): EmbedLanguage {
  const wanted = (header ?? "")
    .slice(0, maxHeader)
    .split(",")
    .map((part) => {
      const [tag = "", quality] = part.trim().split(/;\s*q=/);
      return { language: tag.split("-")[0]!.toLowerCase(), weight: quality === undefined ? 1 : Number(quality) || 0 };
    })
    .filter(({ language, weight }) => Object.hasOwn(embedTexts, language) && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return (wanted[0]?.language as EmbedLanguage | undefined) ?? "en";
}

const maxHeader = 500;
