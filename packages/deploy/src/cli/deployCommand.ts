import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type Address, type Hex, hexToBigInt, type LocalAccount } from "viem";
import { call } from "../call.ts";
import { createBroadcaster } from "../createBroadcaster.ts";
import { createPlanner } from "../createPlanner.ts";
import { currentFees } from "../currentFees.ts";
import { deployAll } from "../deployAll.ts";
import { DeployError } from "../deployError.ts";
import { finishDeployment } from "../finishDeployment.ts";
import { deploymentStatePath, openDeploymentState, peekDeploymentState } from "../openDeploymentState.ts";
import { writeVerificationInput } from "../writeVerificationInput.ts";
import { connect } from "./connect.ts";
import { currentCommit } from "./currentCommit.ts";
import { defaultManifestPath } from "./defaultManifestPath.ts";
import {
  deploymentHelp,
  deploymentOptions,
  readEarlierManifest,
  readEthUsd,
  readGasStationTokens,
  readOperatorSettings,
} from "./deploymentOptions.ts";
import { loadAccount, peekAddress } from "./loadAccount.ts";
import { addressOption, integerOption, type OptionValues, parseOptions, textOption } from "./parseOptions.ts";
import { printPlan } from "./printPlan.ts";

/**
 * The command `contracts:deploy`: reads the operator's settings, prints the plan, and with `--broadcast` carries it
 * out, proves it and writes the manifest. Returns the exit code; throws DeployError for everything foreseen.
 *
 * @param env - The environment; secrets are taken out of it.
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
  const deployer = deployerAddress(values, account, env);

  // Everything that can be wrong is read before anything is sent.
  const earlier = readEarlierManifest(values, chainId);
  const settings = await readOperatorSettings(client, values, deployer, earlier);
  const gasStationTokens = await readGasStationTokens(client, chainId, values);
  const ethUsd = await readEthUsd(client, values, settings, earlier);
  const manifestPath = textOption(values, "out") ?? defaultManifestPath(chainId);
  const statePath = deploymentStatePath(manifestPath);
  const identity = { chainId, deployer, settingsSha256: sha256OfSettings({ settings, gasStationTokens, ethUsd }) };
  const interrupted = peekDeploymentState(statePath, identity);
  if (interrupted === undefined && existsSync(manifestPath) && earlier === null) {
    throw new DeployError("manifest_exists", `${manifestPath} is the manifest of an earlier deployment`);
  }

  print(`Plan for chain ${chainId}, deployer ${deployer}${interrupted ? ", going on after an interruption" : ""}:\n`);
  const [nonce, balance, fees] = await Promise.all([
    call(client, "eth_getTransactionCount", [deployer, "pending"]) as Promise<Hex>,
    call(client, "eth_getBalance", [deployer, "latest"]) as Promise<Hex>,
    currentFees(client),
  ]);
  const planner = createPlanner(client, deployer, Number(nonce), interrupted);
  const planned = await deployAll(planner, settings.deployment);
  printPlan({ steps: planner.steps, fees, balanceInWei: hexToBigInt(balance) }, print);
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
    commit: textOption(values, "commit") ?? currentCommit(),
    explorerUrl: settings.explorerUrl,
  });
  const verificationFolder = textOption(values, "verification-dir");
  if (verificationFolder !== undefined) {
    const { owner, relayer } = settings.deployment;
    writeVerificationInput(verificationFolder, manifest, owner, relayer);
    print(`\nverification input: ${verificationFolder}`);
  }
  state.close();
  print(
    `\nmanifest ${manifestPath}\nsha-256  ${sha256}\n\nPin it: MANIFEST_PATH=${manifestPath} MANIFEST_SHA256=${sha256}`,
  );
  return 0;
}

function deployerAddress(values: OptionValues, account: LocalAccount | undefined, env: NodeJS.ProcessEnv): Address {
  const from = addressOption(values, "from");
  const known = account?.address ?? peekAddress(textOption(values, "keystore"), env);
  if (from !== undefined && known !== undefined && from !== known) {
    throw new DeployError("invalid_option", `--from is ${from}, the key is that of ${known}`);
  }
  const address = known ?? from;
  if (address === undefined) throw new DeployError("key_missing", "it is not known who deploys");
  return address;
}

function sha256OfSettings(settings: unknown): string {
  const text = JSON.stringify(settings, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return createHash("sha256").update(text).digest("hex");
}
