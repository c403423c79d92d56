// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {LockerTest} from "../utils/LockerTest.sol";

contract FeeLockerSettleTest is LockerTest {
    function test_WhenTheTokenIsUnknown() external {
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_UnknownToken.selector, alice));
        locker.settle(alice, new address[](0));
    }

    function test_WhenAnAssetDoesNotBelongToTheLaunch() external {
        Launch memory launched = launchWith(true);
        Launch memory other = launchWith(true);
        makeFees(other);
        locker.collect(other.token);
        address[3] memory assets = [other.token, address(0), launched.pool];
        for (uint256 i; i < assets.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IFeeLocker.FeeLocker_UnknownAsset.selector, launched.token, assets[i])
            );
            locker.settle(launched.token, one(assets[i]));
        }
    }

    function test_GivenNothingIsCredited() external {
        Launch memory launched = launchWith(true);
        vm.recordLogs();
        locker.settle(launched.token, bothAssets(launched.token));
        locker.settle(launched.token, new address[](0));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
    }

    function test_GivenBothAssetsAreCredited() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWithPartner(order == 0, 2_500);
            makeFees(launched);
            locker.collect(launched.token);
            uint256[3] memory wethBefore = _balances(launched, address(weth));
            IFeeLocker.Ledger memory tokenLedger = locker.ledgerOf(launched.token, launched.token);
            IFeeLocker.Ledger memory wethLedger = locker.ledgerOf(launched.token, address(weth));
            _expectSettled(launched.token, launched.token, tokenLedger);
            _expectSettled(launched.token, address(weth), wethLedger);
            locker.settle(launched.token, bothAssets(launched.token));
            _assertPaid(launched, launched.token, [uint256(0), 0, 0], tokenLedger);
            _assertPaid(launched, address(weth), wethBefore, wethLedger);
            assertGt(wethLedger.partnerCredit, 0);
            _assertOnlyTotals(launched.token, launched.token, tokenLedger);
            _assertOnlyTotals(launched.token, address(weth), wethLedger);
        }
    }

    function test_GivenALaunchWithoutPartner() external {
        Launch memory launched = launchWith(false);
        makeFees(launched);
        (uint256 tokenAmount,) = locker.collect(launched.token);
        vm.recordLogs();
        locker.settle(launched.token, one(launched.token));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 3, "two transfers and Settled: no transfer to the zero address");
        assertEq(balance(launched.token, treasury), tokenAmount / 10);
        assertEq(balance(launched.token, launched.splitter), tokenAmount - tokenAmount / 10);
        assertEq(balance(launched.token, address(0)), 0);
    }

    function test_GivenAPartnerWithoutAShare() external {
        Launch memory launched = launchWithPartner(true, 0);
        makeFees(launched);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        locker.settle(launched.token, one(address(weth)));
        assertEq(balance(address(weth), treasury), quoteAmount / 10);
        assertEq(balance(address(weth), partner), 0);
    }

    function test_GivenAFeeTierWithoutACollaboratorsPart() external {
        Launch memory launched = launchInTier(true, 10);
        makeFees(launched);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        locker.settle(launched.token, bothAssets(launched.token));
        assertEq(balance(address(weth), treasury), quoteAmount);
        assertEq(balance(address(weth), launched.splitter), 0);
        assertEq(balance(launched.token, launched.splitter), 0);
    }

    function test_WhenAnAssetIsListedTwice() external {
        Launch memory launched = launchWith(true);
        Launch memory other = launchWith(true);
        makeFees(launched);
        makeFees(other);
        locker.collect(other.token);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        address[] memory assets = new address[](2);
        (assets[0], assets[1]) = (address(weth), address(weth));
        locker.settle(launched.token, assets);
        assertEq(balance(address(weth), treasury), quoteAmount / 10);
        assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10);
    }

    function test_WhenItIsSettledAgainAfterMoreWasCollected() external {
        Launch memory launched = launchWithPartner(true, 5_000);
        uint256 sum;
        for (uint256 i; i < 5; ++i) {
            buy(launched, 1_500);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            sum += quoteAmount;
            locker.settle(launched.token, one(address(weth)));
            uint256 side = sum / 10;
            assertEq(balance(address(weth), partner), side / 2);
            assertEq(balance(address(weth), treasury), side - side / 2);
            assertEq(balance(address(weth), launched.splitter), sum - side);
        }
    }

    function test_WhenOneAssetIsListed() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        locker.collect(launched.token);
        IFeeLocker.Ledger memory before = locker.ledgerOf(launched.token, launched.token);
        locker.settle(launched.token, one(address(weth)));
        assertEq(
            keccak256(abi.encode(locker.ledgerOf(launched.token, launched.token))), keccak256(abi.encode(before))
        );
        before = locker.ledgerOf(launched.token, address(weth));
        locker.settle(launched.token, one(launched.token));
        assertEq(locker.ledgerOf(launched.token, launched.token).collaboratorsCredit, 0);
        assertEq(
            keccak256(abi.encode(locker.ledgerOf(launched.token, address(weth)))), keccak256(abi.encode(before))
        );
    }

    function test_WhenTheAssetsAreListedInAnotherOrder() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        locker.collect(launched.token);
        address[] memory assets = new address[](2);
        (assets[0], assets[1]) = (address(weth), launched.token);
        _expectSettled(launched.token, launched.token, locker.ledgerOf(launched.token, launched.token));
        _expectSettled(launched.token, address(weth), locker.ledgerOf(launched.token, address(weth)));
        locker.settle(launched.token, assets);
    }

    function test_GivenAnotherTreasuryHasAccepted() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.prank(bob);
        locker.acceptTreasury();
        locker.settle(launched.token, one(address(weth)));
        assertEq(balance(address(weth), bob), quoteAmount / 10);
        assertEq(balance(address(weth), treasury), 0);
    }

    function _balances(Launch memory launched, address asset) private view returns (uint256[3] memory) {
        return [balance(asset, launched.splitter), balance(asset, treasury), balance(asset, partner)];
    }

    function _expectSettled(address token, address asset, IFeeLocker.Ledger memory ledger) private {
        vm.expectEmit(address(locker));
        emit IFeeLocker.Settled(
            token, asset, ledger.collaboratorsCredit, ledger.protocolCredit, ledger.partnerCredit
        );
    }

    function _assertPaid(
        Launch memory launched,
        address asset,
        uint256[3] memory before,
        IFeeLocker.Ledger memory ledger
    ) private view {
        uint256[3] memory current = _balances(launched, asset);
        assertEq(current[0] - before[0], ledger.collaboratorsCredit, "splitter");
        assertEq(current[1] - before[1], ledger.protocolCredit, "treasury");
        assertEq(current[2] - before[2], ledger.partnerCredit, "partner");
    }

    function _assertOnlyTotals(address token, address asset, IFeeLocker.Ledger memory before) private view {
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(token, asset);
        assertEq(ledger.protocolCredit + ledger.partnerCredit + ledger.collaboratorsCredit, 0);
        assertEq(ledger.collected, before.collected);
        assertEq(ledger.protocolTotal, before.protocolTotal);
        assertEq(ledger.partnerTotal, before.partnerTotal);
        assertEq(ledger.collaboratorsTotal, before.collaboratorsTotal);
    }
}
