// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {PoolAddress} from "../../src/libraries/PoolAddress.sol";
import {LockerTest} from "../utils/LockerTest.sol";

contract FeeLockerLockTest is LockerTest {
    function test_WhenTheCallerIsNotTheFactory() external {
        Launch memory opened = openUnlocked(true);
        Terms memory terms = termsFor(opened);
        address[3] memory callers = [address(this), treasury, creator];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotFactory.selector, callers[i]));
            vm.prank(callers[i]);
            lockAsCaller(opened.token, terms);
        }
    }

    function test_WhenTheTokenWasLockedBefore() external {
        Launch memory opened = openUnlocked(true);
        lockAsFactory(opened.token, termsFor(opened));
        address owner = locker.FACTORY();
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_AlreadyLocked.selector, opened.token));
        vm.prank(owner);
        lockAsCaller(opened.token, termsFor(opened));
    }

    function test_WhenTheFeeIsNoTierOfLaunches() external {
        Launch memory opened = openUnlocked(true);
        address owner = locker.FACTORY();
        Terms memory terms = termsFor(opened);
        // The tiers' neighbours, and numbers that equal a tier in 8 bits.
        uint16[15] memory others = [uint16(0), 1, 9, 11, 29, 31, 49, 51, 99, 101, 266, 286, 306, 356, 65_535];
        for (uint256 i; i < others.length; ++i) {
            terms.feeBps = others[i];
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidFee.selector, others[i]));
            vm.prank(owner);
            lockAsCaller(opened.token, terms);
        }
    }

    function test_WhenThePoolIsThatOfAnotherTier() external {
        for (uint256 i; i < 4; ++i) {
            Launch memory opened = openUnlocked(i % 2 == 0, tiers()[i]);
            address owner = locker.FACTORY();
            Terms memory terms = termsFor(opened);
            for (uint256 j; j < 4; ++j) {
                if (j == i) continue;
                terms.feeBps = tiers()[j];
                address expected =
                    PoolAddress.compute(address(uniswap), opened.token, address(weth), uint24(terms.feeBps) * 100);
                vm.expectRevert(
                    abi.encodeWithSelector(IFeeLocker.FeeLocker_UnexpectedPool.selector, opened.pool, expected)
                );
                vm.prank(owner);
                lockAsCaller(opened.token, terms);
            }
        }
    }

    function test_WhenThePoolIsNotThatOfTheToken() external {
        Launch memory opened = openUnlocked(true);
        address owner = locker.FACTORY();
        Terms memory terms = termsFor(opened);
        address[3] memory others = [address(0), launchWith(true).pool, address(uint160(opened.pool) ^ 1)];
        for (uint256 i; i < others.length; ++i) {
            terms.pool = others[i];
            vm.expectRevert(
                abi.encodeWithSelector(IFeeLocker.FeeLocker_UnexpectedPool.selector, others[i], opened.pool)
            );
            vm.prank(owner);
            lockAsCaller(opened.token, terms);
        }
    }

    function test_WhenThePositionRequiresWrappedNative() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory opened = openUnlocked(order == 0);
            // The price is within the range: also one unit of the quote asset is refused, and if the locker holds some.
            uint160 fair = opened.tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1;
            trader.swapTo(opened.pool, !opened.tokenIsToken0, 1, opened.tokenIsToken0 ? fair + 1e18 : fair - 1e18);
            Terms memory terms = termsFor(opened);
            terms.liquidity = 1_000;
            fundNative(address(locker), 1 ether);
            address owner = locker.FACTORY();
            vm.expectPartialRevert(IFeeLocker.FeeLocker_NotSingleSided.selector);
            vm.prank(owner);
            lockAsCaller(opened.token, terms);
        }
    }

    function test_WhenAnotherAccountCallsTheMintCallback() external {
        Launch memory launched = launchWith(true);
        bytes memory data = abi.encode(launched.token);
        address[4] memory callers = [address(this), launched.pool, address(factory), treasury];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, callers[i]));
            vm.prank(callers[i]);
            IUniswapV3MintCallback(address(locker)).uniswapV3MintCallback(1, 0, data);
        }
    }

    function test_WhenThePositionHasNoPartner() external {
        for (uint256 order; order < 2; ++order) {
            locker = deployLocker(treasury);
            uint16 feeBps = order == 0 ? 50 : 10;
            Launch memory opened = openUnlocked(order == 0, feeBps);
            Terms memory terms = termsFor(opened);
            terms.feeBps = feeBps;
            uint256 placed = lockAsFactory(opened.token, terms);
            assertEq(placed, balance(opened.token, opened.pool));
            _assertPosition(opened, terms);
        }
    }

    function test_WhenThePositionHasAPartner() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory opened = openUnlocked(order == 0);
            Terms memory terms = termsFor(opened);
            (terms.partner, terms.partnerShareBps) = (partner, order == 0 ? 1_234 : 0);
            vm.expectEmit(address(locker));
            emit IFeeLocker.PositionLocked(opened.token, opened.pool, terms.liquidity);
            lockAsFactory(opened.token, terms);
            _assertPosition(opened, terms);
        }
    }

    function test_WhenTheLockedLiquidityIsRead() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory opened = openUnlocked(order == 0);
            uint256 placed = lockAsFactory(opened.token, termsFor(opened));
            assertEq(placed, balance(opened.token, opened.pool));
            assertEq(lockedLiquidity(opened), locker.positionOf(opened.token).liquidity);
        }
    }

    function test_WhenThePositionOfAnUnknownTokenIsRead() external view {
        IFeeLocker.Position memory empty;
        assertEq(keccak256(abi.encode(locker.positionOf(alice))), keccak256(abi.encode(empty)));
    }

    function _assertPosition(Launch memory opened, Terms memory terms) private view {
        IFeeLocker.Position memory expected = IFeeLocker.Position({
            pool: opened.pool,
            splitter: terms.splitter,
            partner: terms.partner,
            partnerShareBps: terms.partnerShareBps,
            totalFeeBps: terms.feeBps,
            protocolFeeBps: 10,
            tickLower: opened.tokenIsToken0 ? -startTick : -MAX_TICK,
            tickUpper: opened.tokenIsToken0 ? MAX_TICK : startTick,
            tokenIsToken0: opened.tokenIsToken0,
            liquidity: terms.liquidity
        });
        assertEq(abi.encode(locker.positionOf(opened.token)), abi.encode(expected));
    }
}
