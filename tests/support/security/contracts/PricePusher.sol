// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// @dev Moves a pool's price through a range without liquidity: nothing is owed, so nothing is paid.
contract PricePusher {
    function push(IPool pool, bool zeroForOne, uint160 limit) external {
        (int256 amount0, int256 amount1) = pool.swap(address(this), zeroForOne, 1, limit, "");
        require(amount0 == 0 && amount1 == 0, "the range was not empty");
    }

    function uniswapV3SwapCallback(int256, int256, bytes calldata) external {}
}
