import { existsSync, readFileSync, rmSync } from "node:fs";
import { launchDeployment } from "@slipway/protocol/manifest";
import { z } from "zod";
import { DeployError } from "./deployError.ts";
import { writeFileDurably } from "./writeFileDurably.ts";

const hex = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]*$/)]);

/**
 * The record of a step, complete before the step is sent. `attempts` are signed transactions of the same nonce, so that
 * at most one of them is ever mined; the last is the one to send. `address` is the address of a created contract.
 */
export const stepRecord = z.strictObject({
  nonce: z.int().nonnegative(),
  payload_hash: hex,
  address: hex.nullable(),
  attempts: z.array(z.strictObject({ tx_hash: hex, raw: hex, max_fee_per_gas: z.string().regex(/^\d+$/) })).min(1),
});

export type StepRecord = z.infer<typeof stepRecord>;

/** Stores steps before they are sent. `write` returns when the record is on the disk. */
export type StepJournal = {
  read(step: string): StepRecord | undefined;
  write(step: string, record: StepRecord): void;
  remove(step: string): void;
};

/** Creates a journal in memory, for local chains. */
export function createMemoryJournal(): StepJournal {
  const records = new Map<string, StepRecord>();
  return {
    read: (step) => records.get(step),
    write: (step, record) => void records.set(step, record),
    remove: (step) => void records.delete(step),
  };
}

const stateSchema = z.strictObject({
  version: z.literal(1),
  chain_id: z.int(),
  deployer: z.string(),
  /** SHA-256 of the operator's settings: a deployment is resumed only with its original settings. */
  settings_sha256: z.string(),
  /** Read once at the start, because this deployment may overwrite the earlier manifest's file at its end. */
  history: z.array(launchDeployment),
  steps: z.record(z.string(), stepRecord),
});

type DeploymentStateFile = z.infer<typeof stateSchema>;

export type DeploymentIdentity = { chainId: number; deployer: string; settingsSha256: string };

export type DeploymentState = {
  journal: StepJournal;
  history: DeploymentStateFile["history"];
  /** Whether an interrupted deployment is resumed. */
  resumed: boolean;
  /** Removes the file, once the manifest is written. */
  close(): void;
};

/** Returns the path of the state file, beside the manifest. */
export function getDeploymentStatePath(manifestPath: string): string {
  return `${manifestPath.replace(/\.json$/, "")}.deploying.json`;
}

/** Reads the journal of an interrupted deployment for a dry run; undefined without one. */
export function readInterruptedJournal(
  path: string,
  identity: DeploymentIdentity,
): Pick<StepJournal, "read"> | undefined {
  if (!existsSync(path)) return undefined;
  const { steps } = readState(path, identity);
  return { read: (step) => steps[step] };
}

/**
 * Opens the state file of a deployment, or creates it. Each signed transaction is on the disk before it is sent, so that
 * a deployment that was interrupted at any moment is resumed without repeating a step.
 *
 * @param history - For a new deployment; a resumed deployment uses its original history.
 * @throws DeployError `state_invalid` when the file cannot be read, `state_mismatch` when it belongs to another chain,
 * deployer or other settings.
 */
export function openDeploymentState(
  path: string,
  identity: DeploymentIdentity,
  history: DeploymentStateFile["history"],
): DeploymentState {
  const resumed = existsSync(path);
  const state = resumed ? readState(path, identity) : newState(identity, history);
  const save = () => writeFileDurably(path, `${JSON.stringify(state, null, 2)}\n`);
  if (!resumed) save();
  return {
    resumed,
    history: state.history,
    journal: {
      read: (step): StepRecord | undefined => state.steps[step],
      write: (step, record) => {
        state.steps[step] = record;
        save();
      },
      remove: (step) => {
        delete state.steps[step];
        save();
      },
    },
    close: () => rmSync(path, { force: true }),
  };
}

function newState(identity: DeploymentIdentity, history: DeploymentStateFile["history"]): DeploymentStateFile {
  return {
    version: 1,
    chain_id: identity.chainId,
    deployer: identity.deployer,
    settings_sha256: identity.settingsSha256,
    history,
    steps: {},
  };
}

function readState(path: string, identity: DeploymentIdentity): DeploymentStateFile {
  let state: DeploymentStateFile;
  try {
    state = stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new DeployError("state_invalid", `the state file ${path} cannot be read`, { cause });
  }
  for (const [what, stored, current] of [
    ["chain", state.chain_id, identity.chainId],
    ["deployer", state.deployer, identity.deployer],
    ["settings (SHA-256)", state.settings_sha256, identity.settingsSha256],
  ] as const) {
    if (stored !== current) {
      throw new DeployError(
        "state_mismatch",
        `${path} is an interrupted deployment with another ${what}: was ${stored}, now ${current}`,
      );
    }
  }
  return state;
}
