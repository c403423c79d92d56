// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const vestingAbi = parseAbi([
  "function beneficiary() view returns (address account)",
  "function cliff() view returns (uint40 date)",
  "function end() view returns (uint40 date)",
  "function releasable(address token) view returns (uint256)",
  "function release(address token) returns (uint256 amount)",
  "function released(address token) view returns (uint256)",
  "function vested(address token) view returns (uint256)",
  "event Released(address indexed token, uint256 amount)",
  "error Reentrancy()",
  "error Vesting_NotClone()",
  "error Vesting_TransferFailed(address token, address beneficiary, uint256 amount)"
]);
