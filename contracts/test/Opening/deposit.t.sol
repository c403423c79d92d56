// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCastLib} from "solady/utils/SafeCastLib.sol";

import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningDepositTest is OpeningTest {
    function test_WhenTheOpeningCollects() external {
        vm.expectEmit(address(opening));
        emit IOpening.Deposited(alice, 1 ether, 1 ether);
        depositFor(alice, 1 ether);
        vm.expectEmit(address(opening));
        emit IOpening.Deposited(bob, 2 ether, 3 ether);
        _send(bob, 2 ether);
        vm.expectEmit(address(opening));
        emit IOpening.Deposited(alice, 3 ether, 6 ether);
        _send(alice, 3 ether);
        assertEq(opening.depositOf(alice), 4 ether);
        assertEq(opening.depositOf(bob), 2 ether);
        assertEq(opening.depositOf(creator), 0);
        assertEq(opening.total(), 6 ether);
        assertEq(address(opening).balance, 6 ether);
        assertEq(opening.closedAt(), 0);
        assertFalse(opening.isOpened());
    }

    function test_WhenAnotherAccountPays() external {
        vm.prank(stranger);
        opening.deposit{value: 1 ether}(alice);
        assertEq(opening.depositOf(alice), 1 ether);
        assertEq(opening.depositOf(stranger), 0);
    }

    function test_WhenNoNativeIsAttached() external {
        vm.expectRevert(IOpening.Opening_NothingDeposited.selector);
        opening.deposit(alice);
        (bool success, bytes memory reason) = address(opening).call("");
        assertFalse(success);
        assertEq(bytes4(reason), IOpening.Opening_NothingDeposited.selector);
        depositFor(alice, 1);
    }

    function test_WhenTheAccountIsZeroOrTheOpening() external {
        address[2] memory accounts = [address(0), address(opening)];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_InvalidAccount.selector, accounts[i]));
            opening.deposit{value: 1}(accounts[i]);
        }
    }

    function test_WhenTheDeadlineIsReached() external {
        vm.warp(DEADLINE);
        depositFor(alice, 1 ether);
        assertEq(opening.total(), 1 ether);
    }

    function test_WhenTheDeadlinePassed() external {
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_Expired.selector, DEADLINE, DEADLINE + 1));
        opening.deposit{value: 1 ether}(alice);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_Expired.selector, DEADLINE, DEADLINE + 1));
        opening.deposit(alice);
    }

    function test_WhenTheOpeningOpened() external {
        depositFor(alice, 2 ether);
        open(2 ether);
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(IOpening.Opening_Closed.selector);
            opening.deposit{value: 1 ether}(alice);
            vm.prank(bob);
            (bool success, bytes memory reason) = address(opening).call{value: 1 ether}("");
            assertFalse(success);
            assertEq(bytes4(reason), IOpening.Opening_Closed.selector);
            skipToNextSecond();
        }
        assertEq(opening.total(), 2 ether);
    }

    function test_WhenTheOpeningWasClosed() external {
        launchDirectly(0);
        closeWithSalt();
        vm.expectRevert(IOpening.Opening_Closed.selector);
        opening.deposit{value: 1 ether}(alice);
    }

    function test_WhenTheDepositsExceedTheCap() external {
        depositFor(alice, CAP + 1);
        depositFor(bob, 3 * CAP);
        assertEq(opening.total(), 4 * CAP + 1);
    }

    function test_WhenTheTotalExceeds104Bits() external {
        uint256 most = type(uint104).max;
        vm.deal(alice, most + 1);
        vm.startPrank(alice);
        vm.expectRevert(SafeCastLib.Overflow.selector);
        opening.deposit{value: most + 1}(alice);
        vm.expectEmit(address(opening));
        emit IOpening.Deposited(alice, most, most);
        opening.deposit{value: most}(alice);
        vm.expectRevert(SafeCastLib.Overflow.selector);
        opening.deposit{value: 1}(alice);
        vm.stopPrank();
        assertEq(opening.depositOf(alice), most);
        vm.warp(DEADLINE + 1);
        (, uint256 refund) = opening.claim(alice);
        assertEq(refund, most);
    }

    function test_WhenItIsCalledOnTheImplementation() external {
        IOpening implementation = IOpening(payable(openings.IMPLEMENTATION()));
        vm.expectRevert(IOpening.Opening_NotClone.selector);
        implementation.deposit{value: 1}(alice);
        (bool success, bytes memory reason) = address(implementation).call{value: 1}("");
        assertFalse(success);
        assertEq(bytes4(reason), IOpening.Opening_NotClone.selector);
    }

    function _send(address from, uint256 amount) private {
        vm.prank(from);
        (bool success,) = address(opening).call{value: amount}("");
        assertTrue(success);
    }
}
