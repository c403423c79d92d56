import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createBlockscoutVerifier } from "./createBlockscoutVerifier.ts";
import { createSourcifyVerifier } from "./createSourcifyVerifier.ts";
import type { SourceContract } from "./sourceVerifier.ts";

const address = "0x00000000000000000000000000000000000000Aa";
const jobId = "72d12273-0723-448e-a9f6-f7957128efa5";
const contract: SourceContract = {
  chainId: 46630,
  address,
  identifier: "contracts/src/LaunchToken.sol:LaunchToken",
  compiler: "0.8.37+commit.f401782d",
  standardInput: '{"language":"Solidity","sources":{},"settings":{}}',
  creationTransaction: `0x${"1".repeat(64)}`,
};
const signal = new AbortController().signal;

type Received = { method: string; url: string; type: string; body: string };
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function startServer(answer: Answer) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      received.push({ method: request.method!, url: request.url!, type: request.headers["content-type"] ?? "", body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/server` };
}

const json =
  (status: number, body: unknown): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

const found = (runtimeMatch: string | null, changes: object = {}) => ({
  match: runtimeMatch,
  creationMatch: null,
  runtimeMatch,
  chainId: "46630",
  address: address.toLowerCase(),
  verifiedAt: "2026-11-01T00:00:00Z",
  matchId: "1",
  ...changes,
});

test("Sourcify receives the standard JSON, and its job is read by its id", async () => {
  const { received, url } = await startServer((request, response) => {
    if (request.method === "POST") json(202, { verificationId: jobId })(request, response);
    else json(200, { isJobCompleted: true, verificationId: jobId, contract: found("match") })(request, response);
  });
  const verifier = createSourcifyVerifier(url);
  expect(await verifier.submit(contract, signal)).toBe(jobId);
  expect(await verifier.check(contract, jobId, signal)).toEqual({ status: "matched", match: "match" });
  expect(received[0]).toMatchObject({ method: "POST", url: `/server/v2/verify/46630/${address}` });
  expect(JSON.parse(received[0]!.body)).toEqual({
    stdJsonInput: JSON.parse(contract.standardInput),
    compilerVersion: contract.compiler,
    contractIdentifier: contract.identifier,
    creationTransactionHash: contract.creationTransaction,
  });
  expect(received[1]!.url).toBe(`/server/v2/verify/${jobId}`);
});

test.each([
  ["an exact match", json(200, found("exact_match")), "exact"],
  ["a match", json(200, found("match")), "match"],
  ["no match", json(404, found(null)), null],
])("Sourcify's answer for a contract with %s is read", async (_, answer, expected) => {
  const { url } = await startServer(answer);
  expect(await createSourcifyVerifier(url).find(contract, signal)).toBe(expected);
});

test.each([
  ["is pending", { isJobCompleted: false, contract: found(null) }, { status: "pending" }],
  ["got other code", { isJobCompleted: true, error: { customCode: "no_match" } }, { status: "different" }],
  [
    "failed",
    { isJobCompleted: true, error: { customCode: "compiler_error", message: "x" } },
    { status: "failed", reason: "compiler_error" },
  ],
])("a job of Sourcify that %s is read", async (_, job, expected) => {
  const { url } = await startServer(json(200, { verificationId: jobId, ...job }));
  expect(await createSourcifyVerifier(url).check(contract, jobId, signal)).toEqual(expected);
});

test("a contract that Sourcify has already verified is looked up instead of a job", async () => {
  const { url } = await startServer((request, response) => {
    const answer =
      request.method === "POST" ? json(409, { customCode: "already_verified" }) : json(200, found("match"));
    answer(request, response);
  });
  const verifier = createSourcifyVerifier(url);
  const job = await verifier.submit(contract, signal);
  expect(await verifier.check(contract, job, signal)).toEqual({ status: "matched", match: "match" });
});

test("Blockscout receives the standard JSON as a form", async () => {
  const { received, url } = await startServer((request, response) => {
    const answer =
      request.method === "POST" ? { message: "Smart-contract verification started" } : { is_verified: false };
    json(200, answer)(request, response);
  });
  const verifier = createBlockscoutVerifier(url);
  expect(await verifier.check(contract, await verifier.submit(contract, signal), signal)).toEqual({
    status: "pending",
  });
  expect(received[0]!.url).toBe(`/server/api/v2/smart-contracts/${address}/verification/via/standard-input`);
  const form = await new Response(received[0]!.body, { headers: { "content-type": received[0]!.type } }).formData();
  const file = form.get("files[0]") as File;
  expect([file.name, file.type, await file.text()]).toEqual(["input.json", "application/json", contract.standardInput]);
  form.delete("files[0]");
  expect(Object.fromEntries(form)).toEqual({
    compiler_version: `v${contract.compiler}`,
    contract_name: contract.identifier,
    autodetect_constructor_args: "true",
    license_type: "mit",
  });
});

test.each([
  [{ is_verified: true, is_fully_verified: true, is_partially_verified: false }, "exact"],
  [{ is_verified: true, is_fully_verified: false, is_partially_verified: true }, "match"],
  [{ is_verified: false, is_fully_verified: true }, null],
  [{ name: "no fields of a verification" }, null],
])("Blockscout's answer %j is read", async (body, expected) => {
  const { url } = await startServer(json(200, body));
  expect(await createBlockscoutVerifier(url).find(contract, signal)).toBe(expected);
});

test.each<[string, Answer, string]>([
  ["an error of the server", json(500, {}), "verifier_unavailable"],
  ["too many requests", json(429, {}), "verifier_unavailable"],
  ["a closed connection", (request) => void request.socket.destroy(), "verifier_unavailable"],
  [
    "a redirect",
    (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "verifier_unavailable",
  ],
  ["a refusal", json(400, { customCode: "unsupported_chain" }), "verifier_refused"],
  ["no JSON", (_, response) => void response.end("<html>"), "verifier_bad_answer"],
  ["more bytes than an answer has", (_, response) => void response.end("x".repeat(2 ** 20)), "verifier_bad_answer"],
  ["another contract", json(200, found("exact_match", { address: `0x${"b".repeat(40)}` })), "verifier_bad_answer"],
  ["another chain", json(200, found("exact_match", { chainId: "1" })), "verifier_bad_answer"],
  ["another kind of match", json(200, found("yes")), "verifier_bad_answer"],
])("C5-74 a verifier that answers with %s gives no result", async (_, answer, code) => {
  const { url } = await startServer(answer);
  await expect(createSourcifyVerifier(url).find(contract, signal)).rejects.toMatchObject({ code });
});

test("C5-74 a request to a verifier that does not answer ends with its signal", async () => {
  const { url } = await startServer(() => undefined);
  const verifier = createSourcifyVerifier(url);
  const stopping = AbortSignal.timeout(50);
  await expect(verifier.find(contract, stopping)).rejects.toMatchObject({ code: "verifier_unavailable" });
});
