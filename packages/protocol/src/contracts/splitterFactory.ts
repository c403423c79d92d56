// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const splitterFactoryAbi = parseAbi([
  "constructor(address wrappedNative)",
  "function IMPLEMENTATION() view returns (address)",
  "function create(address[] payees, uint16[] shares, bytes32 salt) returns (address splitter)",
  "function creationCode(address[] payees, uint16[] shares) view returns (bytes)",
  "function isSplitter(address splitter) view returns (bool)",
  "function predict(address[] payees, uint16[] shares, bytes32 salt) view returns (address)",
  "event SplitterCreated(address indexed splitter, bytes32 indexed salt, address[] payees, uint16[] shares)",
  "error FeeSplitter_DuplicatePayee(address payee)",
  "error FeeSplitter_InvalidCount(uint256 payees, uint256 shares)",
  "error FeeSplitter_InvalidPayee(uint256 index, address payee)",
  "error FeeSplitter_InvalidShare(uint256 index)",
  "error FeeSplitter_SharesNot10000(uint256 sum)",
  "error SplitterFactory_CreationFailed(address splitter)",
  "error SplitterFactory_InvalidAddress(address wrappedNative)"
]);
