import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  indexOfficialAssets,
  type OfficialAssetList,
  type OfficialAssets,
  officialAssetList,
} from "@slipway/protocol/officialAssets";
import { z } from "zod";

/** The lists of the release: assets that are known on every chain, and the assets of each chain. */
const defaultPaths = ["everyChain", "4663", "46630"].map((name) =>
  fileURLToPath(new URL(`../officialAssets/${name}.json`, import.meta.url)),
);

let defaultLists: readonly OfficialAssetList[] | null = null;

function readDefaultLists(): readonly OfficialAssetList[] {
  defaultLists ??= defaultPaths.map((path) => officialAssetList.parse(JSON.parse(readFileSync(path, "utf8"))));
  return defaultLists;
}

/** Reads a list. @throws Error whose message names the fault. */
function readList(path: string): OfficialAssetList {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? "is not JSON" : `cannot be read (${code})`);
  }
  const parsed = officialAssetList.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new Error(`is no list of official assets: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}`);
}

/** Settings of the assets whose names launches are compared with. */
export const officialAssetSettings = {
  /** Files of official assets, which replace the lists of the release; the names of files, separated by commas. */
  OFFICIAL_ASSETS_PATH: z
    .string()
    .optional()
    .transform((text, context): readonly OfficialAssetList[] => {
      if (text === undefined) return readDefaultLists();
      const paths = text.split(",").map((path) => path.trim());
      return paths.filter(Boolean).flatMap((path) => {
        try {
          return [readList(path)];
        } catch (error) {
          context.addIssue(`has the file ${path}, which ${(error as Error).message}`);
          return [];
        }
      });
    }),
};

type Indexes = { withoutManifest: OfficialAssets; byManifest: WeakMap<Manifest, OfficialAssets> };

/** Indexes by the lists of a configuration: many responses need the same one. */
const indexes = new WeakMap<readonly OfficialAssetList[], Indexes>();

/** Returns the official assets of the served chain. @param manifest - Null while no manifest is pinned. */
export function getOfficialAssets(
  config: { OFFICIAL_ASSETS_PATH: readonly OfficialAssetList[] },
  manifest: Manifest | null,
): OfficialAssets {
  const lists = config.OFFICIAL_ASSETS_PATH;
  let known = indexes.get(lists);
  if (known === undefined) {
    known = { withoutManifest: indexOfficialAssets(null, lists), byManifest: new WeakMap() };
    indexes.set(lists, known);
  }
  if (manifest === null) return known.withoutManifest;
  let found = known.byManifest.get(manifest);
  if (found === undefined) {
    found = indexOfficialAssets(manifest, lists);
    known.byManifest.set(manifest, found);
  }
  return found;
}
