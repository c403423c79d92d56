// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {PoolAddress} from "../../src/libraries/PoolAddress.sol";
import {CallbackCaller, HostilePool} from "../utils/HostilePool.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice Cases at the exact bounds of the locker's conditions. Mutation testing asked for them.
contract LockerBoundariesTest is LockerTest {
    address private constant LOWEST = address(1);
    address private constant HIGHEST = address(type(uint160).max);

    /// @dev The accounts adjacent to the pool's address: no order of addresses decides who may call.
    function test_NoOtherAccountCanCallTheMintCallbackDuringAMint() external {
        locker = deployLocker(treasury);
        HostilePool pool = _etchPool(LOWEST);
        (CallbackCaller lower, CallbackCaller higher) = _etchAdjacent(address(pool));
        pool.setCallers(lower, higher);
        Terms memory terms;
        (terms.pool, terms.feeBps, terms.liquidity) = (address(pool), FEE_BPS, 1);
        lockAsCaller(LOWEST, terms);
        assertEq(lower.reason(), abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, lower));
        assertEq(higher.reason(), abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, higher));
    }

    function test_APoolThatAsksForWrappedNativeIsRefusedWithTheAmount() external {
        locker = deployLocker(treasury);
        address[2] memory tokens = [LOWEST, HIGHEST];
        for (uint256 i; i < 2; ++i) {
            HostilePool pool = _etchPool(tokens[i]);
            pool.ask(5, 7);
            Terms memory terms;
            (terms.pool, terms.feeBps, terms.liquidity) = (address(pool), FEE_BPS, 1);
            vm.expectRevert(
                abi.encodeWithSelector(IFeeLocker.FeeLocker_NotSingleSided.selector, tokens[i], i == 0 ? 7 : 5)
            );
            lockAsCaller(tokens[i], terms);
        }
    }

    function test_AccountsAdjacentToPermittedCallersAreRefused() external {
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        for (uint256 i; i < 2; ++i) {
            address caller = _getAdjacent(treasury, i);
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotTreasury.selector, caller));
            vm.prank(caller);
            locker.proposeTreasury(caller);
            caller = _getAdjacent(bob, i);
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotProposedTreasury.selector, caller));
            vm.prank(caller);
            locker.acceptTreasury();
            caller = _getAdjacent(address(factory), i);
            Terms memory terms;
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotFactory.selector, caller));
            vm.prank(caller);
            lockAsCaller(LOWEST, terms);
        }
    }

    /// @dev A proposed treasury has no power before it accepts.
    function test_TheProposedTreasuryHasNoPower() external {
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotTreasury.selector, bob));
        vm.prank(bob);
        locker.proposeTreasury(alice);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotTreasury.selector, bob));
        vm.prank(bob);
        factory.setPartnerShare(partner, 1);
        Launch memory launched = launchWith(true);
        makeFees(launched);
        locker.collect(launched.token);
        locker.settle(launched.token, bothAssets(launched.token));
        assertEq(balance(address(weth), bob), 0);
    }

    /// @dev 2^64 base units are 18.4 of an asset with 18 decimals.
    function test_ACollectionAbove64BitsIsPaidExactly() external {
        fundNative(address(trader), 10_000 ether);
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWithPartner(order == 0, 2_500);
            uint256[3] memory before =
                [balance(address(weth), treasury), balance(address(weth), partner), balance(address(weth), bob)];
            buy(launched, 2_500 ether);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            assertApproxEqAbs(quoteAmount, 25 ether, 2);
            assertEq(locker.ledgerOf(launched.token, address(weth)).collected, quoteAmount);
            locker.settle(launched.token, one(address(weth)));
            uint256 share = quoteAmount / 10;
            assertEq(balance(address(weth), launched.splitter), quoteAmount - share);
            assertEq(balance(address(weth), treasury) - before[0], share - share / 4);
            assertEq(balance(address(weth), partner) - before[1], share / 4);
            IFeeSplitter(launched.splitter).release(one(address(weth)), bob);
            assertEq(balance(address(weth), bob) - before[2], (quoteAmount - share) * 3_000 / 10_000);
        }
    }

    /// @dev A donation of any size is in no ledger, also not in the same transaction as a collection.
    function test_AGreatDonationIsNotCollected() external {
        Launch memory launched = launchWith(true);
        buy(launched, 1 ether);
        vm.prank(address(trader));
        PlainToken(launched.token).transfer(address(locker), 1e26);
        fundNative(address(locker), 30 ether);
        sell(launched, 1e26);
        (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
        assertApproxEqRel(tokenAmount, 1e24, 1e6);
        assertEq(quoteAmount, 0.01 ether - 1);
        locker.settle(launched.token, bothAssets(launched.token));
        assertEq(balance(launched.token, launched.splitter), tokenAmount - tokenAmount / 10);
        assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10);
        assertGe(balance(launched.token, address(locker)), 1e26);
        assertEq(balance(address(weth), address(locker)), 30 ether);
    }

    /// @dev Every listed asset is settled once, at every place of the list.
    function test_AssetsAreSettledOnceInEveryOrder() external {
        for (uint256 i; i < 6; ++i) {
            Launch memory launched = launchWith(i % 2 == 0);
            makeFees(launched);
            (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
            (address a, address b) = i < 3 ? (launched.token, address(weth)) : (address(weth), launched.token);
            address[] memory assets = new address[](3);
            (assets[0], assets[1], assets[2]) = (a, a, a);
            assets[i % 3] = b;
            locker.settle(launched.token, assets);
            assertEq(balance(launched.token, launched.splitter), tokenAmount - tokenAmount / 10);
            assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10);
        }
    }

    /// @dev Launches of every tier share one locker and one balance of wrapped native: each is settled by its own tier.
    function test_LaunchesOfEveryTierInOneLockerAreSettledByTheirOwnTier() external {
        Launch[4] memory launched;
        uint256[4] memory collected;
        for (uint256 i; i < 4; ++i) {
            launched[i] = launchInTier(i % 2 == 0, tiers()[i]);
            buy(launched[i], 1 ether);
            (, collected[i]) = locker.collect(launched[i].token);
        }
        for (uint256 i; i < 4; ++i) {
            uint256 before = balance(address(weth), treasury);
            locker.settle(launched[i].token, one(address(weth)));
            uint256 share = collected[i] * 10 / tiers()[i];
            assertEq(balance(address(weth), treasury) - before, share);
            assertEq(balance(address(weth), launched[i].splitter), collected[i] - share);
        }
        assertEq(balance(address(weth), address(locker)), 0);
    }

    /// @dev A settlement of one asset whose new total is exactly the settled total of the other one, in every order.
    function test_TotalsThatAreEqualAreSettledForEachAsset() external {
        for (uint256 order; order < 2; ++order) {
            PlainToken token = new PlainToken(18);
            PlainToken quote = new PlainToken(18);
            // The token with the lower address is token0.
            if (address(token) > address(quote)) (token, quote) = (quote, token);
            weth = IWrappedNative(address(quote));
            locker = deployLocker(treasury);
            Terms memory terms;
            terms.splitter = alice;
            StubPool pool = lockWithStub(address(token), terms);
            address[2] memory assets = order == 0 ? [address(token), address(quote)] : [address(quote), address(token)];
            for (uint256 round; round < 3; ++round) {
                for (uint256 i; i < 2; ++i) {
                    PlainToken(assets[i]).mint(address(locker), 1_000);
                    if (assets[i] == address(token)) pool.setCollected(1_000, 0);
                    else pool.setCollected(0, 1_000);
                    locker.collect(address(token));
                    locker.settle(address(token), one(assets[i]));
                    assertEq(PlainToken(assets[i]).balanceOf(alice), 900 * (round + 1));
                    assertEq(PlainToken(assets[i]).balanceOf(treasury), 100 * (round + 1));
                }
            }
        }
    }

    /// @dev An indexer reads the transfers of a settlement before the event that announces them.
    function test_SettledIsEmittedAfterThePaymentsOfItsAsset() external {
        Launch memory launched = launchWithPartner(true, 5_000);
        makeFees(launched);
        locker.collect(launched.token);
        vm.recordLogs();
        locker.settle(launched.token, bothAssets(launched.token));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 8);
        for (uint256 i; i < 8; ++i) {
            assertEq(logs[i].emitter, i % 4 == 3 ? address(locker) : i < 4 ? launched.token : address(weth));
        }
    }

    function _etchAdjacent(address account) private returns (CallbackCaller lower, CallbackCaller higher) {
        bytes memory code = address(new CallbackCaller()).code;
        (lower, higher) = (CallbackCaller(_getAdjacent(account, 0)), CallbackCaller(_getAdjacent(account, 1)));
        vm.etch(address(lower), code);
        vm.etch(address(higher), code);
    }

    function _getAdjacent(address account, uint256 side) private pure returns (address) {
        return address(side == 0 ? uint160(account) - 1 : uint160(account) + 1);
    }

    function _etchPool(address token) private returns (HostilePool) {
        address pool = PoolAddress.compute(locker.UNISWAP_FACTORY(), token, address(weth), POOL_FEE);
        vm.etch(pool, address(new HostilePool()).code);
        return HostilePool(pool);
    }
}
