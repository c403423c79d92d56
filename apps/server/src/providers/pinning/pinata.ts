import { z } from "zod";
import type { Secret } from "../../secret.ts";
import type { PinningService } from "./pinningService.ts";
import { createFileForm, requestPinning, requireCid } from "./requestPinning.ts";

const pinned = z.object({ IpfsHash: z.string() });

/**
 * Uploads pictures to Pinata.
 * Source: https://docs.pinata.cloud, Pin File to IPFS.
 */
export function createPinataPinning({ url, token }: { url: string; token: Secret | undefined }): PinningService {
  return {
    pin: async ({ cid, name, bytes }, signal) => {
      const body = createFileForm(name, bytes);
      body.set("pinataOptions", JSON.stringify({ cidVersion: 1 }));
      body.set("pinataMetadata", JSON.stringify({ name }));
      const request = { method: "POST", token, schema: pinned, signal, body } as const;
      const { IpfsHash } = await requestPinning(`${url}/pinning/pinFileToIPFS`, request);
      requireCid(IpfsHash, cid);
    },
  };
}
