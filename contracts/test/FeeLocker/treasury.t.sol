// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

contract FeeLockerTreasuryTest is SlipwayTest {
    function deployLocker(address treasury_) external returns (address) {
        return deploy("FeeLocker", abi.encode(treasury_, weth));
    }

    function test_WhenTheInitialTreasuryIsZero() external {
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidTreasury.selector, address(0)));
        this.deployLocker(address(0));
    }

    function test_WhenTheInitialTreasuryIsTheLockerItself() external {
        address predicted = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidTreasury.selector, predicted));
        this.deployLocker(predicted);
    }

    function test_WhenAnotherAccountThanTheTreasuryProposes() external {
        address[3] memory callers = [address(this), creator, address(factory)];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotTreasury.selector, callers[i]));
            vm.prank(callers[i]);
            locker.proposeTreasury(bob);
        }
    }

    function test_WhenTheTreasuryProposes() external {
        vm.expectEmit(address(locker));
        emit IFeeLocker.TreasuryProposed(treasury, bob);
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        assertEq(locker.treasury(), treasury);
        assertEq(locker.proposedTreasury(), bob);
    }

    function test_WhenAnotherAccountThanTheProposedOneAccepts() external {
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        address[2] memory callers = [treasury, alice];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotProposedTreasury.selector, callers[i]));
            vm.prank(callers[i]);
            locker.acceptTreasury();
        }
    }

    function test_WhenTheProposedAccountAccepts() external {
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.expectEmit(address(locker));
        emit IFeeLocker.TreasuryChanged(treasury, bob);
        vm.prank(bob);
        locker.acceptTreasury();
        assertEq(locker.treasury(), bob);
        assertEq(locker.proposedTreasury(), address(0));
    }

    function test_WhenTheTreasuryWithdrawsAProposal() external {
        vm.startPrank(treasury);
        locker.proposeTreasury(bob);
        locker.proposeTreasury(address(0));
        vm.stopPrank();
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotProposedTreasury.selector, bob));
        vm.prank(bob);
        locker.acceptTreasury();
    }
}
