import { BlackHoleBlockstore } from "blockstore-core/black-hole";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";

/** Bytes of a leaf: the chunk size that kubo and the pinning services use for files. */
const chunkBytes = 256 * 1024;

/**
 * Computes the CID of a file on IPFS: version 1, UnixFS, raw leaves, chunks of 256 KiB, base32.
 * Source: IPFS UnixFS specification; equal to `ipfs add --cid-version=1 --raw-leaves --chunker=size-262144`.
 */
export async function computeCid(bytes: Uint8Array): Promise<string> {
  const entries = importer([{ content: bytes }], new BlackHoleBlockstore(), {
    cidVersion: 1,
    rawLeaves: true,
    chunker: fixedSize({ chunkSize: chunkBytes }),
    layout: balanced({ maxChildrenPerNode: 174 }),
  });
  for await (const { cid } of entries) return cid.toString();
  throw new Error("the importer returned no CID");
}
