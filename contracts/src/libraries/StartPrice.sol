// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";

/// @title StartPrice
/// @notice The range of a launch's position, and the validation of a factory's start price constants.
/// @dev Contains no copy of Uniswap's tick arithmetic. The prices are parameters: this library checks what can be
/// checked without tick arithmetic, and the pool checks the tick at each launch.
library StartPrice {
    /// @notice The start tick and the greatest tick are multiples of this number, the least common multiple of the tick
    /// spacings 20, 60, 100 and 200. Every fee tier therefore has the same start price, range and liquidity.
    int24 internal constant TICK_MULTIPLE = 600;

    /// @notice The greatest tick that is usable in every fee tier.
    int24 internal constant MAX_TICK = 886_800;

    /// @notice The pool's price bounds: the lower one is inclusive, the upper one exclusive.
    uint160 internal constant MIN_SQRT_PRICE_X96 = 4_295_128_739;
    uint160 internal constant MAX_SQRT_PRICE_X96 = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342;

    /// @dev The product of the two prices may differ from one by rounding only. 1e-10 is far below one tick.
    uint256 private constant MAX_RECIPROCAL_ERROR = 1e10;

    /// @notice The single-sided range that holds the whole supply: from the start price to the last usable tick in the
    /// direction of a higher token price.
    function range(int24 startTick, bool tokenIsToken0) internal pure returns (int24 tickLower, int24 tickUpper) {
        return tokenIsToken0 ? (-startTick, MAX_TICK) : (-MAX_TICK, startTick);
    }

    function isStartTick(int24 startTick) internal pure returns (bool) {
        return startTick > -MAX_TICK && startTick < MAX_TICK && startTick % TICK_MULTIPLE == 0;
    }

    /// @notice Whether the range of a launch fits a tick spacing. Zero is the spacing of a tier that does not exist.
    function fits(int24 tickSpacing) internal pure returns (bool) {
        return tickSpacing != 0 && TICK_MULTIPLE % tickSpacing == 0;
    }

    /// @notice Whether two prices are reciprocal: the same price for either token order.
    function areReciprocal(uint160 a, uint160 b) internal pure returns (bool) {
        if (a < MIN_SQRT_PRICE_X96 || b < MIN_SQRT_PRICE_X96) return false;
        if (a >= MAX_SQRT_PRICE_X96 || b >= MAX_SQRT_PRICE_X96) return false;
        uint256 one = 1 << 96;
        uint256 product = FixedPointMathLib.fullMulDiv(a, b, one);
        return FixedPointMathLib.dist(product, one) <= one / MAX_RECIPROCAL_ERROR;
    }

    /// @notice Whether the locker can store a position's liquidity. The bound is far below Uniswap's maximum per tick.
    function isStorable(uint128 liquidity) internal pure returns (bool) {
        return liquidity != 0 && liquidity <= type(uint96).max;
    }
}
