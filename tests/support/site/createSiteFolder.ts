import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

export const themeScript = 'document.documentElement.dataset.theme="light"';
export const script = "export const page = 1;";

const html = `<!doctype html>
<html lang="en">
  <head>
    <title>Slipway</title>
    <meta name="description" content="Plain." />
    <script>${themeScript}</script>
    <script type="module" crossorigin src="/assets/index-1.js"></script>
  </head>
  <body>
    <div id="root"></div>
  </body>
</html>
`;

const manifest = {
  "index.html": { file: "assets/index-1.js", isEntry: true, imports: [] },
  "src/main.tsx": { file: "assets/main-1.js", imports: ["index.html"] },
  "_table.js": { file: "assets/table-1.js", imports: ["index.html"] },
  "src/messages/enPages.ts": { file: "assets/texts-1.js", imports: ["index.html"] },
  "../../packages/protocol/src/endpoints.ts": { file: "assets/endpoints-1.js", imports: ["index.html"] },
  "src/pages/galleryPage.tsx": { file: "assets/gallery-1.js", imports: ["index.html", "_table.js"] },
  "src/pages/businessPage.tsx": { file: "assets/business-1.js", imports: ["index.html"] },
  "src/pages/businessNewPage.tsx": { file: "assets/business-new-1.js", imports: ["index.html"] },
  "src/pages/notFoundPage.tsx": { file: "assets/not-found-1.js" },
  "src/pages/explorePage.tsx": { file: "assets/explore-1.js", imports: ["index.html", "_table.js"] },
};

/** Returns its arguments as HTML, and fails for the Spanish site. */
const renderer = `export const renderFirstPaint = async (path, answers) =>
  "<h1>" + path + " " + JSON.parse(answers)[0].operation + "</h1>";
`;

/** Writes a site like the build, so that a test needs no build: HTML, manifest, files and their compressed forms. */
export async function createSiteFolder(folder: string): Promise<string> {
  const files: Record<string, string | Buffer> = {
    "index.html": html,
    ".vite/manifest.json": JSON.stringify(manifest),
    ".vite/firstPaint/en/firstPaint.js": renderer,
    ".vite/firstPaint/es/firstPaint.js": "export const renderFirstPaint = async () => { throw new Error(); };",
    "icon.svg": "<svg/>",
    "offlineWorker.js": "self.offline = true;",
    "assets/index-1.js": script,
    "assets/index-1.js.br": brotliCompressSync(script),
    "assets/index-1.js.gz": gzipSync(script),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
