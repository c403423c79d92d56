import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Address, formatEther, formatGwei, type Hex, hexToBigInt, type LocalAccount } from "viem";
import { createBroadcaster } from "../createBroadcaster.ts";
import { createPlanner, type PlannedStep } from "../createPlanner.ts";
import { callRpc } from "../createRpcClient.ts";
import { deployAll } from "../deployAll.ts";
import { DeployError } from "../deployError.ts";
import { finishDeployment } from "../finishDeployment.ts";
import { getDeploymentStatePath, openDeploymentState, readInterruptedJournal } from "../openDeploymentState.ts";
import { type Fees, readFees } from "../signStep.ts";
import { writeVerificationInput } from "../writeVerificationInput.ts";
import {
  deploymentHelp,
  deploymentOptions,
  readEarlierManifest,
  readEthUsd,
  readGasStationTokens,
  readOperatorSettings,
} from "./deploymentOptions.ts";
import { loadAccount, readDeployerAddress } from "./loadAccount.ts";
import { addressOption, connect, integerOption, type OptionValues, parseOptions, textOption } from "./parseOptions.ts";
import { getDefaultManifestPath, runCommand } from "./runCommand.ts";

/**
 * The command `contracts:deploy`: reads the operator's settings, prints the plan and, with `--broadcast`, executes it,
 * proves the deployment and writes the manifest. Returns the exit code; throws DeployError for every expected failure.
 *
 * @param env - The environment; secrets are removed from it.
 */
export async function deployCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<number> {
  const values = parseOptions(args, deploymentOptions);
  if (values.help === true) {
    print(deploymentHelp);
    return 0;
  }
  const isBroadcast = values.broadcast === true;
  const timeoutSeconds = integerOption(values, "timeout") ?? 180;
  const { client, chainId } = await connect(values, env);
  const account = isBroadcast ? await loadAccount(textOption(values, "keystore"), env) : undefined;
  const deployer = getDeployerAddress(values, account, env);

  // Reads and validates all input before anything is sent.
  const earlier = readEarlierManifest(values, chainId);
  const settings = await readOperatorSettings(client, values, deployer, earlier);
  const gasStationTokens = await readGasStationTokens(client, chainId, values);
  const ethUsd = await readEthUsd(client, values, settings, earlier);
  const manifestPath = textOption(values, "out") ?? getDefaultManifestPath(chainId);
  const statePath = getDeploymentStatePath(manifestPath);
  // Multicall3 is not an operator's setting: another account may create it while a deployment is interrupted.
  const { multicall3: _multicall3, ...deployment } = settings.deployment;
  const own = { settings: { ...settings, deployment }, gasStationTokens, ethUsd };
  const identity = { chainId, deployer, settingsSha256: hashSettings(own) };
  const interrupted = readInterruptedJournal(statePath, identity);
  if (interrupted === undefined && existsSync(manifestPath) && earlier === null) {
    throw new DeployError("manifest_exists", `${manifestPath} is the manifest of an earlier deployment`);
  }

  print(`Plan for chain ${chainId}, deployer ${deployer}${interrupted ? ", resuming after an interruption" : ""}:\n`);
  const [nonce, balance, fees] = await Promise.all([
    callRpc(client, "eth_getTransactionCount", [deployer, "pending"]) as Promise<Hex>,
    callRpc(client, "eth_getBalance", [deployer, "latest"]) as Promise<Hex>,
    readFees(client),
  ]);
  const planner = createPlanner(client, deployer, Number(nonce), interrupted);
  const planned = await deployAll(planner, settings.deployment);
  printPlan({ steps: planner.steps, fees, balanceInWei: hexToBigInt(balance) }, print);
  print(`  splitter implementation ${planned.slipway.splitterImplementation}, created by the splitter factory`);
  print(`  vesting implementation ${planned.slipway.vestingImplementation}, created by the vesting factory`);
  print(`  opening implementation ${planned.slipway.openingImplementation}, created by the opening factory`);
  print(`  fee locker ${planned.slipway.feeLocker}, created by the launch factory\n`);
  if (account === undefined) {
    print("Dry run: nothing was sent. Add --broadcast to deploy.");
    return 0;
  }

  const history = earlier === null ? [] : [earlier.current, ...earlier.history];
  const state = openDeploymentState(statePath, identity, history);
  const broadcaster = createBroadcaster({
    client,
    chainId,
    account,
    journal: state.journal,
    timeoutMs: timeoutSeconds * 1000,
    onProgress: ({ step, state: progress, txHash, address }) => {
      if (progress !== "sending") {
        print(`${progress === "done" ? "done    " : "was done"} ${step.padEnd(26)} ${address ?? ""} ${txHash}`);
      }
    },
  });
  const deployed = await deployAll(broadcaster, settings.deployment);
  const { manifest, sha256 } = await finishDeployment(client, manifestPath, {
    chainId,
    deployed,
    treasury: settings.deployment.treasury,
    startTick: settings.deployment.startTick,
    poolInitCodeHash: settings.poolInitCodeHash,
    ethUsd,
    gasStationTokens,
    history: state.history,
    commit: textOption(values, "commit") ?? readCurrentCommit(),
    explorerUrl: settings.explorerUrl,
  });
  const verificationFolder = textOption(values, "verification-dir");
  if (verificationFolder !== undefined) {
    writeVerificationInput(verificationFolder, manifest);
    print(`\nverification input: ${verificationFolder}`);
  }
  state.close();
  print(
    `\nmanifest ${manifestPath}\nsha-256  ${sha256}\n\nPin it: MANIFEST_PATH=${manifestPath} MANIFEST_SHA256=${sha256}`,
  );
  return 0;
}

