// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const vestingFactoryAbi = parseAbi([
  "constructor()",
  "function IMPLEMENTATION() view returns (address)",
  "function create(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) returns (address vesting)",
  "function isVesting(address vesting) view returns (bool)",
  "function predict(address beneficiary, uint40 cliff, uint40 end, bytes32 salt) view returns (address)",
  "event VestingCreated(address indexed vesting, address indexed beneficiary, bytes32 indexed salt, uint40 cliff, uint40 end)",
  "error VestingFactory_CreationFailed(address vesting)",
  "error VestingFactory_InvalidBeneficiary(address beneficiary)",
  "error VestingFactory_InvalidDates(uint40 cliff, uint40 end)"
]);
