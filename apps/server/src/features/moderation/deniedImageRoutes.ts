import { removed } from "@slipway/protocol/accounts";
import { addedDenial, deniedImages, deniedImagesQuery, imageDenial } from "@slipway/protocol/deniedImages";
import { SlipwayError } from "@slipway/protocol/errors";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import {
  type DeniedImageRow,
  denyImages,
  findImageHash,
  listDeniedImages,
  removeDenial,
} from "./deniedImageQueries.ts";

const path = "/api/admin/denied-images";

/** The deny list of pictures: what looks like one of its entries is blocked, wherever it comes from. */
export function deniedImageRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Administration", scope: "admin" } as const;
  const db = deps.db.api;

  return [
    guardedRoute({
      ...common,
      method: "GET",
      path,
      name: "listDeniedImages",
      summary: "List the deny list of pictures, newest first",
      description: "`next_before` requests the next page; null at the end.",
      schemas: { query: deniedImagesQuery },
      answers: { 200: { description: "The entries", schema: deniedImages } },
      errors: ["storage_unavailable"],
      handle: async ({ query: { limit, before } }) => {
        const rows = await listDeniedImages(db, { limit, before });
        return { items: rows.map(toEntry), next_before: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path,
      name: "denyImages",
      summary: "Block pictures by what they look like",
      description:
        "A picture whose 64-bit dHash differs in at most `within` bits is blocked: those that are stored now, and those that " +
        "accounts upload or launches name later. A launch itself is not blocked. Entry and blocks are in the audit log.",
      schemas: { body: imageDenial },
      answers: { 200: { description: "The entry, and how many stored pictures it blocked", schema: addedDenial } },
      errors: ["not_found", "storage_unavailable"],
      handle: async ({ body: { sha256, dhash, within, reason }, principal }) => {
        const hash = dhash ?? (await requireHash(sha256!));
        refusePlain(hash, within);
        const entry = { id: deps.ids.uuid(), dhash: hash, within, reason, administrator: principal.accountId };
        const { blocked, ...row } = await denyImages(db, entry);
        return { ...toEntry(row), blocked };
      },
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: `${path}/:id`,
      name: "removeDenial",
      summary: "Remove an entry of the deny list of pictures",
      description: "What it blocked stays blocked until an administrator ends that block.",
      schemas: { params: z.object({ id: z.uuid().describe("The id of the entry.") }) },
      answers: { 200: { description: "Removed", schema: removed } },
      errors: ["not_found", "storage_unavailable"],
      handle: async ({ params: { id }, principal }) => {
        if (!(await removeDenial(db, { id, administrator: principal.accountId }))) {
          throw new SlipwayError("not_found", "There is no such entry.");
        }
        return { removed: true };
      },
    }),
  ];

  async function requireHash(sha256: string): Promise<string> {
    const found = await findImageHash(db, sha256);
    if (found === null) throw new SlipwayError("not_found", "There is no such picture.");
    if (found.dhash !== null) return found.dhash;
    throw new SlipwayError("invalid_fields", "The picture is not hashed yet; try again in a few minutes.", {
      field: "sha256",
    });
  }
}

const toEntry = ({ created_at, ...row }: DeniedImageRow) => ({ ...row, created_at: created_at.toISOString() });

/** Pictures of one colour or of one gradient have a hash of equal bits: an entry near it would block them all. */
function refusePlain(dhash: string, within: number): void {
  const ones = [...BigInt(`0x${dhash}`).toString(2)].filter((bit) => bit === "1").length;
  if (Math.min(ones, 64 - ones) > within) return;
  throw new SlipwayError(
    "invalid_fields",
    "The hash is so plain that the entry would match pictures of one colour. Block the picture itself, or lower within.",
    { field: "within" },
  );
}
