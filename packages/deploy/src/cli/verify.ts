import { zeroAddress } from "viem";
import { readManifestFile } from "../readManifest.ts";
import { verifyDeployment } from "../verifyDeployment.ts";
import { connect, parseOptions, textOption } from "./parseOptions.ts";
import { getDefaultManifestPath, runCommand } from "./runCommand.ts";

const help = `Proves a chain against a deployment manifest. Compares the contracts of Slipway with the artifacts of this
checkout, so that the manifest's author need not be trusted.

  contracts:verify [--rpc-url <url>] [--manifest <file>] [--sha256 <hex>] [--chain-id <id>]

  --rpc-url    the chain's JSON-RPC endpoint; RPC_URL when left out
  --manifest   MANIFEST_PATH, or contracts/deployments/<chain id>.json, when left out
  --sha256     the expected SHA-256 of the manifest; default: MANIFEST_SHA256; not compared without either
  --chain-id   refuse any other chain

Exit codes: 0 proven, 1 not proven, 64 to 78 as in sysexits.h if the check could not run.
`;

const notProven = 1;

await runCommand(async () => {
  const values = parseOptions(
    process.argv.slice(2),
    {
      "rpc-url": { type: "string" },
      manifest: { type: "string" },
      sha256: { type: "string" },
      "chain-id": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    ["sha256"],
  );
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const { client, chainId } = await connect(values, process.env);
  const path = textOption(values, "manifest") ?? process.env.MANIFEST_PATH ?? getDefaultManifestPath(chainId);
  const pinnedSha256 = textOption(values, "sha256") ?? process.env.MANIFEST_SHA256;
  const { manifest, sha256 } = readManifestFile(path, pinnedSha256);
  console.log(`manifest ${path}\nsha-256  ${sha256}${pinnedSha256 === undefined ? " (not pinned)" : " (as pinned)"}\n`);

  const { ok, checks, failedGasTokens, blockNumber } = await verifyDeployment(client, manifest, {
    creations: true,
  });
  for (const check of checks) {
    console.log(`${check.ok ? "ok    " : "FAILED"} ${check.name}`);
    if (!check.ok) console.log(`         expected ${check.expected}\n         actual   ${check.actual}`);
  }
  const failed = checks.filter((check) => !check.ok).length;
  console.log(
    `\n${checks.length - failed} of ${checks.length} checks passed at block ${blockNumber} of chain ${chainId}.`,
  );
  for (const token of failedGasTokens)
    console.log(`The gas station must not accept the token ${token}; launches, trades and claims are not affected.`);
  const { factory_owner: factoryOwner } = manifest.uniswap;
  if (factoryOwner !== zeroAddress)
    console.log(
      `The owner of the Uniswap factory, ${factoryOwner}, can take up to a quarter of the fees of every launch.`,
    );
  console.log(ok && failed === 0 ? "Proven." : ok ? "Proven but for the gas station." : "NOT PROVEN.");
  return failed === 0 ? 0 : notProven;
});
