// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PoolAddress} from "../../src/libraries/PoolAddress.sol";

/// @notice A pool that returns configured amounts, so that tests can collect and place any amount.
contract StubPool {
    uint128 private _collected0;
    uint128 private _collected1;
    uint256 private _placed;
    uint160 private _sqrtPriceX96;
    int24 private _tick;

    function setCollected(uint128 collected0, uint128 collected1) external {
        (_collected0, _collected1) = (collected0, collected1);
    }

    function setLaunchResult(uint160 sqrtPriceX96, int24 tick, uint256 placed) external {
        (_sqrtPriceX96, _tick, _placed) = (sqrtPriceX96, tick, placed);
    }

    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool) {
        return (_sqrtPriceX96, _tick, 0, 0, 0, 0, true);
    }

    function mint(address, int24, int24, uint128, bytes calldata) external view returns (uint256, uint256) {
        return (_placed, _placed);
    }

    function burn(int24, int24, uint128) external pure returns (uint256, uint256) {}

    function collect(address, int24, int24, uint128, uint128) external view returns (uint128, uint128) {
        return (_collected0, _collected1);
    }
}

/// @notice A Uniswap factory that returns the computed address of a pool for every pair.
contract StubUniswapFactory {
    function feeAmountTickSpacing(uint24) external pure returns (int24) {
        return 200;
    }

    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address) {
        return PoolAddress.compute(address(this), tokenA, tokenB, fee);
    }
}
