import { z } from "zod";
import { removed } from "../accounts.ts";
import type { ErrorCode } from "../errors.ts";
import { imageTypes, maxImageBytes, uploadedImage } from "../images.ts";
import { draft, draftList, draftsQuery, intent } from "../intent.ts";
import { launchCallsRequest, launchCallsResult } from "../launchCalls.ts";
import { draftWithOptions, launchOptionsRequest } from "../launchOptions.ts";
import { launchPreview, launchPreviewRequest } from "../launchPreview.ts";
import { launchProgress } from "../launchProgress.ts";
import { text } from "../text.ts";
import { launchRequest, splitRequest, unsignedResult } from "../transaction.ts";
import { chainErrors, idempotencyHeaders, type OperationDefinition } from "./operationDefinition.ts";

/** Errors of every operation that prepares a draft's launch. */
const draftErrors = [
  "draft_not_found",
  "chain_mismatch",
  "fee_tier_not_launchable",
  "invalid_fields",
  "recipients_required",
] as const satisfies readonly ErrorCode[];

const draftParams = z.object({ id: z.uuid().describe("The id of one of the account's drafts.") });

const mediaAnswers = {
  200: { contentType: "image/webp", description: "The picture", headers: ["Accept-Ranges"] },
  302: { description: "It is elsewhere (`MEDIA_SERVING=redirect`)", headers: ["Location"] },
  206: {
    contentType: "image/webp",
    description: "The range that `Range` asks for",
    headers: ["Accept-Ranges", "Content-Range"],
  },
} satisfies OperationDefinition["answers"];
/** Operations from a draft to a launched token, with its pictures. */
export const launchOperations = {
  createIntent: {
    tag: "Launch",
    summary: "Store a private launch draft",
    description:
      "Validates and persists a private draft; does not launch a token. The answer holds what a launch writes on " +
      "chain: name and URIs are normalised, and refused where they do not show as what they are. An identical retry with the same " +
      "Idempotency-Key answers 200 with the stored draft, other content 409. A refused request does not use the key. An account has at most 1,000 drafts.",
    headers: idempotencyHeaders,
    body: intent,
    answers: {
      201: { description: "The draft was stored", schema: draft },
      200: { description: "The same request was made before; the stored draft", schema: draft },
    },
    errors: [
      "shares_not_10000",
      "duplicate_recipient",
      "too_many_drafts",
      "idempotency_key_reused",
      "storage_unavailable",
    ],
  },

  listIntents: {
    tag: "Launch",
    summary: "List the latest 50 drafts of the account, newest first",
    description: "`before` requests the next 50: `next_before` of the previous page, null at the end.",
    query: draftsQuery,
    answers: { 200: { description: "The drafts", schema: draftList } },
    errors: ["storage_unavailable"],
  },

  deleteIntent: {
    tag: "Launch",
    summary: "Delete a draft",
    description:
      "Also one that was launched: the launch stays on the chain, and the labels of its recipients are not shown any more. " +
      "The draft's Idempotency-Key may be used again. Transactions that were prepared from it stay valid.",
    params: draftParams,
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  getIntent: {
    tag: "Launch",
    summary: "Get a draft with its options",
    description: "`options` is null when none were put. The id of another account's draft is unknown here.",
    params: draftParams,
    answers: { 200: { description: "The draft", schema: draftWithOptions } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  getIntentProgress: {
    tag: "Launch",
    summary: "Find the splitters and launches of a draft on the chain",
    description:
      "So that a launch goes on where a browser was closed. `launches` has what the index has. `splitters` has those " +
      "that a launch would accept: proven by their creation, with exactly the draft's recipients, and made by a wallet " +
      "that the account has linked or has prepared this draft with. What a reorganisation removes is not listed " +
      "any more. At most the newest 100 launches and 10 splitters are listed.",
    params: draftParams,
    answers: { 200: { description: "What is on the canonical chain", schema: launchProgress } },
    errors: ["invalid_request", "not_found", "index_unavailable", ...chainErrors],
  },

  putIntentOptions: {
    tag: "Launch",
    summary: "Store the options of a draft: initial buy, partner, links, banner, creator",
    description:
      "Replaces all options of the draft; what is left out is null. `POST /launch/transactions` builds what is stored " +
      "at that time. The answer holds what a launch writes on chain: links and `banner_uri` are normalised, and a link " +
      "must be on its own host. A transaction that was prepared before stays valid with the earlier options: the draft " +
      "then carries the warning `options_changed`.",
    params: draftParams,
    body: launchOptionsRequest,
    answers: { 200: { description: "The draft with the options that are stored now", schema: draftWithOptions } },
    errors: ["not_found", "address_checksum", "storage_unavailable"],
  },

  uploadImage: {
    tag: "Launch",
    summary: "Store a picture for a launch",
    description:
      "Takes a PNG, JPEG, GIF or WebP of at most 4 MiB, 8,192 pixels a side, 300 frames and 40 megapixels in all frames. " +
      "The picture is decoded and encoded anew as WebP, at most 2,048 pixels a side: upright, in sRGB, without metadata, " +
      "animations with all frames. Of the WebP at most 6 MiB are stored, 7 MiB with its smaller versions; a picture that " +
      "becomes more is refused: send fewer frames or fewer pixels. The same picture gives the same answer and is stored once. An account has a quota of pictures and " +
      "of their bytes, in which a picture counts once. `uri` is what a draft takes.",
    file: {
      maxBytes: maxImageBytes,
      tooLarge: "image_too_large",
      contentTypes: imageTypes,
      description: "The picture. Its content decides what it is, not its name or type.",
    },
    answers: { 200: { description: "The stored picture", schema: uploadedImage } },
    errors: [
      "unsupported_image_type",
      "invalid_fields",
      "too_many_images",
      "provider_unavailable",
      "storage_unavailable",
    ],
  },

  getImage: {
    tag: "Tokens",
    summary: "Get a stored picture",
    description: "What is at this path never changes. A picture that is unknown or blocked is 404.",
    params: z.object({ name: text().describe("The picture's `sha256` and `.webp`.") }),
    answers: mediaAnswers,
    errors: ["not_found", "storage_unavailable"],
  },

  getImageSize: {
    tag: "Tokens",
    summary: "Get a smaller version of a stored picture",
    description:
      "It fits into a square of 64, 256, 512 or 1,024 pixels and is never larger than the picture; of an animation it is " +
      "the first frame.",
    params: z.object({
      sha256: text().describe("The picture's `sha256`."),
      size: text().describe("`64.webp`, `256.webp`, `512.webp` or `1024.webp`."),
    }),
    answers: mediaAnswers,
    errors: ["not_found", "storage_unavailable"],
  },

  prepareSplitter: {
    tag: "Launch",
    summary: "Prepare the deployment of a draft's immutable fee splitter",
    description:
      "Answers an unsigned contract creation of exactly the pinned splitter code with the draft's recipients; " +
      "`expected.splitter` holds for the account nonce that stands beside it. For a wallet with code, and with " +
      "`method` `factory`, it is a call of the splitter factory, whose address for a draft depends on no nonce and " +
      "no sender; where that splitter exists, `status` is `nothing_to_do` with `expected.splitter`. A draft that " +
      "cannot be launched is refused here, before its splitter costs gas.",
    body: splitRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...draftErrors, "address_checksum", "recipient_cannot_receive", "simulation_reverted", ...chainErrors],
  },

  prepareLaunch: {
    tag: "Launch",
    summary: "Prepare the launch of a draft's token",
    description:
      "The splitter must be deployed and is proven by its deployment: the pinned code with exactly the draft's " +
      "recipients, in the draft's order. `expected` names the token and the pool that the launch will have; they " +
      "hold for this wallet and this salt. The draft's options are built in: the initial buy with its minimum and its " +
      "value (`expected.amount_out` is exact), the partner, links and banner. Where they name another creator than " +
      "`wallet`, the answer is 422: `POST /launch/calls` prepares that launch.",
    body: launchRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: [
      ...draftErrors,
      "recipient_cannot_receive",
      "amount_too_small",
      "insufficient_balance",
      "splitter_not_deployed",
      "splitter_mismatch",
      "pool_taken",
      "salt_taken",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareLaunchCalls: {
    tag: "Launch",
    summary: "Prepare a launch with its splitter as one batch, by another account than the creator if wanted",
    description:
      "`calls` is the whole launch, for `wallet_sendCalls` (EIP-5792, atomic): where `splitter` is null, the call of " +
      "the splitter factory that makes the draft's splitter, unless it exists, and the launch. `transaction` is the " +
      "same as one transaction, or null where there are two calls. Where the draft's `creator` is another address than " +
      "`wallet`, the wallet sends and pays the launch and the creator signs it: without `authorization` the answer " +
      "has the status `signature_required`, `typed_data`, and neither `calls` nor `transaction`. Ask again with its " +
      "`deadline` and the signature: of a key 65 bytes, of a contract wallet what its code accepts (ERC-1271). The " +
      "whole batch is simulated at `block_number`, the signature included.",
    body: launchCallsRequest,
    scope: "transactions",
    answers: { 200: { description: "The batch to send, or what the creator signs", schema: launchCallsResult } },
    errors: [
      ...draftErrors,
      "address_checksum",
      "recipient_cannot_receive",
      "splitter_not_deployed",
      "splitter_mismatch",
      "signature_invalid",
      "quote_expired",
      "amount_too_small",
      "insufficient_balance",
      "pool_taken",
      "salt_taken",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  previewLaunch: {
    tag: "Launch",
    summary: "Preview a launch: prices, what buys get, gas, fees",
    description:
      "Market cap and FDV at the start price; the price after first buys of 0.1, 1 and 10 native; what the draft's " +
      "initial buy gets; the gas of each step now; the fees of a trade, less what Uniswap's own fee takes of them. " +
      "Amounts are computed as the pool computes them, and the whole launch is simulated at `block_number` as if the " +
      "wallet held what it needs. The token's address, and with it the order of the pool's tokens, depends on the " +
      "launch's salt: an amount of the launch itself can differ from the previewed one in its last digits.",
    body: launchPreviewRequest,
    scope: "read",
    answers: { 200: { description: "The preview", schema: launchPreview } },
    errors: [
      ...draftErrors,
      "address_checksum",
      "recipient_cannot_receive",
      "amount_too_small",
      "simulation_reverted",
      ...chainErrors,
    ],
  },
} satisfies Record<string, OperationDefinition>;
