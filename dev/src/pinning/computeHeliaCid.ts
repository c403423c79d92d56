/**
 * Computes the CID that Helia gives to a file, with version 1, raw leaves and chunks of 256 KiB. Helia is loaded with the
 * first file: it takes half a second.
 */
export async function computeHeliaCid(bytes: Uint8Array): Promise<string> {
  const [{ unixfs }, { fixedSize }, { MemoryBlockstore }] = await Promise.all([
    import("@helia/unixfs"),
    import("ipfs-unixfs-importer/chunker"),
    import("blockstore-core/memory"),
  ]);
  const node = unixfs({ blockstore: new MemoryBlockstore() });
  const options = { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: 256 * 1024 }) } as const;
  return (await node.addBytes(bytes, options)).toString();
}
