import type { notFound as en } from "../en/notFound.ts";

export const notFound: typeof en = {
  title: "No existe esta página",
  body: "El enlace puede ser incorrecto, o la página cambió de lugar.",
  toExplore: "Explorar tokens",
};
