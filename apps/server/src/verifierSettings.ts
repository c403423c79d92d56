import { createEnum, integer, url } from "./settingTypes.ts";

/** The APIs of verifiers. */
export const verifierKinds = ["sourcify", "blockscout"] as const;

/** Settings of the verification of sources; off without VERIFIER_URL. `docs/operations.md` explains them. */
export const verifierSettings = {
  /** Base URL of the verifier's API. */
  VERIFIER_URL: url(["http:", "https:"])
    .transform((text) => text.replace(/\/+$/, ""))
    .optional(),
  VERIFIER_KIND: createEnum(verifierKinds).default("sourcify"),
  /** The interval between two searches for due contracts. */
  VERIFIER_POLL_MS: integer(10, 3_600_000).default(5_000),
};
