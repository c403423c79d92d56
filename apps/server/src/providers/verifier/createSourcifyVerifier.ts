import { z } from "zod";
import { answeredAddress, parseAnswer, requestVerifier } from "./requestVerifier.ts";
import { type SourceContract, type SourceMatch, type SourceVerifier, VerifierError } from "./sourceVerifier.ts";

const match = z.enum(["exact_match", "match"]).nullish();

/** The runtime code decides: `match` is the better one of `creationMatch` and `runtimeMatch`. */
const contractAnswer = z.object({ runtimeMatch: match, chainId: z.string(), address: answeredAddress });

const submitted = z.object({ verificationId: z.uuid() });

const jobAnswer = z.object({
  isJobCompleted: z.boolean(),
  verificationId: z.uuid(),
  error: z.object({ customCode: z.string().regex(/^[a-z0-9_]{1,80}$/) }).nullish(),
  contract: contractAnswer.nullish(),
});

/** Codes of a job whose compiled code is not the deployed code. */
const differences: ReadonlySet<string> = new Set(["no_match", "bytecode_length_mismatch"]);

/**
 * Creates a verifier of the API of Sourcify.
 *
 * Source: Sourcify APIv2 2.1.0, https://docs.sourcify.dev/docs/api
 *
 * @param baseUrl - Without a slash at its end, such as `https://sourcify.dev/server`.
 */
export function createSourcifyVerifier(baseUrl: string): SourceVerifier {
  const find: SourceVerifier["find"] = async (contract, signal) => {
    const { chainId, address } = contract;
    const url = `${baseUrl}/v2/contract/${chainId}/${address}`;
    const { status, body } = await requestVerifier(url, signal, { statuses: [404] });
    return status === 404 ? null : readMatch(contract, parseAnswer(contractAnswer, body));
  };
  return {
    find,
    submit: async ({ chainId, address, identifier, compiler, standardInput, creationTransaction }, signal) => {
      const { status, body } = await requestVerifier(`${baseUrl}/v2/verify/${chainId}/${address}`, signal, {
        body: {
          stdJsonInput: JSON.parse(standardInput) as unknown,
          compilerVersion: compiler,
          contractIdentifier: identifier,
          ...(creationTransaction !== null && { creationTransactionHash: creationTransaction }),
        },
        // Verified already.
        statuses: [409],
      });
      return status === 409 ? "" : parseAnswer(submitted, body).verificationId;
    },
    check: async (contract, jobId, signal) => {
      if (jobId === "") {
        const known = await find(contract, signal);
        return known === null ? { status: "failed", reason: "job_not_found" } : { status: "matched", match: known };
      }
      const url = `${baseUrl}/v2/verify/${encodeURIComponent(jobId)}`;
      const { status, body } = await requestVerifier(url, signal, { statuses: [404] });
      // The verifier has forgotten the job.
      if (status === 404) return { status: "failed", reason: "job_not_found" };
      const job = parseAnswer(jobAnswer, body);
      if (job.verificationId !== jobId) throw new VerifierError("verifier_bad_answer");
      if (!job.isJobCompleted) return { status: "pending" };
      const found = job.contract ? readMatch(contract, job.contract) : null;
      if (found !== null) return { status: "matched", match: found };
      const reason = job.error?.customCode ?? "no_match";
      return differences.has(reason) ? { status: "different" } : { status: "failed", reason };
    },
  };
}

function readMatch({ chainId, address }: SourceContract, answer: z.infer<typeof contractAnswer>): SourceMatch | null {
  const isSame = answer.chainId === String(chainId) && answer.address.toLowerCase() === address.toLowerCase();
  if (!isSame) throw new VerifierError("verifier_bad_answer");
  if (answer.runtimeMatch === "exact_match") return "exact";
  return answer.runtimeMatch === "match" ? "match" : null;
}