function getDeployerAddress(values: OptionValues, account: LocalAccount | undefined, env: NodeJS.ProcessEnv): Address {
  const from = addressOption(values, "from");
  const known = account?.address ?? readDeployerAddress(textOption(values, "keystore"), env);
  if (from !== undefined && known !== undefined && from !== known) {
    throw new DeployError("invalid_option", `--from is ${from}, the address of the key is ${known}`);
  }
  const address = known ?? from;
  if (address === undefined) throw new DeployError("key_missing", "the deployer is unknown");
  return address;
}

function hashSettings(settings: unknown): string {
  const text = JSON.stringify(settings, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return createHash("sha256").update(text).digest("hex");
}

/** The commit of this repository; null without git. */
function readCurrentCommit(): string | null {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}

type PlanSummary = { steps: readonly PlannedStep[]; fees: Fees; balanceInWei: bigint };

/** Prints a plan's steps, their addresses and gas, and their maximum cost. */
function printPlan({ steps, fees, balanceInWei }: PlanSummary, print: (line: string) => void): void {
  for (const { step, address, to, valueInWei, gas, gasSource } of steps) {
    const where = address ?? `-> ${to}`;
    const value = valueInWei === 0n ? "" : `, ${formatEther(valueInWei)} native`;
    const cost = gasSource === "already signed" ? "already signed" : `${gas.toLocaleString("en")} gas (${gasSource})`;
    print(`  ${step.padEnd(26)} ${where.padEnd(45)} ${cost}${value}`);
  }
  const gas = steps.reduce((sum, planned) => sum + planned.gas, 0n);
  const value = steps.reduce(
    (sum, planned) => sum + (planned.gasSource === "already signed" ? 0n : planned.valueInWei),
    0n,
  );
  const atMost = gas * fees.maxFeePerGas + value;
  print(`
  gas      ${gas.toLocaleString("en")}, a quarter of it margin
  price    at most ${formatGwei(fees.maxFeePerGas)} gwei${fees.type === "eip1559" ? `, the base fee is ${formatGwei(fees.baseFeePerGas)}` : ""}
  cost     at most ${formatEther(atMost)} native
  balance  ${formatEther(balanceInWei)} native${balanceInWei < atMost ? ": MAY NOT BE ENOUGH" : ""}
`);
}

if (import.meta.main) await runCommand(() => deployCommand(process.argv.slice(2), process.env, console.log));
