import type { tokenList as en } from "../en/tokenList.ts";

export const tokenList: typeof en = {
  noFiltered: "Ningún token cumple estos filtros.",
  noMatch: (text: string) => `Ningún token coincide con «${text}».`,
  clear: "Borrar la búsqueda",
  directions: {
    value: { desc: "Mayores primero", asc: "Menores primero" },
    time: { desc: "Recientes primero", asc: "Antiguos primero" },
  },
  favourite: (name: string) => `Favorito ${name}`,
  favouritesLead: "Se guardan solo en este navegador.",
  favouritesEmpty: "Todavía no hay favoritos. Pulse la estrella junto a un token para guardarlo aquí.",
  exportFavourites: "Exportar",
  importFavourites: "Importar",
  imported: (count: number) => (count === 1 ? "1 token añadido" : `${count} tokens añadidos`),
  live: "Los pares nuevos aparecen cuando se lanzan.",
  paused: (count: number) =>
    count === 1 ? "En pausa. 1 par nuevo espera." : `En pausa. ${count} pares nuevos esperan.`,
  pause: "Pausar",
  resume: "Reanudar",
  filters: "Filtros",
  filter: {
    age: "Antigüedad máxima (horas)",
    liq: "Liquidez mínima ($)",
    vol: "Volumen mínimo 24 h ($)",
    holders: "Mínimo de titulares",
    change: "Variación mínima 24 h (%)",
    creator: "Creador",
  },
  filterExample: { age: "24", liq: "1000", vol: "500", holders: "10", change: "-20", creator: "0x…" },
  filterFault: {
    number: "Escriba un número entero.",
    creator: "Escriba 0x seguido de 40 cifras hexadecimales.",
  },
  applyFilters: "Aplicar",
  clearFilters: "Quitar filtros",
  columns: "Columnas",
};
