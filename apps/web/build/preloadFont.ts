import type { Plugin } from "vite";

const latin = /atkinson-hyperlegible-next-latin-wght-normal.*\.woff2$/;

/** Adds a preload link for the font, so that the browser requests the font before it parses the style sheet. */
export function preloadFont(): Plugin {
  return {
    name: "preload-font",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((name) => latin.test(name))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${name}` },
            injectTo: "head",
          })),
    },
  };
}
