/** The failures of a deployment or a verification: the exit code of the command (sysexits.h), and the remedy. */
export const deployErrorTable = {
  invalid_option: { exitCode: 64, help: "Run the command with --help for its options." },
  key_on_command_line: {
    exitCode: 64,
    help: "A command line is visible to every process of the machine. Put the key into DEPLOYER_PRIVATE_KEY or an encrypted keystore (--keystore), and treat the typed key as compromised.",
  },
  manifest_invalid: { exitCode: 65, help: "Use the manifest as the deployment wrote it; do not edit it by hand." },
  manifest_hash_mismatch: { exitCode: 65, help: "This is not the manifest that was pinned. Find out who changed it." },
  state_invalid: { exitCode: 65, help: "Restore the state file from a backup, or move it away to start again." },
  state_mismatch: {
    exitCode: 65,
    help: "Finish the interrupted deployment with the options it was started with, or move the state file away to start another one.",
  },
  contract_unsuitable: { exitCode: 65, help: "Pass the address of the right contract on this chain." },
  uniswap_set_invalid: {
    exitCode: 65,
    help: "The file needs factory, router, router_kind, quoter and wrapped_native; position_manager and pool_init_code_hash are optional.",
  },
  file_not_found: { exitCode: 66, help: "Check the path." },
  artifact_missing: { exitCode: 66, help: "Build the contracts first: node contracts/tools/generate.ts." },
  rpc_unavailable: { exitCode: 69, help: "Check the endpoint and the connection, then run the same command again." },
  insufficient_funds: { exitCode: 69, help: "Send native to the deployer, then run the same command again." },
  transaction_reverted: {
    exitCode: 70,
    help: "Look the transaction up. Once the cause is fixed, the same command continues from here.",
  },
  deployment_unproven: {
    exitCode: 70,
    help: "The chain differs from the deployment, so no manifest is written. Do not use these contracts.",
  },
  manifest_exists: {
    exitCode: 73,
    help: "Another deployment creates another set. Pass --history <that file> to keep the earlier set in its history, or --out for another file.",
  },
  not_mined: {
    exitCode: 75,
    help: "Run the same command again: it sends the same transaction, or replaces it if fees rose.",
  },
  wrong_chain: { exitCode: 76, help: "Use the endpoint of the specified chain." },
  keystore_unreadable: { exitCode: 77, help: "Check the keystore file and its password (DEPLOYER_KEYSTORE_PASSWORD)." },
  setting_missing: { exitCode: 78, help: "Run the command with --help for its required settings." },
  key_missing: {
    exitCode: 78,
    help: "Set DEPLOYER_PRIVATE_KEY, or name an encrypted keystore file with --keystore. A dry run needs only --from <address>.",
  },
  key_invalid: { exitCode: 78, help: "DEPLOYER_PRIVATE_KEY must be 0x and 64 hex digits." },
} as const;

export type DeployErrorCode = keyof typeof deployErrorTable;

/** A failure of a deployment or a verification. `message` describes the failure and never contains a secret. */
export class DeployError extends Error {
  override name = "DeployError";
  readonly code: DeployErrorCode;

  constructor(code: DeployErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** The exit code of a command that ends with this error. */
  get exitCode(): number {
    return deployErrorTable[this.code].exitCode;
  }

  /** The remedy for the operator. */
  get help(): string {
    return deployErrorTable[this.code].help;
  }
}
