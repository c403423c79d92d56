import { Interface } from "ethers";

// Written by hand from the contracts' interfaces, independent of the service's ABIs, so that the demo checks them.

export const tokenAbi = new Interface([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function contractURI() view returns (string)",
  "function deposit() payable",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function transfer(address to, uint256 amount) returns (bool)",
]);

export const launchFactoryAbi = new Interface([
  "event Launched(address indexed token, address indexed creator, address indexed splitter, address pool, string name, string symbol, string contractURI, int24 tickStart, int24 tickLower, int24 tickUpper, uint128 liquidity, uint16 totalFeeBps, uint16 protocolFeeBps, address partner, uint16 partnerShareBps, bytes32 salt)",
  "event InitialBuy(address indexed token, address indexed recipient, uint256 amountIn, uint256 amountOut, uint256 refunded)",
]);

export const feeLockerAbi = new Interface([
  "function treasury() view returns (address)",
  "function positionOf(address token) view returns (tuple(address pool, address splitter, address partner, uint16 partnerShareBps, uint16 totalFeeBps, uint16 protocolFeeBps, int24 tickLower, int24 tickUpper, bool tokenIsToken0, uint128 liquidity))",
  "function ledgerOf(address token, address asset) view returns (tuple(uint256 collected, uint256 protocolCredit, uint256 partnerCredit, uint256 collaboratorsCredit, uint256 protocolTotal, uint256 partnerTotal, uint256 collaboratorsTotal))",
]);

export const feeSplitterAbi = new Interface([
  "function allocations() view returns (address[] payees, uint16[] shares)",
  "function claimable(address asset, address payee) view returns (uint256)",
  "function payoutOf(address payee) view returns (address)",
]);

export const vestingFactoryAbi = new Interface(["function isVesting(address vesting) view returns (bool)"]);

export const vestingAbi = new Interface([
  "function beneficiary() view returns (address)",
  "function cliff() view returns (uint40)",
  "function end() view returns (uint40)",
  "function released(address token) view returns (uint256)",
]);

export const openingFactoryAbi = new Interface(["function isOpening(address opening) view returns (bool)"]);

export const openingAbi = new Interface(["function total() view returns (uint256)"]);

export const uniswapFactoryAbi = new Interface([
  "function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
]);

export const poolAbi = new Interface([
  "function liquidity() view returns (uint128)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);

/** The ABI of each kind of router: with and without the deadline in the struct. */
export const routerAbis = {
  swap_router: new Interface([
    "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  ]),
  swap_router_02: new Interface([
    "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  ]),
};

export const gasStationAbi = new Interface(["function used(bytes32 quoteId) view returns (bool)"]);
