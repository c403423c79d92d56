import type { search as en } from "../en/search.ts";

export const search: typeof en = {
  title: "Buscar",
  placeholder: "Token, billetera, negocio o página",
  results: "Resultados",
  hint: "Las flechas eligen, Intro abre.",
  none: (text: string) => `Nada coincide con «${text}».`,
  tokens: "Tokens",
  addresses: "Dirección",
  businesses: "Negocios",
  pagesTitle: "Páginas",
  wallet: (address: string) => `Billetera ${address}`,
  creator: (address: string) => `Tokens lanzados por ${address}`,
  pages: {
    explore: "Explorar",
    launch: "Lanzar un token",
    gallery: "Galería",
    directory: "Directorio",
    markets: "Mercados",
    forecast: "Pronóstico",
    alerts: "Alertas",
    fees: "Comisiones",
    drafts: "Borradores",
    account: "Cuenta",
    status: "Estado",
  },
};
