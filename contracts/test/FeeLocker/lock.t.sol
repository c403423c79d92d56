// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {LockerTest} from "../utils/LockerTest.sol";

contract FeeLockerLockTest is LockerTest {
    function test_WhenTheCallerIsNotTheFactory() external {
        Launch memory opened = openUnlocked(true);
        IFeeLocker.Position memory position = positionFor(opened);
        address[3] memory callers = [address(this), treasury, creator];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotFactory.selector, callers[i]));
            vm.prank(callers[i]);
            locker.lock(opened.token, position);
        }
    }

    function test_WhenTheTokenWasLockedBefore() external {
        Launch memory launched = launchWith(true);
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_AlreadyLocked.selector, launched.token));
        lockAsFactory(launched.token, position);
    }

    function test_WhenThePositionRequiresWrappedNative() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory opened = openUnlocked(order == 0);
            IFeeLocker.Position memory position = positionFor(opened);
            (position.tickLower, position.tickUpper) = (-887_200, 887_200);
            // Also for one unit of the quote asset, and if the locker holds some.
            position.liquidity = 1_000;
            fundNative(address(locker), 1 ether);
            vm.expectPartialRevert(IFeeLocker.FeeLocker_NotSingleSided.selector);
            lockAsFactory(opened.token, position);
        }
    }

    function test_WhenAnotherAccountCallsTheMintCallback() external {
        Launch memory launched = launchWith(true);
        bytes memory data = abi.encode(launched.token, true);
        address[4] memory callers = [address(this), launched.pool, address(factory), treasury];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, callers[i]));
            vm.prank(callers[i]);
            IUniswapV3MintCallback(address(locker)).uniswapV3MintCallback(1, 0, data);
        }
    }

    function test_WhenThePositionHasNoPartner() external {
        Launch memory opened = openUnlocked(false);
        IFeeLocker.Position memory position = positionFor(opened);
        (position.totalFeeBps, position.protocolFeeBps) = (50, 7);
        uint256 placed = lockAsFactory(opened.token, position);
        assertEq(keccak256(abi.encode(locker.positionOf(opened.token))), keccak256(abi.encode(position)));
        assertEq(placed, balance(opened.token, opened.pool));
    }

    function test_WhenTheLockedLiquidityIsRead() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory opened = openUnlocked(order == 0);
            uint256 placed = lockAsFactory(opened.token, positionFor(opened));
            assertEq(placed, balance(opened.token, opened.pool));
            assertEq(lockedLiquidity(opened), locker.positionOf(opened.token).liquidity);
        }
    }
}
