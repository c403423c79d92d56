// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const feeSplitterAbi = parseAbi([
  "constructor(address wrappedNative)",
  "receive() external payable",
  "function WRAPPED_NATIVE() view returns (address)",
  "function allocations() view returns (address[] payees, uint16[] shares)",
  "function claimable(address asset, address payee) view returns (uint256)",
  "function payoutOf(address payee) view returns (address)",
  "function release(address[] assets, address payee) returns (uint256[] amounts)",
  "function releaseTo(address[] assets, address to) returns (uint256[] amounts)",
  "function released(address asset, address payee) view returns (uint256)",
  "function setPayout(address payout)",
  "function shareOf(address account) view returns (uint16 share)",
  "function totalReleased(address asset) view returns (uint256)",
  "event NativeReceived(address indexed from, uint256 amount)",
  "event PayoutChanged(address indexed payee, address indexed payout)",
  "event Released(address indexed asset, address indexed payee, address indexed receiver, uint256 amount, bool unwrapped)",
  "event SplitterCreated(address[] payees, uint16[] shares)",
  "error FeeSplitter_DuplicatePayee(address payee)",
  "error FeeSplitter_InvalidCount(uint256 payees, uint256 shares)",
  "error FeeSplitter_InvalidPayee(uint256 index, address payee)",
  "error FeeSplitter_InvalidPayout(address payout)",
  "error FeeSplitter_InvalidShare(uint256 index)",
  "error FeeSplitter_NotClone()",
  "error FeeSplitter_NotPayee(address account)",
  "error FeeSplitter_SharesNot10000(uint256 sum)",
  "error FeeSplitter_TransferFailed(address asset, address receiver, uint256 amount)",
  "error Reentrancy()"
]);
