import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Language } from "@slipway/protocol/languages";
import type { Logger } from "pino";
import type { Site } from "./loadSite.ts";

/** The module that the build of the site writes for each language. */
type Renderer = { renderFirstPaint(path: string, answers: string): Promise<string> };

/** The HTML that a browser shows before the scripts of the site run. */
export type FirstPaint = { language: Language; html: string };

type RenderFirstPaint = (language: Language, path: string, answers: string) => Promise<FirstPaint | null>;

/**
 * Creates a function that renders a page as a browser shows it before the site's scripts run. It returns null if the
 * build has no renderer or rendering fails: the page then starts empty, and its scripts render it.
 *
 * @returns A function of the language, the page's path, and its first answers as JSON text.
 */
export function createFirstPaint({ folder }: Pick<Site, "folder">, log: Pick<Logger, "warn">): RenderFirstPaint {
  let hasFailed = false;
  return async (language, path, answers) => {
    try {
      const file = pathToFileURL(join(folder, ".vite/firstPaint", language, "firstPaint.js")).href;
      // Node loads it once, with the first page, so that an API without visitors does not load React.
      const { renderFirstPaint } = (await import(file)) as Renderer;
      return { language, html: await renderFirstPaint(path, answers) };
    } catch (error) {
      if (!hasFailed) log.warn({ err: error, fix: "npm run web:build" }, "first paint not rendered");
      hasFailed = true;
      return null;
    }
  };
}

/**
 * Loads the scripts of a page after its first paint: before, they would compete with styles and font for a slow
 * connection, and delay the paint on a slow phone. A hidden tab paints nothing.
 */
const start =
  '{const files=document.currentScript.dataset.files.split(" "),load=()=>{for(const file of files)document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",crossOrigin:"",href:file}));import(files[0])};if(document.visibilityState==="hidden")load();else requestAnimationFrame(()=>setTimeout(load))}';

/** The hash of the script, as a policy names it. */
export const startHash = `sha256-${createHash("sha256").update(start).digest("base64")}`;

/** Adds a first paint to the HTML of a page, whose scripts then load after it. */
export function addFirstPaint(html: string, paint: FirstPaint): string {
  const files = new Set<string>();
  const take = (_: string, file: string) => {
    files.add(file);
    return "";
  };
  return (
    html
      .replace('<html lang="en">', () => `<html lang="${paint.language}">`)
      .replace(/<script type="module" crossorigin src="([^"]+)"><\/script>/, take)
      .replace(/<link rel="modulepreload" crossorigin href="([^"]+)">/g, take)
      // Inert: until the scripts replace it, no control would respond.
      .replace('<div id="root"></div>', () => `<div id="root"><div inert>${paint.html}</div></div>`)
      .replace("</body>", () => `<script data-files="${[...files].join(" ")}">${start}</script></body>`)
  );
}
