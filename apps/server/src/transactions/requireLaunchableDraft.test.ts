import type { Intent } from "@slipway/protocol/intent";
import { expect, test } from "vitest";
import { testManifest } from "../../../../tests/support/server/testManifest.ts";
import { requireLaunchableDraft } from "./requireLaunchableDraft.ts";

const recipients = [{ provider: "wallet", wallet: `0x${"a1".repeat(20)}`, share_bps: 10_000 }] as Intent["recipients"];
const intent: Intent = {
  name: "Tin Boat",
  symbol: "TIN",
  image_uri: "https://cdn.example/tin.png",
  chain_id: testManifest.chain_id as Intent["chain_id"],
  recipients,
};

/** The manifest with these tiers launchable. */
function withTiers(launchable: number[]) {
  const tiers = [100, 50, 30, 10].map((fee_bps) => ({
    fee_bps,
    protocol_bps: 10,
    collaborators_bps: fee_bps - 10,
    launchable: launchable.includes(fee_bps),
    tick_spacing: launchable.includes(fee_bps) ? 20 : null,
  }));
  return { ...testManifest, current: { ...testManifest.current, fee_policy: { protocol_bps: 10, tiers } } };
}

const check = (draft: Partial<Intent>, launchable: number[]) => () =>
  requireLaunchableDraft({ intent: { ...intent, ...draft }, options: null }, withTiers(launchable));

test("C4-26 a draft of a tier that the chain lacks is refused with the tiers that launch", () => {
  for (const fee_bps of [50, 10] as const) {
    expect(check({ fee_bps }, [100, 30])).toThrow(
      expect.objectContaining({
        code: "fee_tier_not_launchable",
        message: `No token launches with fee_bps ${fee_bps} on this chain; fee_bps can be 100 or 30.`,
        details: { fee_bps, launchable_fee_bps: [100, 30] },
      }),
    );
  }
  expect(check({}, [30])).toThrow(expect.objectContaining({ code: "fee_tier_not_launchable" }));
  for (const fee_bps of [undefined, 100, 30] as const) expect(check({ fee_bps }, [100, 30])).not.toThrow();
});

test("only the tier that leaves recipients nothing needs none", () => {
  const all = [100, 50, 30, 10];
  for (const fee_bps of [undefined, 100, 50, 30] as const) {
    for (const none of [[], undefined]) {
      expect(check({ fee_bps, recipients: none }, all)).toThrow(
        expect.objectContaining({ code: "recipients_required" }),
      );
    }
  }
  for (const some of [[], undefined, recipients]) expect(check({ fee_bps: 10, recipients: some }, all)).not.toThrow();
});
