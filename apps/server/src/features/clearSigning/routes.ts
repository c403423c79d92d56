import {
  type ClearSigningFile,
  createClearSigningFiles,
  createClearSigningIndex,
} from "@slipway/protocol/clearSigning";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

/** Routes of the descriptors of ERC-7730, by which wallets show what is signed. */
export function clearSigningRoutes(deps: Pick<Deps, "chain">): Route[] {
  let last: { manifest: Manifest; files: ClearSigningFile[] } | null = null;

  const requireManifest = (): Manifest => {
    const { manifest } = deps.chain.manifestState();
    if (manifest === null) throw new SlipwayError("manifest_missing");
    return manifest;
  };

  return [
    createRoute("listClearSigning", {
      cache: "public-10s",
      handle: async () => createClearSigningIndex(requireManifest()),
    }),
    createRoute("getClearSigning", {
      cache: "public-10s",
      handle: async ({ params }) => {
        const manifest = requireManifest();
        if (last?.manifest !== manifest) last = { manifest, files: createClearSigningFiles(manifest) };
        const file = last.files.find(({ name }) => name === params.name);
        if (file === undefined) throw new SlipwayError("not_found", "Descriptor not found.");
        return file.descriptor;
      },
    }),
  ];
}
