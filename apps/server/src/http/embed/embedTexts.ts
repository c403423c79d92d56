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
