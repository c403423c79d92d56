// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IUniswapV3Factory
/// @notice The part of the Uniswap v3 factory that Slipway calls.
interface IUniswapV3Factory {
    /// @notice The pool of two tokens, in either order, with `fee` in hundredths of a basis point; zero if none exists.
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address pool);

    /// @notice The tick spacing of a fee tier; 0 if the tier is not enabled.
    function feeAmountTickSpacing(uint24 fee) external view returns (int24);

    /// @notice Creates a pool. Reverts if it exists.
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool);
}
