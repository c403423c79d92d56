// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IUniswapV3MintCallback
/// @notice A pool calls this on the account that adds liquidity, to receive the tokens.
interface IUniswapV3MintCallback {
    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata data) external;
}

/// @title IUniswapV3SwapCallback
/// @notice A pool calls this on the account that swaps, to receive the input.
interface IUniswapV3SwapCallback {
    /// @param amount0Delta Amount of token0 owed to the pool (positive) or paid by it (negative).
    /// @param amount1Delta Amount of token1 owed to the pool (positive) or paid by it (negative).
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}
