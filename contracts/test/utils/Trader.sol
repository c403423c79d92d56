// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IUniswapV3MintCallback, IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";

interface IPoolTokens {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function flash(address recipient, uint256 amount0, uint256 amount1, bytes calldata data) external;
}

/// @notice Swaps, borrows and adds liquidity directly on a pool, with its own tokens.
contract Trader is IUniswapV3SwapCallback, IUniswapV3MintCallback {
    uint160 internal constant MIN_LIMIT = 4_295_128_740;
    uint160 internal constant MAX_LIMIT = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341;

    function swap(address pool, bool zeroForOne, int256 amount) public returns (int256 amount0, int256 amount1) {
        return swapTo(pool, zeroForOne, amount, zeroForOne ? MIN_LIMIT : MAX_LIMIT);
    }

    function swapTo(address pool, bool zeroForOne, int256 amount, uint160 limit)
        public
        returns (int256 amount0, int256 amount1)
    {
        return IUniswapV3Pool(pool).swap(address(this), zeroForOne, amount, limit, "");
    }

    function mint(address pool, address recipient, int24 tickLower, int24 tickUpper, uint128 liquidity)
        external
        returns (uint256 amount0, uint256 amount1)
    {
        return IUniswapV3Pool(pool).mint(recipient, tickLower, tickUpper, liquidity, "");
    }

    /// @dev Creates fees without a swap: a flash loan whose fee the pool keeps.
    function flash(address pool, uint256 amount0, uint256 amount1) external {
        IPoolTokens(pool).flash(address(this), amount0, amount1, abi.encode(amount0, amount1));
    }

    function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes calldata data) external {
        (uint256 amount0, uint256 amount1) = abi.decode(data, (uint256, uint256));
        _pay(amount0 + fee0, amount1 + fee1);
    }

    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        _pay(amount0Delta > 0 ? uint256(amount0Delta) : 0, amount1Delta > 0 ? uint256(amount1Delta) : 0);
    }

    function uniswapV3MintCallback(uint256 amount0Owed, uint256 amount1Owed, bytes calldata) external {
        _pay(amount0Owed, amount1Owed);
    }

    function _pay(uint256 amount0, uint256 amount1) private {
        if (amount0 != 0) SafeTransferLib.safeTransfer(IPoolTokens(msg.sender).token0(), msg.sender, amount0);
        if (amount1 != 0) SafeTransferLib.safeTransfer(IPoolTokens(msg.sender).token1(), msg.sender, amount1);
    }
}
