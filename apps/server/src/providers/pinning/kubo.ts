import { z } from "zod";
import type { Secret } from "../../secret.ts";
import type { PinningService } from "./pinningService.ts";
import { createFileForm, requestPinning, requireCid } from "./requestPinning.ts";

const added = z.object({ Hash: z.string() });

/** The parameters with which kubo computes the same CID as `computeCid`. */
const query = "cid-version=1&raw-leaves=true&chunker=size-262144&pin=true&progress=false&wrap-with-directory=false";

/**
 * Adds and pins pictures through the RPC of a kubo node.
 * Source: https://docs.ipfs.tech/reference/kubo/rpc/#api-v0-add
 */
export function createKuboPinning({ url, token }: { url: string; token: Secret | undefined }): PinningService {
  return {
    pin: async ({ cid, name, bytes }, signal) => {
      const { Hash } = await requestPinning(`${url}/api/v0/add?${query}`, {
        method: "POST",
        token,
        schema: added,
        signal,
        body: createFileForm(name, bytes),
        // One line of JSON for each entry; the file is the last one.
        readJson: (text) => JSON.parse(text.trim().split("\n").at(-1)!),
      });
      requireCid(Hash, cid);
    },
  };
}
