import { join, resolve } from "node:path";
import { languages } from "@slipway/protocol/languages";
import react from "@vitejs/plugin-react";
import { build, type Plugin, type ResolvedConfig } from "vite";

/**
 * Builds the module with which the server renders the first paint of a page, once for each language, into
 * `.vite/firstPaint/{language}/` of the build. The server does not serve folders that begin with a dot. A module holds
 * the texts and formats of one language.
 */
export function buildFirstPaint(): Plugin {
  let site: ResolvedConfig;
  return {
    name: "build-first-paint",
    apply: "build",
    configResolved: (config) => {
      site = config;
    },
    closeBundle: async () => {
      for (const language of languages) await buildLanguage(site, language);
    },
  };
}

async function buildLanguage({ root, build: options, logLevel }: ResolvedConfig, language: string): Promise<void> {
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: logLevel ?? "info",
    plugins: [react()],
    define: {
      "import.meta.env.SERVER_LANGUAGE": JSON.stringify(language),
      "process.env.NODE_ENV": '"production"',
      // A server has no visitor's storage: its readers return their defaults.
      localStorage: "undefined",
    },
    // An installation of the server does not have the libraries of the site.
    ssr: { noExternal: true },
    build: {
      ssr: "src/firstPaint.tsx",
      outDir: join(resolve(root, options.outDir), ".vite/firstPaint", language),
      emptyOutDir: true,
      target: "node24",
      minify: true,
      reportCompressedSize: false,
    },
  });
}
