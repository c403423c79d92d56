import { example, type OperationExamples, sample } from "./example.ts";

const block = { blocked: true, reason: "It pretends to be another business." };

const moderated = (kind: string, id: string): OperationExamples => ({
  request: example(block),
  responses: { 200: example({ kind, id, ...block, created_at: "2026-11-22T07:07:52.540Z" }) },
});

const deniedImage = {
  id: "01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70",
  dhash: "3c7e66e7c3817e18",
  within: 6,
  reason: "It is the logo of another business.",
  created_at: "2026-11-22T07:07:52.540Z",
};

/** Administration of accounts, and of what they publish. */
export const administrationExamples: Record<string, OperationExamples> = {
  listAccounts: {
    responses: {
      200: example({
        items: [
          {
            id: sample.accountId,
            name: "Tin Boat makers",
            created_at: "2026-11-22T07:07:52.540Z",
            plan: "subscriber",
            credits: 100,
            keys: 1,
          },
        ],
        next_before: null,
      }),
    },
  },
  startPlan: {
    request: example({ account_id: sample.accountId, plan: "subscriber", days: 30 }),
    responses: {
      200: example({ account_id: sample.accountId, plan: "subscriber", active_until: "2026-12-22T07:07:52.540Z" }),
    },
  },
  grantCredits: {
    request: example({ account_id: sample.accountId, amount: 100, reason: "welcome" }),
    responses: { 200: example({ account_id: sample.accountId, amount: 100, balance: 100 }) },
  },
  listDeniedImages: { responses: { 200: example({ items: [deniedImage], next_before: null }) } },
  denyImages: {
    request: example({ dhash: deniedImage.dhash, within: 6, reason: deniedImage.reason }),
    responses: { 200: example({ ...deniedImage, blocked: 2 }) },
  },
  removeDenial: { responses: { 200: example({ removed: true }) } },
  moderateListing: moderated("listing", "01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70"),
  moderateToken: moderated("token", sample.token),
  moderateImage: moderated("image", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
};
