import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Logger } from "pino";

/** The parts of the built site that its HTML needs. */
export type Site = {
  folder: string;
  /** The built index.html. */
  template: string;
  /** The hashes of the scripts in the HTML, as a policy names them. */
  scriptHashes: readonly string[];
  /** Returns the files that a page needs first, by its source path, without the files that every page loads. */
  getPageFiles: (page: string) => readonly string[];
};

/** Entries of Vite's manifest, by the path of the source. */
type Manifest = Record<string, { file: string; isEntry?: boolean; imports?: string[]; css?: string[] }>;

/**
 * Reads the site that `npm run web:build` wrote.
 *
 * @param path - The setting WEB_DIST; undefined for an API without a site.
 * @returns null where there is no built site; the log then explains what to do.
 */
export function loadSite(path: string | undefined, log: Pick<Logger, "warn">): Site | null {
  if (path === undefined) return null;
  const folder = resolve(path);
  try {
    const template = readFileSync(join(folder, "index.html"), "utf8");
    const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Manifest;
    // A script with `src` is a file of the site; an inline script needs its hash in the policy.
    const inline = [...template.matchAll(/<script>([\s\S]*?)<\/script>/g)];
    const scriptHashes = inline.map(([, text]) => `sha256-${createHash("sha256").update(text!).digest("base64")}`);
    return { folder, template, scriptHashes, getPageFiles: (page) => getPageFiles(manifest, page) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    log.warn({ reason: code ?? "it cannot be read", fix: "npm run web:build" }, "site not served");
    return null;
  }
}

/** The source that the entry loads in its second task. */
const application = "src/main.tsx";

/** The sources that every page except the first one loads with its own module: texts, and endpoints of the API. */
const pageBasics = ["src/messages/enPages.ts", "../../packages/protocol/src/endpoints.ts"];

/** Returns the files of the site's own code and of a page, without the entry's files, which the HTML already names. */
function getPageFiles(manifest: Manifest, page: string): string[] {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined || chunk.isEntry || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  visit(application);
  visit(`src/pages/${page}.tsx`);
  if (page !== "explorePage") pageBasics.forEach(visit);
  return [...files].map((file) => `/${file}`);
}
