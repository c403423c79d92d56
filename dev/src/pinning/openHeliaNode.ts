import { join } from "node:path";

/** A Helia node that stores added files as blocks in a folder, and pins them. */
export type HeliaNode = {
  /** Adds and pins a file, with CID version 1, raw leaves and chunks of 256 KiB. Returns its CID. */
  add(bytes: Uint8Array): Promise<string>;
  /** Reads the file of a CID from its blocks; null if it is not pinned here, or the text is not a CID. */
  read(cid: string): Promise<Uint8Array | null>;
  /** Removes the blocks that no pin needs. */
  collectGarbage(): Promise<void>;
  /** Lists the CIDs of the stored blocks. */
  listBlocks(): Promise<string[]>;
  stop(): Promise<void>;
};

/** The layout of kubo's `chunker=size-262144`; Helia's default is 1 MiB and 1,024 links. */
const chunkSize = 256 * 1024;
const maxChildrenPerNode = 174;

/**
 * Starts the node of a folder. It has no transport and does not listen: it neither requests blocks from a network nor
 * announces its own. Loads Helia with the first node, because that takes half a second.
 */
export async function openHeliaNode(folder: string): Promise<HeliaNode> {
  const [
    { Helia },
    { unixfs },
    { createLibp2p },
    { FsBlockstore },
    { FsDatastore },
    { fixedSize },
    { balanced },
    { CID },
  ] = await Promise.all([
    import("@helia/utils"),
    import("@helia/unixfs"),
    import("libp2p"),
    import("blockstore-fs"),
    import("datastore-fs"),
    import("ipfs-unixfs-importer/chunker"),
    import("ipfs-unixfs-importer/layout"),
    import("multiformats/cid"),
  ]);
  const blockstore = new FsBlockstore(join(folder, "blocks"));
  const datastore = new FsDatastore(join(folder, "data"));
  await Promise.all([blockstore.open(), datastore.open()]);
  const libp2p = await createLibp2p({ start: false, addresses: { listen: [] } });
  const node = new Helia({ libp2p, blockstore, datastore, blockBrokers: [], routers: [] });
  await node.start();
  const files = unixfs(node);
  const add = async (bytes: Uint8Array) => {
    const cid = await files.addBytes(bytes, {
      cidVersion: 1,
      rawLeaves: true,
      chunker: fixedSize({ chunkSize }),
      layout: balanced({ maxChildrenPerNode }),
    });
    if (!(await node.pins.isPinned(cid))) for await (const _ of node.pins.add(cid));
    return cid.toString();
  };
  const parse = (text: string) => {
    try {
      return CID.parse(text);
    } catch {
      return null;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    add: (bytes) => {
      // Pins one file at a time, because pinning a file twice is an error.
      const added = last.then(() => add(bytes));
      last = added.catch(() => undefined);
      return added;
    },
    read: async (text) => {
      const cid = parse(text);
      if (cid === null || !(await node.pins.isPinned(cid))) return null;
      const chunks: Uint8Array[] = [];
      for await (const chunk of files.cat(cid)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    collectGarbage: () => node.gc(),
    listBlocks: async () => {
      const cids: string[] = [];
      for await (const { cid } of blockstore.getAll()) cids.push(cid.toString());
      return cids;
    },
    stop: () => node.stop(),
  };
}
