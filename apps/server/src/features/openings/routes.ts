import { commitsToDraft } from "@slipway/protocol/draftCommitment";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import { bytesToHex, type Hex } from "viem";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { insertPreparedLaunch, loadDraft, type StoredDraft } from "../../transactions/queries.ts";
import { loadOpening, type OpeningTerms, toOpeningTerms } from "./loadOpening.ts";
import { prepareAuthorization } from "./prepareAuthorization.ts";
import { prepareClaim } from "./prepareClaim.ts";
import { prepareClosing } from "./prepareClosing.ts";
import { prepareDeposit } from "./prepareDeposit.ts";
import { createOpeningOrder, prepareOpening } from "./prepareOpening.ts";
import { prepareOpeningLaunch } from "./prepareOpeningLaunch.ts";
import { findOpeningDetail } from "./queries.ts";
import { openingReadRoutes } from "./readRoutes.ts";
import { findOtherLaunch } from "./toOpening.ts";

/** Routes of openings: launches whose first buy is made by many depositors at one price. */
export function openingsRoutes(deps: Deps): Route[] {
  const drawSalt = () => bytesToHex(deps.ids.bytes(32));
  return [
    ...openingReadRoutes(deps),

    createRoute("prepareOpening", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        const order = createOpeningOrder(proven.manifest, draft, body, drawSalt());
        return await prepareOpening(deps, proven, order, requestId);
      },
    }),

    createRoute("prepareOpeningDeposit", {
      handle: async ({ params, body, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const opening = await loadWithoutLaunch(deps, proven.manifest, params.address);
        const order = { wallet: checksummed(body.wallet), amount: BigInt(body.amount), opening };
        return await prepareDeposit(deps, proven, order, requestId);
      },
    }),

    createRoute("prepareOpeningClaim", {
      handle: async ({ params, body, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const { address } = await loadOpening(deps.db.read, proven.manifest, params.address);
        if (body.account !== undefined && body.to !== undefined) {
          const message = "Only the depositor itself can name another receiver: send account or to, not both.";
          throw new SlipwayError("invalid_fields", message, { field: "to" });
        }
        const wallet = checksummed(body.wallet);
        const account = body.account === undefined ? wallet : checksummed(body.account);
        const to = body.to === undefined ? account : checksummed(body.to);
        return await prepareClaim(deps, proven, { wallet, opening: address, account, to }, requestId);
      },
    }),

    createRoute("authorizeOpening", {
      handle: async ({ params, body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const opening = await loadWithoutLaunch(deps, proven.manifest, params.address);
        const draft =
          body.intent_id === undefined ? null : await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        if (draft !== null) requireOwnDraft(opening, draft);
        const order = {
          wallet: opening.creator,
          opening,
          salt: (body.salt?.toLowerCase() as Hex | undefined) ?? drawSalt(),
          value: body.value === undefined ? null : BigInt(body.value),
        };
        const { calls: _, ...result } = await prepareAuthorization(deps, proven, order, requestId);
        if (draft !== null) {
          await insertPreparedLaunch(deps.db.api, {
            token: result.expected!.token!,
            intentId: draft.id,
            accountId: principal.accountId,
            wallet: opening.creator,
            splitter: opening.params.splitter,
            optionsChangedAt: draft.optionsChangedAt,
          });
        }
        return { ...result, status: "signature_required" as const, transaction: null };
      },
    }),

    createRoute("prepareOpeningLaunch", {
      handle: async ({ params, body, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const opening = await loadWithoutLaunch(deps, proven.manifest, params.address);
        const order = {
          wallet: checksummed(body.wallet),
          opening,
          salt: body.salt.toLowerCase() as Hex,
          value: BigInt(body.value),
          signature: body.signature.toLowerCase() as Hex,
          epoch: body.epoch === undefined ? null : BigInt(body.epoch),
        };
        return await prepareOpeningLaunch(deps, proven, order, requestId);
      },
    }),

    createRoute("prepareOpeningClosing", {
      handle: async ({ params, body, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const row = await loadDetail(deps, params.address);
        const { address } = toOpeningTerms(row, proven.manifest);
        const launch = findOtherLaunch(row, row.candidates, proven.manifest);
        return await prepareClosing(
          deps,
          proven,
          { wallet: checksummed(body.wallet), opening: address, launch },
          requestId,
        );
      },
    }),
  ];
}

/** Loads an opening with launches that can have its parameters. @throws SlipwayError `opening_not_indexed`. */
async function loadDetail({ db }: Deps, address: string) {
  const row = await findOpeningDetail(db.read, address.toLowerCase(), null);
  if (row === null) throw new SlipwayError("opening_not_indexed", undefined, { field: "address" });
  return row;
}

/**
 * Loads an opening that cannot be closed yet. A second launch would leave arrived tokens of the first in the opening.
 *
 * @throws SlipwayError `opening_not_indexed`, `opening_closed`.
 */
async function loadWithoutLaunch(deps: Deps, manifest: Manifest, address: string): Promise<OpeningTerms> {
  const row = await loadDetail(deps, address);
  const opening = toOpeningTerms(row, manifest);
  if (findOtherLaunch(row, row.candidates, manifest) === null) return opening;
  const message =
    "The token was launched without the opening: anyone can close the opening, which refunds its deposits.";
  throw new SlipwayError("opening_closed", message);
}

/** @throws SlipwayError `invalid_fields` for a draft that the document of the opening's token does not commit to. */
function requireOwnDraft({ params, creator }: OpeningTerms, { id, intent }: StoredDraft): void {
  if (commitsToDraft(params.contractURI, { draftId: id, intent, creator })) return;
  throw new SlipwayError("invalid_fields", "The opening was created from another draft.", { field: "intent_id" });
}
