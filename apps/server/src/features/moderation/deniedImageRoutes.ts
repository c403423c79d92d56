import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import {
  type DeniedImageRow,
  denyImages,
  findImageHash,
  listDeniedImages,
  removeDenial,
} from "./deniedImageQueries.ts";

/** Creates the routes of the deny list: pictures that resemble an entry are blocked, whatever their source. */
export function deniedImageRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  return [
    createRoute("listDeniedImages", {
      handle: async ({ query: { limit, before } }) => {
        const rows = await listDeniedImages(db, { limit, before });
        return { items: rows.map(toEntry), next_before: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
      },
    }),

    createRoute("denyImages", {
      handle: async ({ body: { sha256, dhash, within, reason }, principal }) => {
        const hash = dhash ?? (await requireHash(sha256!));
        refusePlain(hash, within);
        const entry = { id: deps.ids.uuid(), dhash: hash, within, reason, administrator: principal.accountId };
        const { blocked, ...row } = await denyImages(db, entry);
        return { ...toEntry(row), blocked };
      },
    }),

    createRoute("removeDenial", {
      handle: async ({ params: { id }, principal }) => {
        if (!(await removeDenial(db, { id, administrator: principal.accountId }))) {
          throw new SlipwayError("not_found", "Entry not found.");
        }
        return { removed: true };
      },
    }),
  ];

  async function requireHash(sha256: string): Promise<string> {
    const found = await findImageHash(db, sha256);
    if (found === null) throw new SlipwayError("not_found", "Image not found.");
    if (found.dhash !== null) return found.dhash;
    throw new SlipwayError("invalid_fields", "The image is not hashed yet; try again in a few minutes.", {
      field: "sha256",
    });
  }
}

const toEntry = ({ created_at, ...row }: DeniedImageRow) => ({ ...row, created_at: created_at.toISOString() });

/** Refuses a hash near all-equal bits, the hash of any picture of one colour or gradient: it would block them all. */
function refusePlain(dhash: string, within: number): void {
  const ones = [...BigInt(`0x${dhash}`).toString(2)].filter((bit) => bit === "1").length;
  if (Math.min(ones, 64 - ones) > within) return;
  throw new SlipwayError(
    "invalid_fields",
    "This hash would also match single-colour images. Block the image itself, or lower within.",
    { field: "within" },
  );
}
