// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IUniswapV3Pool
/// @notice The part of a Uniswap v3 pool that Slipway calls.
interface IUniswapV3Pool {
    function slot0()
        external
        view
        returns (
            uint160 sqrtPriceX96,
            int24 tick,
            uint16 observationIndex,
            uint16 observationCardinality,
            uint16 observationCardinalityNext,
            uint8 feeProtocol,
            bool unlocked
        );

    /// @notice Sets the price of a pool that is not initialised.
    function initialize(uint160 sqrtPriceX96) external;

    /// @notice Adds liquidity to `recipient`'s position and requests the tokens through `uniswapV3MintCallback`.
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);

    /// @notice Removes the caller's liquidity. An amount of zero only updates the fees owed.
    function burn(int24 tickLower, int24 tickUpper, uint128 amount) external returns (uint256 amount0, uint256 amount1);

    /// @notice Sends the caller's owed amounts of a position to `recipient`.
    function collect(
        address recipient,
        int24 tickLower,
        int24 tickUpper,
        uint128 amount0Requested,
        uint128 amount1Requested
    ) external returns (uint128 amount0, uint128 amount1);

    /// @notice Swaps, and requests the input through `uniswapV3SwapCallback`.
    /// @param amountSpecified Positive for an exact input.
    /// @return amount0 Amount of token0 that the pool received (positive) or paid (negative).
    /// @return amount1 Amount of token1 that the pool received (positive) or paid (negative).
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}
