import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Matches text files. Fonts and pictures are already compressed; the server compresses HTML, which it fills in. */
const compressible = /\.(js|css|svg|json|txt|webmanifest)$/;

/** Vite's own folder, which the server does not serve. */
const isServed = (path: string) => !path.startsWith(".vite");

/** Writes a brotli and a gzip version beside every text file of the build, so that the server need not compress. */
export function compressAssets(): Plugin {
  let folder = "";
  return {
    name: "compress-assets",
    apply: "build",
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter(
        (entry) => entry.isFile() && compressible.test(entry.name) && isServed(relative(folder, entry.parentPath)),
      );
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      for (const { parentPath, name } of files) {
        const path = join(parentPath, name);
        const bytes = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}
