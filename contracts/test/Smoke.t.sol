// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../src/interfaces/IFeeSplitter.sol";
import {SlipwayTest} from "./utils/SlipwayTest.sol";

/// @notice Runs all fee stages from launch to release, once for each token order.
contract SmokeTest is SlipwayTest {
    function test_LaunchTradeCollectSettleRelease_Token0() external {
        _launchToRelease(true);
    }

    function test_LaunchTradeCollectSettleRelease_Token1() external {
        _launchToRelease(false);
    }

    function _launchToRelease(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
        makeFees(launched);
        (uint256 tokenFees, uint256 quoteFees) = locker.collect(launched.token);
        assertGt(tokenFees, 0);
        assertApproxEqAbs(quoteFees, 0.01 ether, 2);
        locker.settle(launched.token, bothAssets(launched.token));
        assertEq(balance(address(weth), treasury), quoteFees / 10);
        IFeeSplitter(launched.splitter).release(bothAssets(launched.token), alice);
        assertEq(balance(address(weth), alice), (quoteFees - quoteFees / 10) * 7 / 10);
    }
}
