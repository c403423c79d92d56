// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IUniswapV3MintCallback
/// @notice What a pool calls on whoever adds liquidity, to be paid.
interface IUniswapV3MintCallback {
    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata data) external;
}

/// @title IUniswapV3SwapCallback
/// @notice What a pool calls on whoever swaps, to be paid.
interface IUniswapV3SwapCallback {
    /// @param amount0Delta What the pool is owed (positive) or paid out (negative) of token0; likewise `amount1Delta`.
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}
