// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {stdError} from "forge-std/StdError.sol";
import {Vm} from "forge-std/Vm.sol";

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {PlainToken} from "../utils/TestTokens.sol";
import {VestingTest} from "../utils/VestingTest.sol";

contract VestingReleaseTest is VestingTest {
    function test_WhenTheCliffIsNotReached() external {
        token.mint(address(vesting), 1_000);
        _assertPaid(0);
        vm.warp(CLIFF - 1);
        _assertPaid(0);
        vm.warp(CLIFF);
        _assertPaid(0);
        assertEq(vesting.vested(address(token)), 0);
    }

    function test_WhenTheTimeIsBetweenCliffAndEnd() external {
        token.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 10 days);
        assertEq(vesting.releasable(address(token)), 100);
        vm.expectEmit(address(vesting));
        emit IVesting.Released(address(token), 100);
        vm.prank(stranger);
        assertEq(vesting.release(address(token)), 100);
        assertEq(token.balanceOf(alice), 100);
        assertEq(token.balanceOf(stranger), 0);
        assertEq(vesting.released(address(token)), 100);
        assertEq(vesting.vested(address(token)), 100);
        // One unit vests in 8,640 seconds.
        vm.warp(CLIFF + 10 days + 8_639);
        _assertPaid(0);
        vm.warp(CLIFF + 10 days + 8_640);
        _assertPaid(1);
    }

    function test_WhenItIsCalledAgainAtTheSameTime() external {
        token.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 10 days);
        vesting.release(address(token));
        vm.recordLogs();
        _assertPaid(0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
    }

    function test_WhenItIsCalledManyTimes() external {
        token.mint(address(vesting), 999_983);
        for (uint256 i; i < 97; ++i) {
            vm.warp(vm.getBlockTimestamp() + 1 days + 7 * i);
            vesting.release(address(token));
        }
        uint256 elapsed = vm.getBlockTimestamp() - CLIFF;
        assertEq(token.balanceOf(alice), 999_983 * elapsed / 100 days);
    }

    function test_WhenTheEndIsReached() external {
        token.mint(address(vesting), 1_000_003);
        vm.warp(END - 1);
        _assertPaid(1_000_002);
        vm.warp(END);
        _assertPaid(1);
        assertEq(token.balanceOf(address(vesting)), 0);
        vm.warp(END + 1_000 days);
        _assertPaid(0);
    }

    function test_WhenTokensArriveLater() external {
        token.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 50 days);
        _assertPaid(500);
        token.mint(address(vesting), 3_000);
        assertEq(vesting.vested(address(token)), 2_000);
        _assertPaid(1_500);
        vm.warp(END);
        _assertPaid(2_000);
        token.mint(address(vesting), 77);
        _assertPaid(77);
    }

    function test_WhenItHoldsTwoTokens() external {
        PlainToken other = new PlainToken(6);
        token.mint(address(vesting), 1_000);
        other.mint(address(vesting), 10);
        vm.warp(CLIFF + 50 days);
        _assertPaid(500);
        assertEq(vesting.released(address(other)), 0);
        assertEq(vesting.release(address(other)), 5);
        assertEq(vesting.released(address(token)), 500);
    }

    function test_WhenItHoldsNothing() external {
        vm.warp(END);
        _assertPaid(0);
        assertEq(vesting.release(stranger), 0);
    }

    function test_WhenTheBalanceIsAsLargeAsAnAmountCanBe() external {
        token.mint(address(vesting), type(uint256).max);
        vm.warp(CLIFF + 50 days);
        vm.expectEmit(address(vesting));
        emit IVesting.Released(address(token), type(uint256).max / 2);
        _assertPaid(type(uint256).max / 2);
        vm.warp(END);
        _assertPaid(type(uint256).max - type(uint256).max / 2);
    }

    /// @dev Only a token whose transfers exceed 2^256 units can do this.
    function test_WhenMoreWasReceivedThanAnAmountCanBe() external {
        token.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 50 days);
        vesting.release(address(token));
        bytes memory call = abi.encodeCall(token.balanceOf, (address(vesting)));
        vm.mockCall(address(token), call, abi.encode(type(uint256).max - 499));
        vm.expectRevert(stdError.arithmeticError);
        vesting.release(address(token));
        vm.expectRevert(stdError.arithmeticError);
        vesting.vested(address(token));
        vm.warp(END);
        vm.expectRevert(stdError.arithmeticError);
        vesting.releasable(address(token));
    }

    function test_WhenTheBeneficiaryCannotBePaid() external {
        AdverseToken adverse = _mintAdverse(AdverseToken.Fault.Blocklist);
        adverse.setBlocked(alice, true);
        vm.expectRevert(abi.encodeWithSelector(IVesting.Vesting_TransferFailed.selector, address(adverse), alice, 500));
        vesting.release(address(adverse));
        assertEq(vesting.releasable(address(adverse)), 500);
        assertEq(vesting.released(address(adverse)), 0);
        adverse.setBlocked(alice, false);
        assertEq(vesting.release(address(adverse)), 500);
    }

    function test_WhenTheTransferFailsWithoutARevert() external {
        AdverseToken.Fault[3] memory faults =
            [AdverseToken.Fault.FalseReturn, AdverseToken.Fault.ReturnsTwo, AdverseToken.Fault.ShortReturn];
        for (uint256 i; i < 3; ++i) {
            AdverseToken adverse = _mintAdverse(faults[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IVesting.Vesting_TransferFailed.selector, address(adverse), alice, 500)
            );
            vesting.release(address(adverse));
        }
    }

    function test_WhenTheTokenReturnsNothing() external {
        AdverseToken adverse = _mintAdverse(AdverseToken.Fault.MissingReturn);
        assertEq(vesting.release(address(adverse)), 500);
        assertEq(adverse.balanceOf(alice), 500);
    }

    function test_WhenTheTokenTakesAFeeOfTransfers() external {
        AdverseToken adverse = _mintAdverse(AdverseToken.Fault.FeeOnTransfer);
        assertEq(vesting.release(address(adverse)), 500);
        assertEq(adverse.balanceOf(alice), 495);
        vm.warp(END);
        assertEq(vesting.release(address(adverse)), 500);
        assertEq(adverse.balanceOf(address(vesting)), 0);
    }

    function test_WhenTheTokenShrinksTheBalance() external {
        AdverseToken adverse = _mintAdverse(AdverseToken.Fault.Rebasing);
        assertEq(vesting.release(address(adverse)), 500);
        adverse.rebase(50);
        // 750 received, of which 375 are vested: less than what was released.
        assertEq(vesting.releasable(address(adverse)), 0);
        assertEq(vesting.release(address(adverse)), 0);
        vm.warp(END);
        assertEq(vesting.release(address(adverse)), 250);
    }

    function test_WhenTheTokenCallsBackBeforeItMovesTheBalance() external {
        AdverseToken adverse = _mintAdverse(AdverseToken.Fault.Callback);
        adverse.onTransferCall(address(vesting), abi.encodeCall(IVesting.release, (address(adverse))));
        vm.expectRevert(abi.encodeWithSelector(IVesting.Vesting_TransferFailed.selector, address(adverse), alice, 500));
        vesting.release(address(adverse));
        assertEq(vesting.released(address(adverse)), 0);
    }

    function test_WhenTheBeneficiarySendsTokensBack() external {
        token.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 50 days);
        _assertPaid(500);
        vm.prank(alice);
        token.transfer(address(vesting), 500);
        // 1,500 received, 750 vested, 500 released.
        _assertPaid(250);
        vm.warp(END);
        _assertPaid(750);
    }

    function test_WhenNativeIsSent() external {
        vm.deal(address(this), 1);
        (bool success,) = address(vesting).call{value: 1}("");
        assertFalse(success);
    }

    function _assertPaid(uint256 amount) private {
        uint256 before = token.balanceOf(alice);
        assertEq(vesting.releasable(address(token)), amount);
        assertEq(vesting.release(address(token)), amount);
        assertEq(token.balanceOf(alice) - before, amount);
    }

    /// @dev A thousand units, halfway between cliff and end.
    function _mintAdverse(AdverseToken.Fault fault) private returns (AdverseToken adverse) {
        adverse = new AdverseToken(fault, 18);
        adverse.mint(address(vesting), 1_000);
        vm.warp(CLIFF + 50 days);
    }
}
