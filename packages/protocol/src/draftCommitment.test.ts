import fc from "fast-check";
import { keccak256, stringToBytes } from "viem";
import { describe, expect, it } from "vitest";
import {
  type CommittedDraft,
  commitsToDraft,
  draftCommitment,
  draftCommitmentKey,
  readDraftCommitment,
} from "./draftCommitment.ts";
import type { Intent } from "./intent.ts";
import { contractUri } from "./metadataDocument.ts";

const intent: Intent = {
  name: "Tin Boat",
  symbol: "TIN",
  image_uri: "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
  chain_id: 46630,
  recipients: [
    {
      provider: "code_host",
      handle: "octocat",
      wallet: "0x1111111111111111111111111111111111111111",
      share_bps: 10_000,
    },
  ],
};
const draft: CommittedDraft = {
  draftId: "019aa7a0-0000-7000-8000-000000000001",
  intent,
  creator: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

/** Creates the document of a launch as the service writes it, with any value in place of the commitment. */
function documentUri(commitment: unknown, key = draftCommitmentKey): string {
  const document = { name: "Tin Boat", symbol: "TIN", image: "ipfs://x", [key]: commitment };
  return `data:application/json;base64,${btoa(JSON.stringify(document))}`;
}

describe("draftCommitment", () => {
  it("hashes the documented text", () => {
    const text =
      '{"creator":"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed","domain":"slipway.draft.v1",' +
      '"draft_id":"019aa7a0-0000-7000-8000-000000000001","intent":{"chain_id":46630,' +
      '"image_uri":"ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy","name":"Tin Boat",' +
      '"recipients":[{"handle":"octocat","provider":"code_host","share_bps":10000,' +
      '"wallet":"0x1111111111111111111111111111111111111111"}],"symbol":"TIN"}}';
    expect(draftCommitment(draft)).toBe(keccak256(stringToBytes(text)));
    // Launches contain this value permanently, so it must never change.
    expect(draftCommitment(draft)).toBe("0xee42a015f3d7b64bf35db65eabeaad8bc7c52dddd6399d7ec53d5b0a012b6f08");
  });

  it("is the same for another key order and for ids and addresses in another case", () => {
    const reordered = Object.fromEntries(Object.entries(intent).reverse()) as Intent;
    expect(
      draftCommitment({
        draftId: draft.draftId.toUpperCase(),
        intent: { ...reordered, description: undefined },
        creator: draft.creator.toLowerCase(),
      }),
    ).toBe(draftCommitment(draft));
  });

  it.each<[string, Partial<CommittedDraft>]>([
    ["another draft of the same content", { draftId: "019aa7a0-0000-7000-8000-000000000002" }],
    ["another creator", { creator: "0x1111111111111111111111111111111111111111" }],
    ["another name", { intent: { ...intent, name: "Tin Boat " } }],
    [
      "a handle of another recipient",
      { intent: { ...intent, recipients: [{ ...intent.recipients![0]!, handle: "o" }] } },
    ],
    ["no recipients", { intent: { ...intent, recipients: [] } }],
    ["another chain", { intent: { ...intent, chain_id: 4663 } }],
    ["an empty description", { intent: { ...intent, description: "" } }],
  ])("differs for %s", (_, change) => {
    expect(draftCommitment({ ...draft, ...change })).not.toBe(draftCommitment(draft));
  });

  it("is equal only for equal drafts", () => {
    const field = fc.string({ unit: "binary", minLength: 1, maxLength: 8 });
    const drafts = fc.record({
      draftId: fc.uuid(),
      creator: fc.constantFrom("0x1111111111111111111111111111111111111111", draft.creator),
      intent: fc.record({ name: field, symbol: field, description: field }).map((text) => ({ ...intent, ...text })),
    });
    fc.assert(
      fc.property(drafts, drafts, (one, other) => {
        expect(draftCommitment(structuredClone(one))).toBe(draftCommitment(one));
        const differs = JSON.stringify(one) !== JSON.stringify(other);
        expect(draftCommitment(one) !== draftCommitment(other)).toBe(differs);
      }),
    );
  });
});

describe("readDraftCommitment", () => {
  const commitment = draftCommitment(draft);

  it("reads the commitment of the launch's document", () => {
    expect(readDraftCommitment(documentUri(commitment))).toBe(commitment);
  });

  it.each([
    ["a document without one", contractUri(intent)],
    ["another key", documentUri(commitment, "commitment")],
    ["upper case", documentUri(commitment.toUpperCase())],
    ["a short one", documentUri(commitment.slice(0, -1))],
    ["a line feed behind it", documentUri(`${commitment}\n`)],
    ["an array", documentUri([commitment])],
    ["a number", documentUri(1)],
    ["null", `data:application/json;base64,${btoa("null")}`],
    ["a text", `data:application/json;base64,${btoa('"x"')}`],
    ["broken JSON", `data:application/json;base64,${btoa("{")}`],
    ["broken base64", "data:application/json;base64,%%%"],
    ["broken UTF-8", `data:application/json;base64,${btoa('{"a":"\xff"}')}`],
    ["plain JSON", `data:application/json,{"${draftCommitmentKey}":"${commitment}"}`],
    ["a document outside the URI", "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"],
    ["nothing", ""],
  ])("returns null for %s", (_, uri) => {
    expect(readDraftCommitment(uri)).toBeNull();
  });
});

describe("commitsToDraft", () => {
  const uri = documentUri(draftCommitment(draft));

  it("accepts the launch that was prepared", () => {
    expect(commitsToDraft(uri, draft)).toBe(true);
  });

  it("rejects a copied document in a launch by another account", () => {
    expect(commitsToDraft(uri, { ...draft, creator: "0x2222222222222222222222222222222222222222" })).toBe(false);
  });

  it("rejects an earlier or later draft with the same content", () => {
    for (const draftId of ["019aa79f-0000-7000-8000-000000000001", "019aa7b0-0000-7000-8000-000000000001"]) {
      expect(commitsToDraft(uri, { ...draft, draftId })).toBe(false);
    }
  });

  it("rejects every draft for a launch without a commitment", () => {
    expect(commitsToDraft(contractUri(intent), draft)).toBe(false);
  });
});
