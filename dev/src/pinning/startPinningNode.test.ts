import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../stack/temporaryFolder.ts";
import { openHeliaNode } from "./openHeliaNode.ts";
import { type PinningNode, startPinningNode } from "./startPinningNode.ts";

const folder = temporaryFolder();
let node: PinningNode;
beforeAll(async () => {
  node = await startPinningNode({ folder: folder.path });
});
afterAll(async () => {
  await node?.stop();
  folder.remove();
});

const add = (body: FormData | string) => fetch(`${node.url}/api/v0/add?cid-version=1`, { method: "POST", body });

it("adds a file as kubo does, and serves it under its CID, also after a restart", async () => {
  const bytes = randomBytes(300_000);
  const form = new FormData();
  form.set("file", new Blob([bytes]), "x.webp");
  const answer = await add(form);
  const { Hash, Size } = (await answer.json()) as { Hash: string; Size: string };
  expect([answer.status, Hash.length, Size]).toEqual([200, 59, "300000"]);
  await node.stop();
  node = await startPinningNode({ folder: folder.path });
  const served = await fetch(`${node.url}/ipfs/${Hash}`);
  expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
});

it("stores a file as pinned blocks once, even if it is added repeatedly and concurrently", async () => {
  const other = temporaryFolder();
  const helia = await openHeliaNode(other.path);
  const bytes = randomBytes(600_000);
  const [cid, again] = await Promise.all([helia.add(bytes), helia.add(bytes)]);
  expect(again).toBe(cid);
  await helia.collectGarbage();
  // Three chunks and the node that lists the chunks.
  const blocks = await helia.listBlocks();
  expect(blocks).toHaveLength(4);
  expect(Buffer.from((await helia.read(cid))!).equals(bytes)).toBe(true);
  await helia.stop();
  other.remove();
});

it("answers 404 at other paths, and rejects a body without a file", async () => {
  for (const path of ["/", "/ipfs/x", `/ipfs/${"b".repeat(59)}`, "/ipfs/..%2f..%2fetc%2fpasswd"]) {
    expect((await fetch(`${node.url}${path}`)).status).toBe(404);
  }
  expect((await add("no form")).status).toBe(400);
  expect((await add(new FormData())).status).toBe(400);
});
