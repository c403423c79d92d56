import type { gallery as en } from "../en/gallery.ts";

export const gallery: typeof en = {
  title: "Galería",
  lead: "Imágenes de los tokens lanzados.",
  search: "Buscar imágenes",
  searchPlaceholder: "Nombre, símbolo o dirección",
  order: "Ordenar por",
  sorts: { new: "Más recientes", volume: "Volumen", market_cap: "Capitalización", random: "Al azar" },
  shuffle: "Mezclar",
  count: (total: number, isMore: boolean) => (total === 1 ? "1 imagen" : `${total}${isMore ? "+" : ""} imágenes`),
  more: "Mostrar más",
  empty: "Todavía no hay imágenes. Aquí aparecen los tokens lanzados con una imagen.",
  noMatch: (text: string) => `Ninguna imagen coincide con «${text}».`,
  clear: "Borrar la búsqueda",
  marketCap: "Cap.",
};
