import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson, text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { onTestFinished } from "vitest";
import { z } from "zod";

const solc = fileURLToPath(new URL("../../../contracts/tools/solc", import.meta.url));

/** The body of `POST /v2/verify/{chainId}/{address}` (Sourcify APIv2 2.1.0). */
const submission = z.strictObject({
  stdJsonInput: z.object({
    language: z.literal("Solidity"),
    sources: z.record(z.string(), z.object({ content: z.string() })),
    settings: z.record(z.string(), z.unknown()),
  }),
  compilerVersion: z.string().regex(/^\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}$/),
  contractIdentifier: z.string().regex(/^.+\.sol:\w+$/),
  creationTransactionHash: z.string().optional(),
});

type Compiled = {
  contracts: Record<
    string,
    Record<
      string,
      {
        evm: {
          deployedBytecode: {
            object: string;
            immutableReferences: Record<string, { start: number; length: number }[]>;
          };
        };
      }
    >
  >;
};

/**
 * Starts a verifier with the API of Sourcify that really verifies: it compiles the submitted input with the pinned
 * compiler, and compares the code with that of a chain, except the immutables.
 */
export async function startSourcify(rpcUrl: string, chainId: number) {
  const jobs = new Map<string, Promise<string | null>>();
  const verified = new Map<string, string>();
  const compiled = new Map<string, Promise<Compiled>>();
  const version = run(["--version"], "");

  const verify = async (address: string, body: z.infer<typeof submission>): Promise<string | null> => {
    if (!(await version).includes(body.compilerVersion)) return "unsupported_compiler_version";
    const [file, name] = body.contractIdentifier.split(":") as [string, string];
    const { settings, ...rest } = body.stdJsonInput;
    const outputs = ["evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences"];
    const input = JSON.stringify({ ...rest, settings: { ...settings, outputSelection: { "*": { "*": outputs } } } });
    if (!compiled.has(input))
      compiled.set(
        input,
        run(["--standard-json"], input).then((text) => JSON.parse(text)),
      );
    const output = await compiled.get(input)!;
    const contract = output.contracts[file]?.[name];
    if (contract === undefined) return "contract_not_found_in_compiler_output";
    const code = (await rpcRequest(rpcUrl, "eth_getCode", [address, "latest"])) as string;
    const { object, immutableReferences } = contract.evm.deployedBytecode;
    const places = Object.values(immutableReferences).flat();
    if (mask(code.slice(2), places) !== mask(object, places)) return "no_match";
    verified.set(address, "match");
    return null;
  };

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const [, , kind, first, second] = request.url!.split("/") as string[];
    const toContract = (address: string) => {
      const runtimeMatch = verified.get(address.toLowerCase()) ?? null;
      return { match: runtimeMatch, creationMatch: null, runtimeMatch, chainId: String(chainId), address };
    };
    if (request.method === "POST" && kind === "verify") {
      const parsed = submission.safeParse(await readJson(request));
      if (first !== String(chainId) || !parsed.success) return answer(400, { customCode: "invalid_parameter" });
      const id = randomUUID();
      jobs.set(id, verify(second!.toLowerCase(), parsed.data));
      addresses.set(id, second!);
      return answer(202, { verificationId: id });
    }
    if (kind === "contract") return answer(toContract(second!).match === null ? 404 : 200, toContract(second!));
    const job = jobs.get(first!);
    if (job === undefined) return answer(404, { customCode: "job_not_found" });
    const customCode = await job;
    return answer(200, {
      isJobCompleted: true,
      verificationId: first,
      ...(customCode !== null && { error: { customCode, message: customCode, errorId: randomUUID() } }),
      contract: toContract(addresses.get(first!)!),
    });
  };
  const addresses = new Map<string, string>();
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, submissions: () => jobs.size };
}

function mask(code: string, places: readonly { start: number; length: number }[]): string {
  let masked = code;
  for (const { start, length } of places) {
    masked = `${masked.slice(0, start * 2)}${"0".repeat(length * 2)}${masked.slice((start + length) * 2)}`;
  }
  return masked;
}

async function run(args: readonly string[], input: string): Promise<string> {
  // `contracts/tools/generate.ts` may have compiled the same input before.
  const env = { ...process.env, READ_DEPLOYED_CODE: "true" };
  const child = spawn(process.execPath, [solc, ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  return await readText(child.stdout);
}
