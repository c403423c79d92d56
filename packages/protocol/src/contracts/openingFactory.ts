// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const openingFactoryAbi = parseAbi([
  "constructor(address launchFactory)",
  "function IMPLEMENTATION() view returns (address)",
  "function LAUNCH_FACTORY() view returns (address)",
  "function MAX_CAP() view returns (uint256)",
  "function MAX_SECONDS() view returns (uint40)",
  "function create((string name, string symbol, string contractURI, address splitter, bytes32 salt, address partner, uint16 feeBps) params, uint256 minimum, uint256 cap, uint40 deadline) returns (address opening)",
  "function isOpening(address opening) view returns (bool)",
  "function predict(address creator, (string name, string symbol, string contractURI, address splitter, bytes32 salt, address partner, uint16 feeBps) params, uint256 minimum, uint256 cap, uint40 deadline) view returns (address)",
  "event OpeningCreated(address indexed opening, address indexed creator, bytes32 indexed paramsHash, (string name, string symbol, string contractURI, address splitter, bytes32 salt, address partner, uint16 feeBps) params, uint256 minimum, uint256 cap, uint40 deadline)",
  "error OpeningFactory_CreationFailed(address opening)",
  "error OpeningFactory_InvalidAddress(address account)",
  "error OpeningFactory_InvalidBounds(uint256 minimum, uint256 cap)",
  "error OpeningFactory_InvalidDeadline(uint40 deadline, uint256 timestamp)",
  "error OpeningFactory_InvalidSalt(bytes32 salt)"
]);
