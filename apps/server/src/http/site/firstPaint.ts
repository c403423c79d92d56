import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import type { Site } from "./loadSite.ts";

/** The languages of the site, the default first. */
export const siteLanguages = ["en", "es"] as const;
export type SiteLanguage = (typeof siteLanguages)[number];

/** The module that the build of the site writes for each language. */
type Renderer = { renderFirstPaint(path: string, answers: string): Promise<string> };

/** The HTML that a browser shows before the scripts of the site run. */
export type FirstPaint = { language: SiteLanguage; html: string };

export type RenderFirstPaint = (language: SiteLanguage, path: string, answers: string) => Promise<FirstPaint | null>;

/**
 * Creates a function that renders a page as a browser shows it before the site's scripts run. It returns null if the
 * build has no renderer or rendering fails: the page then starts empty, and its scripts render it.
 *
 * @returns A function of the language, the page's path, and its first answers as JSON text.
 */
export function createFirstPaint({ folder }: Pick<Site, "folder">, log: Pick<Logger, "warn">): RenderFirstPaint {
  const renderers = new Map<SiteLanguage, Promise<Renderer>>();
  let hasFailed = false;
  return async (language, path, answers) => {
    try {
      const file = pathToFileURL(join(folder, ".vite/firstPaint", language, "firstPaint.js")).href;
      // Loaded with the first page, so that an API without visitors does not load React.
      const renderer = renderers.get(language) ?? (import(file) as Promise<Renderer>);
      renderers.set(language, renderer);
      return { language, html: await (await renderer).renderFirstPaint(path, answers) };
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

/** Chooses the language of the site by the header Accept-Language (RFC 9110, 12.5.4); English without a match. */
export function chooseLanguage(header: string | undefined): SiteLanguage {
  const wanted = (header ?? "")
    .split(",")
    .map((each) => {
      // Without a regular expression, whose time could grow with the square of a long header.
      const [tag = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return { language: tag.split("-")[0], quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { language } of wanted) {
    const known = siteLanguages.find((each) => each === language);
    if (known !== undefined) return known;
  }
  return siteLanguages[0];
}
