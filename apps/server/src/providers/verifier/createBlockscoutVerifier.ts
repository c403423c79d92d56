import { z } from "zod";
import { parseAnswer, requestVerifier } from "./requestVerifier.ts";
import type { SourceVerifier } from "./sourceVerifier.ts";

/** `is_partially_verified`: the code is equal except for the hash of the metadata. Explorers omit unknown fields. */
const contractAnswer = z.object({
  is_verified: z.boolean().nullish(),
  is_fully_verified: z.boolean().nullish(),
  is_partially_verified: z.boolean().nullish(),
});

/**
 * Creates a verifier of the API of a Blockscout explorer. It has no jobs: the result is that of the contract.
 *
 * Source: Blockscout REST API v2, https://docs.blockscout.com/devs/verification/blockscout-smart-contract-verification-api
 *
 * @param baseUrl - Without a slash at its end, such as `https://explorer.example`.
 */
export function createBlockscoutVerifier(baseUrl: string): SourceVerifier {
  const toUrl = (address: string) => `${baseUrl}/api/v2/smart-contracts/${address}`;
  const find: SourceVerifier["find"] = async ({ address }, signal) => {
    const { status, body } = await requestVerifier(toUrl(address), signal, { statuses: [404] });
    if (status === 404) return null;
    const answer = parseAnswer(contractAnswer, body);
    if (answer.is_verified !== true) return null;
    return answer.is_fully_verified === true && answer.is_partially_verified !== true ? "exact" : "match";
  };
  return {
    find,
    submit: async ({ address, identifier, compiler, standardInput }, signal) => {
      const form = new FormData();
      form.set("compiler_version", `v${compiler}`);
      form.set("contract_name", identifier);
      form.set("autodetect_constructor_args", "true");
      form.set("license_type", "mit");
      form.set("files[0]", new Blob([standardInput], { type: "application/json" }), "input.json");
      await requestVerifier(`${toUrl(address)}/verification/via/standard-input`, signal, { body: form });
      return "";
    },
    check: async (contract, _jobId, signal) => {
      const found = await find(contract, signal);
      return found === null ? { status: "pending" } : { status: "matched", match: found };
    },
  };
}
