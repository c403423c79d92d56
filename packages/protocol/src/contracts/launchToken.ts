// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.
import { parseAbi } from "viem";

export const launchTokenAbi = parseAbi([
  "constructor(string name_, string symbol_, string contractURI_, address supplyRecipient)",
  "function DOMAIN_SEPARATOR() view returns (bytes32 result)",
  "function allowance(address owner, address spender) view returns (uint256 result)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function balanceOf(address owner) view returns (uint256 result)",
  "function contractURI() view returns (string)",
  "function decimals() view returns (uint8)",
  "function name() view returns (string)",
  "function nonces(address owner) view returns (uint256 result)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function symbol() view returns (string)",
  "function totalSupply() view returns (uint256 result)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function transferFrom(address from, address to, uint256 amount) returns (bool)",
  "event Approval(address indexed owner, address indexed spender, uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "error AllowanceOverflow()",
  "error AllowanceUnderflow()",
  "error InsufficientAllowance()",
  "error InsufficientBalance()",
  "error InvalidPermit()",
  "error LaunchToken_MetadataTooLong(uint256 length, uint256 maximum)",
  "error Permit2AllowanceIsFixedAtInfinity()",
  "error PermitExpired()",
  "error TotalSupplyOverflow()"
]);
