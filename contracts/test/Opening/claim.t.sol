// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

/// @notice A depositor without `receive`.
contract RefusingDepositor {
    function deposit(IOpening opening) external payable {
        opening.deposit{value: msg.value}(address(this));
    }

    function claimTo(IOpening opening, address to) external {
        opening.claimTo(to);
    }
}

contract OpeningClaimTest is OpeningTest {
    function test_WhenTheOpeningCollects() external {
        depositFor(alice, CAP);
        expectNothingToClaim(alice);
        vm.warp(DEADLINE);
        expectNothingToClaim(alice);
        // Also when the token exists, as long as nobody proves it.
        launchDirectly(1 ether);
        expectNothingToClaim(alice);
    }

    function test_WhenItOpenedInTheSameSecond() external {
        depositFor(alice, CAP);
        uint256 bought = open(MINIMUM);
        expectNothingToClaim(alice);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claimable(alice);
        assertEq(tokens, bought);
        assertEq(refund, CAP - MINIMUM);
    }

    function test_WhenItOpened() external {
        uint256 bought = openWithTwoDeposits();
        (uint256 tokens, uint256 refund) = opening.claimable(alice);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 4.5 ether);
        uint256 before = alice.balance;
        vm.expectEmit(address(opening));
        emit IOpening.Claimed(alice, alice, tokens, refund);
        vm.prank(stranger);
        (uint256 paidTokens, uint256 paidRefund) = opening.claim(alice);
        assertEq(paidTokens, tokens);
        assertEq(paidRefund, refund);
        assertEq(balance(opening.token(), alice), tokens);
        assertEq(alice.balance, before + refund);
        assertEq(opening.depositOf(alice), 0);
        assertEq(opening.depositOf(bob), 3 ether);
        (tokens, refund) = opening.claim(bob);
        assertEq(tokens, bought / 4);
        assertEq(refund, 1.5 ether);
        assertEq(address(opening).balance, 0);
        assertEq(opening.total(), 12 ether);
    }

    function test_WhenEverythingWasSpent() external {
        RefusingDepositor refusing = new RefusingDepositor();
        depositFor(alice, 1.5 ether);
        refusing.deposit{value: 0.5 ether}(opening);
        uint256 bought = open(2 ether);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 0);
        // Without native to pay, no account is called.
        (tokens, refund) = opening.claim(address(refusing));
        assertEq(tokens, bought / 4);
        assertEq(refund, 0);
    }

    function test_WhenThePartOfTheTokensIsZero() external {
        depositFor(bob, 1e23);
        depositFor(alice, 1e12);
        // A whole of which a small deposit has less than a unit.
        (address token,) = launchDirectly(1 ether);
        uint256 snapshot = vm.snapshotState();
        deal(token, address(opening), 1e10);
        closeWithSalt();
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, 0);
        assertEq(refund, 1e12);
        assertEq(balance(token, alice), 0);
        vm.revertToState(snapshot);
        // One unit is paid.
        deal(token, address(opening), 1.5e11);
        closeWithSalt();
        skipToNextSecond();
        (tokens, refund) = opening.claim(alice);
        assertEq(tokens, 1);
        assertEq(refund, 1e12);
        assertEq(balance(token, alice), 1);
    }

    function test_WhenItIsCalledAgain() external {
        openWithTwoDeposits();
        opening.claim(alice);
        expectNothingToClaim(alice);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NothingToClaim.selector, alice));
        opening.claimTo(bob);
    }

    function test_WhenTokensArriveAfterTheEnd() external {
        uint256 bought = openWithTwoDeposits();
        address token = opening.token();
        opening.claim(alice);
        vm.prank(alice);
        IERC20(token).transfer(address(opening), 4e18);
        expectNothingToClaim(alice);
        (uint256 tokens, uint256 refund) = opening.claim(bob);
        assertEq(tokens, bought / 4);
        assertEq(refund, 1.5 ether);
        assertEq(opening.received(), bought);
        assertEq(balance(token, address(opening)), bought + 4e18 - bought * 3 / 4 - bought / 4);
    }

    function test_WhenTheDeadlinePassed() external {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        depositFor(stranger, 1);
        vm.warp(DEADLINE);
        expectNothingToClaim(alice);
        skipToNextSecond();
        opening.claim(stranger);
        assertEq(stranger.balance, 1_000_000 ether);
        vm.expectEmit(address(opening));
        emit IOpening.Claimed(alice, alice, 0, 9 ether);
        opening.claim(alice);
        assertEq(alice.balance, 1_000_000 ether);
        assertEq(opening.depositOf(alice), 9 ether);
        expectNothingToClaim(alice);
        opening.claim(bob);
        assertEq(address(opening).balance, 0);
        expectNothingToClaim(bob);
    }

    function test_WhenItWasClosed() external {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        (, uint256 bought) = launchDirectly(1 ether);
        closeWithSalt();
        expectNothingToClaim(alice);
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 9 ether);
        (tokens, refund) = opening.claim(bob);
        assertEq(tokens, bought / 4);
        assertEq(refund, 3 ether);
        assertEq(address(opening).balance, 0);
    }

    function test_WhenItIsClosedAfterARefund() external {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        vm.warp(DEADLINE);
        (, uint256 bought) = launchDirectly(1 ether);
        skipToNextSecond();
        opening.claim(alice);
        closeWithSalt();
        skipToNextSecond();
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 0);
        expectNothingToClaim(alice);
        (tokens, refund) = opening.claim(bob);
        assertEq(tokens, bought / 4);
        assertEq(refund, 3 ether);
        assertEq(opening.depositOf(alice) + opening.depositOf(bob), 0);
    }

    function test_WhenNobodyDeposited() external {
        launchDirectly(1 ether);
        closeWithSalt();
        skipToNextSecond();
        expectNothingToClaim(alice);
        expectNothingToClaim(address(0));
    }

    function test_WhenTheAccountDoesNotAcceptNative() external {
        RefusingDepositor refusing = new RefusingDepositor();
        refusing.deposit{value: 4 ether}(opening);
        depositFor(bob, 4 ether);
        uint256 bought = open(2 ether);
        skipToNextSecond();
        vm.expectRevert(
            abi.encodeWithSelector(IOpening.Opening_TransferFailed.selector, address(refusing), 3 ether)
        );
        opening.claim(address(refusing));
        opening.claim(bob);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_TransferFailed.selector, address(locker), 3 ether));
        refusing.claimTo(opening, address(locker));
        uint256 before = stranger.balance;
        refusing.claimTo(opening, stranger);
        assertEq(stranger.balance, before + 3 ether);
        assertEq(balance(opening.token(), stranger), bought / 2);
    }

    function test_WhenTheReceiverIsZeroOrTheOpening() external {
        openWithTwoDeposits();
        address[2] memory receivers = [address(0), address(opening)];
        for (uint256 i; i < 2; ++i) {
            vm.prank(alice);
            vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_InvalidAccount.selector, receivers[i]));
            opening.claimTo(receivers[i]);
        }
    }

    function test_WhenTheAccountClaimsToAnotherAccount() external {
        uint256 bought = openWithTwoDeposits();
        uint256 before = stranger.balance;
        vm.expectEmit(address(opening));
        emit IOpening.Claimed(alice, stranger, bought * 3 / 4, 4.5 ether);
        vm.prank(alice);
        (uint256 tokens, uint256 refund) = opening.claimTo(stranger);
        assertEq(tokens, bought * 3 / 4);
        assertEq(refund, 4.5 ether);
        assertEq(stranger.balance, before + 4.5 ether);
        assertEq(balance(opening.token(), stranger), tokens);
        assertEq(balance(opening.token(), alice), 0);
        expectNothingToClaim(alice);
        expectNothingToClaim(stranger);
    }

    function test_WhenTheAccountClaimsItsDepositToAnotherAccount() external {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        vm.warp(DEADLINE + 1);
        uint256 before = bob.balance;
        vm.prank(alice);
        opening.claimTo(bob);
        assertEq(bob.balance, before + 9 ether);
        expectNothingToClaim(alice);
        (, uint256 refund) = opening.claim(bob);
        assertEq(refund, 3 ether);
        assertEq(address(opening).balance, 0);
    }

    function test_WhenThePartsAreNotWhole() external {
        depositFor(alice, 1 ether);
        depositFor(bob, 1 ether);
        depositFor(stranger, 1 ether + 1);
        uint256 bought = open(MINIMUM + 1);
        skipToNextSecond();
        uint256 total = 3 ether + 1;
        (uint256 tokens, uint256 refund) = opening.claim(alice);
        assertEq(tokens, bought * 1 ether / total);
        assertEq(refund, (total - MINIMUM - 1) * 1 ether / total);
        opening.claim(bob);
        opening.claim(stranger);
        assertLt(balance(opening.token(), address(opening)), 3);
        assertLt(address(opening).balance, 3);
        // Repeated claims do not change the remainder.
        expectNothingToClaim(alice);
        expectNothingToClaim(stranger);
    }

    function test_WhenNativeIsForcedIn() external {
        depositFor(alice, 9 ether);
        vm.deal(address(opening), address(opening).balance + 5 ether);
        depositFor(bob, 3 ether);
        open(6 ether);
        vm.deal(address(opening), address(opening).balance + 5 ether);
        skipToNextSecond();
        (, uint256 refund) = opening.claim(alice);
        assertEq(refund, 4.5 ether);
        (, refund) = opening.claim(bob);
        assertEq(refund, 1.5 ether);
        assertEq(address(opening).balance, 10 ether);
    }

    function test_WhenItIsCalledOnTheImplementation() external {
        IOpening implementation = IOpening(payable(openings.IMPLEMENTATION()));
        vm.expectRevert(IOpening.Opening_NotClone.selector);
        implementation.claim(alice);
    }
}
