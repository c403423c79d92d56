// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback, IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {MarketHandler} from "./MarketHandler.sol";

/// @notice The three fee stages called by any account, the two steps of a treasury change, and calls that must fail.
contract LaunchHandler is MarketHandler {
    address[3] public treasuries;
    address public stranger = makeAddr("stranger");

    /// @dev Sum of the amounts that `collect` returned.
    mapping(address token => mapping(address asset => uint256)) public collectedSum;
    /// @dev Amounts that a splitter received by settlements.
    mapping(address asset => mapping(address splitter => uint256)) public settledToSplitter;
    address public expectedTreasury;
    uint256 public forbiddenSuccesses;

    constructor() {
        setUp();
        treasuries = [treasury, makeAddr("treasury 2"), makeAddr("treasury 3")];
        expectedTreasury = treasury;
    }

    function collect(uint256 index) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        vm.prank(stranger);
        (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
        collectedSum[launched.token][launched.token] += tokenAmount;
        collectedSum[launched.token][address(weth)] += quoteAmount;
    }

    function settle(uint256 index, uint256 mask) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address[] memory assets = _assets(launched.token, mask);
        uint256[2] memory before =
            [balance(launched.token, launched.splitter), balance(address(weth), launched.splitter)];
        vm.prank(stranger);
        locker.settle(launched.token, assets);
        settledToSplitter[launched.token][launched.splitter] += balance(launched.token, launched.splitter) - before[0];
        settledToSplitter[address(weth)][launched.splitter] += balance(address(weth), launched.splitter) - before[1];
    }

    function release(uint256 index, uint256 mask, bool toAlice) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        vm.prank(stranger);
        IFeeSplitter(launched.splitter).release(_assets(launched.token, mask), toAlice ? alice : bob);
    }

    function changeTreasury(uint256 seed) external {
        address proposed = treasuries[seed % 3];
        vm.prank(expectedTreasury);
        locker.proposeTreasury(proposed);
        if (seed % 2 == 0) return;
        vm.prank(proposed);
        locker.acceptTreasury();
        expectedTreasury = proposed;
    }

    /// @dev Each of these calls must fail at any time.
    function callForbidden(uint256 index, uint256 which, uint128 amount) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        address target = address(locker);
        bytes memory data;
        which %= 9;
        if (which == 0) data = abi.encodeCall(IFeeLocker.lock, (launched.token, position));
        if (which == 1) data = abi.encodeCall(IFeeLocker.proposeTreasury, (stranger));
        if (which == 2) data = abi.encodeCall(IFeeLocker.acceptTreasury, ());
        if (which == 3) {
            data = abi.encodeCall(
                IUniswapV3MintCallback.uniswapV3MintCallback, (amount, 0, abi.encode(launched.token, true))
            );
        }
        if (which == 4) data = abi.encodeCall(IFeeLocker.settle, (launched.token, one(stranger)));
        if (which == 5) data = abi.encodeCall(IFeeLocker.collect, (stranger));
        if (which == 6) {
            target = address(factory);
            data = abi.encodeCall(IUniswapV3SwapCallback.uniswapV3SwapCallback, (int256(uint256(amount)), 0, ""));
        }
        if (which == 7) {
            target = launched.splitter;
            data = abi.encodeCall(IFeeSplitter.release, (one(address(weth)), stranger));
        }
        if (which == 8) {
            target = address(factory);
            data = abi.encodeCall(ILaunchFactory.launch, (paramsWith(address(locker)), noBuy()));
        }
        vm.prank(stranger);
        (bool success,) = target.call(data);
        if (success) ++forbiddenSuccesses;
    }

    function _assets(address token, uint256 mask) private view returns (address[] memory) {
        if (mask % 3 == 0) return one(token);
        if (mask % 3 == 1) return one(address(weth));
        return bothAssets(token);
    }

    /* Views for the invariants. */

    function parts() external view returns (ILaunchFactory, IFeeLocker, address, address, address) {
        return (factory, locker, address(weth), address(uniswap), partner);
    }

    function payees() external view returns (address, address) {
        return (alice, bob);
    }
}
