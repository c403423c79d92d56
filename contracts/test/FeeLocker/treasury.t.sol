// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {LockerTest} from "../utils/LockerTest.sol";

contract FeeLockerTreasuryTest is LockerTest {
    /// @dev External, so that `vm.expectRevert` applies to the whole deployment.
    function deployLockerExternally(address treasury_) external returns (IFeeLocker) {
        return deployLocker(treasury_);
    }

    function test_WhenTheInitialTreasuryIsZero() external {
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidTreasury.selector, address(0)));
        this.deployLockerExternally(address(0));
    }

    function test_WhenTheInitialTreasuryIsTheLockerItself() external {
        address predicted = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidTreasury.selector, predicted));
        this.deployLockerExternally(predicted);
    }

    function test_WhenItIsDeployed() external {
        vm.expectEmit();
        emit IFeeLocker.TreasuryChanged(address(0), bob);
        IFeeLocker deployed = this.deployLockerExternally(bob);
        assertEq(deployed.FACTORY(), address(this));
        assertEq(deployed.WRAPPED_NATIVE(), address(weth));
        assertEq(deployed.UNISWAP_FACTORY(), address(uniswap));
        assertEq(deployed.START_TICK(), startTick);
        assertEq(deployed.PROTOCOL_FEE_BPS(), 10);
        assertEq(deployed.treasury(), bob);
        assertEq(deployed.proposedTreasury(), address(0));
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
