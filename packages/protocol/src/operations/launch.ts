import { z } from "zod";
import { removed } from "../accounts.ts";
import type { ErrorCode } from "../errors.ts";
import { imageTypes, maxImageBytes, uploadedImage } from "../images.ts";
import { draft, draftList, draftsQuery, intent } from "../intent.ts";
import { launchCallsRequest, launchCallsResult, launchCancellationRequest } from "../launchCalls.ts";
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
  200: { contentType: "image/webp", description: "The image", headers: ["Accept-Ranges"] },
  302: { description: "The image is at another URL (`MEDIA_SERVING=redirect`)", headers: ["Location"] },
  206: {
    contentType: "image/webp",
    description: "The requested range",
    headers: ["Accept-Ranges", "Content-Range"],
  },
} satisfies OperationDefinition["answers"];
/** Operations from a draft to a launched token, with its pictures. */
export const launchOperations = {
  createIntent: {
    tag: "Launch",
    summary: "Store a private launch draft",
    description:
      "Validates and stores a private draft; it does not launch a token. The answer has the values that the launch " +
      "will write to the chain: the name and URIs are normalised, and are refused if they could be mistaken for " +
      "something else. A retry of the same request with the same Idempotency-Key answers 200 with the stored draft; " +
      "a different request with the same key is 409. A refused request does not use the key. An account can have at " +
      "most 1,000 drafts.",
    headers: idempotencyHeaders,
    body: intent,
    answers: {
      201: { description: "The draft was stored", schema: draft },
      200: { description: "Retry of an earlier request: the stored draft", schema: draft },
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
    description: "Pass `next_before` as `before` to get the next 50 drafts; it is null on the last page.",
    query: draftsQuery,
    answers: { 200: { description: "The drafts", schema: draftList } },
    errors: ["storage_unavailable"],
  },

  deleteIntent: {
    tag: "Launch",
    summary: "Delete a draft",
    description:
      "A launched draft can be deleted too: the launch stays on the chain, but the labels of its recipients are no " +
      "longer shown. The Idempotency-Key of the draft can be used again. Transactions prepared from the draft stay " +
      "valid.",
    params: draftParams,
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  getIntent: {
    tag: "Launch",
    summary: "Get a draft with its options",
    description: "`options` is null if none are stored. A draft of another account is 404.",
    params: draftParams,
    answers: { 200: { description: "The draft", schema: draftWithOptions } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  getIntentProgress: {
    tag: "Launch",
    summary: "Find a draft's splitters and launches on the chain",
    description:
      "Lets a client continue a launch after the browser was closed. `launches` lists indexed launches. `splitters` " +
      "lists the splitters that a launch would accept: verified by their creation, with exactly the recipients of " +
      "the draft, and created by a wallet that is linked to the account or has prepared this draft. Launches and " +
      "splitters reverted by a chain reorg disappear from the lists. At most the newest 100 launches and 10 " +
      "splitters are listed.",
    params: draftParams,
    answers: { 200: { description: "The splitters and launches on the chain", schema: launchProgress } },
    errors: ["invalid_request", "not_found", "index_unavailable", ...chainErrors],
  },

  putIntentOptions: {
    tag: "Launch",
    summary: "Store a draft's options: initial buy, partner, links, banner, creator",
    description:
      "Replaces all options of the draft; omitted options become null. `POST /launch/transactions` uses the options " +
      "that are stored at that time. The answer has the values that the launch will write to the chain: links and " +
      "`banner_uri` are normalised, and each link must be on the host of its service. A transaction that was " +
      "prepared earlier stays valid with the earlier options; the draft then has the warning `options_changed`.",
    params: draftParams,
    body: launchOptionsRequest,
    answers: { 200: { description: "The draft with its stored options", schema: draftWithOptions } },
    errors: ["not_found", "address_checksum", "storage_unavailable"],
  },

  uploadImage: {
    tag: "Launch",
    summary: "Upload an image for a launch",
    description:
      "Accepts a PNG, JPEG, GIF or WebP of at most 4 MiB, 8,192 pixels a side, 300 frames, and 40 megapixels over " +
      "all frames. The image is converted to a WebP of at most 2,048 pixels a side: upright, in sRGB, without " +
      "metadata, with all frames of an animation. The WebP may have at most 6 MiB, and 7 MiB together with its " +
      "smaller versions; if it has more, send fewer frames or fewer pixels. The same image always gives the same " +
      "answer and is stored once. Each account has a quota of images and bytes; the same image counts once. Use " +
      "`uri` as the `image_uri` of a draft.",
    file: {
      maxBytes: maxImageBytes,
      tooLarge: "image_too_large",
      contentTypes: imageTypes,
      description: "The image. The service detects the format from the content, not from the name or type.",
    },
    answers: { 200: { description: "The stored image", schema: uploadedImage } },
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
    summary: "Get an uploaded image",
    description: "The image at a path never changes. An unknown or blocked image is 404.",
    params: z.object({ name: text().describe("The `sha256` of the image and `.webp`.") }),
    answers: mediaAnswers,
    errors: ["not_found", "storage_unavailable"],
  },

  getImageSize: {
    tag: "Tokens",
    summary: "Get a smaller version of an uploaded image",
    description:
      "The image fits into a square of 64, 256, 512 or 1,024 pixels and is never larger than the original. For an " +
      "animation it is the first frame.",
    params: z.object({
      sha256: text().describe("The `sha256` of the image."),
      size: text().describe("`64.webp`, `256.webp`, `512.webp` or `1024.webp`."),
    }),
    answers: mediaAnswers,
    errors: ["not_found", "storage_unavailable"],
  },

  prepareSplitter: {
    tag: "Launch",
    summary: "Prepare the deployment of a draft's fee splitter",
    description:
      "Returns an unsigned transaction that creates the verified splitter code with the recipients of the draft. " +
      "`expected.splitter` is the resulting address for the account nonce beside it. For a wallet with code, and " +
      "with `method` `factory`, the transaction calls the splitter factory: its address for a draft depends on " +
      "neither the nonce nor the sender, and if that splitter exists, `status` is `nothing_to_do` and " +
      "`expected.splitter` is its address. A draft that cannot be launched is refused here, before its splitter " +
      "costs gas.",
    body: splitRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...draftErrors, "address_checksum", "recipient_cannot_receive", "simulation_reverted", ...chainErrors],
  },

  prepareLaunch: {
    tag: "Launch",
    summary: "Prepare the launch of a draft's token",
    description:
      "The splitter must be deployed. The service verifies that it has the verified code and exactly the recipients " +
      "of the draft, in the same order. `expected` has the addresses of the token and the pool; they are valid for " +
      "this wallet and this salt. The transaction includes the options of the draft: the initial buy with its " +
      "minimum and value (`expected.amount_out` is exact), the partner, the links and the banner. The vesting of an " +
      "initial buy must exist (`POST /vestings/transactions`). If the draft's " +
      "`creator` is not `wallet`, the answer is 422; use `POST /launch/calls` instead.",
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
      "vesting_not_deployed",
      "pool_taken",
      "salt_taken",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareLaunchCalls: {
    tag: "Launch",
    summary: "Prepare a launch and its splitter as one batch, optionally sent by another wallet than the creator",
    description:
      "`calls` is the whole launch for `wallet_sendCalls` (EIP-5792, atomic): if `splitter` is null and the draft's " +
      "splitter does not exist, the call of the splitter factory that creates it; likewise the vesting of the initial " +
      "buy; then the launch. `transaction` is the same launch as one transaction, or null if more calls are needed. If the draft's `creator` is not " +
      "`wallet`, the wallet sends and pays for the launch and the creator signs it: without `authorization`, the " +
      "answer has the status `signature_required` and `typed_data`, and neither `calls` nor `transaction`. Repeat " +
      "the request with its `deadline`, its `epoch` and the signature: 65 bytes of a key, or any signature that a " +
      "contract wallet accepts (ERC-1271). A signature is valid for 20 minutes, and until the creator cancels it " +
      "(`POST /launch/cancel/transactions`): cancel before you sign a second launch. A signed launch uses the " +
      "splitter that the splitter factory creates for the draft, because its address determines the recipients. " +
      "The whole batch, with the signature, is simulated at `block_number`.",
    body: launchCallsRequest,
    scope: "transactions",
    answers: {
      200: { description: "The batch to send, or the typed data that the creator signs", schema: launchCallsResult },
    },
    errors: [
      ...draftErrors,
      "address_checksum",
      "recipient_cannot_receive",
      "splitter_not_deployed",
      "splitter_mismatch",
      "signature_invalid",
      "authorization_cancelled",
      "quote_expired",
      "amount_too_small",
      "insufficient_balance",
      "pool_taken",
      "salt_taken",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareLaunchCancellation: {
    tag: "Launch",
    summary: "Prepare the transaction that cancels every launch that a wallet has signed",
    description:
      "After it, no signature that the wallet made for `POST /launch/calls` launches any more, even if its deadline " +
      "has not passed; launches that happened stay. Send it before you sign a second launch because the first one " +
      "was blocked (`pool_taken`) or was not sent. Only the wallet can send the transaction. A launch that is mined " +
      "before the cancellation still happens.",
    body: launchCancellationRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: ["simulation_reverted", ...chainErrors],
  },

  previewLaunch: {
    tag: "Launch",
    summary: "Preview a launch: prices, buys, gas, fees",
    description:
      "The market cap and fully diluted value at the start price; the price after first buys of 0.1, 1 and 10 " +
      "native tokens; the result of the draft's initial buy; the current gas of each step; the fees of a trade " +
      "after Uniswap's own fee. Amounts are computed with the arithmetic of the pool, and the whole launch is " +
      "simulated at `block_number` as if the wallet had the required balance. The order of the pool's tokens " +
      "depends on the salt of the launch, so amounts of the launch can differ from the preview in the last digits.",
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
