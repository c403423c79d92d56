// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback, IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";

/// @notice An account that a pool uses to call its caller's callbacks. Keeps why the last call failed.
contract CallbackCaller {
    bytes public reason;

    function callMint(address target, bytes calldata data) external {
        (, reason) = target.call(abi.encodeCall(IUniswapV3MintCallback.uniswapV3MintCallback, (1, 0, data)));
    }

    function callSwap(address target) external {
        (, reason) = target.call(abi.encodeCall(IUniswapV3SwapCallback.uniswapV3SwapCallback, (1, 0, "")));
    }
}

/// @notice A pool at the address of a genuine one. During `mint` and `swap` it has other accounts call the callback, or
/// asks for configured amounts.
contract HostilePool {
    CallbackCaller[2] private _callers;
    uint256[2] private _asked;
    uint160 private _sqrtPriceX96;
    int24 private _tick;

    function setCallers(CallbackCaller lower, CallbackCaller higher) external {
        _callers = [lower, higher];
    }

    function ask(uint256 amount0, uint256 amount1) external {
        _asked = [amount0, amount1];
    }

    function setPrice(uint160 sqrtPriceX96, int24 tick) external {
        (_sqrtPriceX96, _tick) = (sqrtPriceX96, tick);
    }

    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool) {
        return (_sqrtPriceX96, _tick, 0, 0, 0, 0, true);
    }

    function mint(address, int24, int24, uint128, bytes calldata data) external returns (uint256, uint256) {
        for (uint256 i; i < 2; ++i) {
            if (address(_callers[i]) != address(0)) _callers[i].callMint(msg.sender, data);
        }
        if (_asked[0] + _asked[1] != 0) {
            IUniswapV3MintCallback(msg.sender).uniswapV3MintCallback(_asked[0], _asked[1], data);
        }
        return (1_000_000_000e18, 1_000_000_000e18);
    }

    function swap(address, bool, int256, uint160, bytes calldata) external returns (int256, int256) {
        for (uint256 i; i < 2; ++i) {
            if (address(_callers[i]) != address(0)) _callers[i].callSwap(msg.sender);
        }
        return (-1, -1);
    }
}
