// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {VestingTest} from "../utils/VestingTest.sol";

contract VestingFactoryCreateTest is VestingTest {
    bytes32 private constant SALT = keccak256("salt");

    function test_WhenItIsDeployed() external {
        IVesting implementation = IVesting(vestings.IMPLEMENTATION());
        assertEq(address(implementation), vm.computeCreateAddress(address(vestings), 1));
        assertFalse(vestings.isVesting(address(implementation)));
        assertFalse(vestings.isVesting(address(0)));
        token.mint(address(implementation), 1);
        vm.expectRevert(IVesting.Vesting_NotClone.selector);
        implementation.release(address(token));
        vm.expectRevert(IVesting.Vesting_NotClone.selector);
        implementation.beneficiary();
        vm.expectRevert(IVesting.Vesting_NotClone.selector);
        implementation.cliff();
        vm.expectRevert(IVesting.Vesting_NotClone.selector);
        implementation.end();
    }

    function test_WhenTheBeneficiaryIsZero() external {
        vm.expectRevert(abi.encodeWithSelector(IVestingFactory.VestingFactory_InvalidBeneficiary.selector, address(0)));
        vestings.create(address(0), CLIFF, END, SALT);
    }

    function test_WhenTheEndIsNotAfterTheCliff() external {
        uint40[3] memory ends = [CLIFF, CLIFF - 1, 0];
        for (uint256 i; i < 3; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IVestingFactory.VestingFactory_InvalidDates.selector, CLIFF, ends[i])
            );
            vestings.create(alice, CLIFF, ends[i], SALT);
        }
        vestings.create(alice, CLIFF, CLIFF + 1, SALT);
    }

    function test_WhenTheTermsAreValid() external {
        address predicted = vestings.predict(alice, CLIFF, END, SALT);
        bytes memory code = _runtimeCode(alice, CLIFF, END);
        bytes memory creationCode = bytes.concat(hex"61004b80600a3d393df3", code);
        assertEq(predicted, vm.computeCreate2Address(SALT, keccak256(creationCode), address(vestings)));
        assertFalse(vestings.isVesting(predicted));
        vm.expectEmit(address(vestings));
        emit IVestingFactory.VestingCreated(predicted, alice, SALT, CLIFF, END);
        vm.prank(stranger);
        assertEq(vestings.create(alice, CLIFF, END, SALT), predicted);
        assertTrue(vestings.isVesting(predicted));
        assertEq(predicted.code, code);
        _assertTerms(predicted, alice, CLIFF, END);
    }

    function test_WhenTheDatesAreInThePast() external {
        vm.warp(END + 1);
        _assertTerms(vestings.create(alice, CLIFF, END, SALT), alice, CLIFF, END);
    }

    function test_WhenTheDatesAreTheFirstAndTheLast() external {
        address last = address(type(uint160).max);
        _assertTerms(vestings.create(last, 0, type(uint40).max, SALT), last, 0, type(uint40).max);
        address first = address(1);
        _assertTerms(vestings.create(first, 0, 1, SALT), first, 0, 1);
    }

    function test_WhenTheVestingExists() external {
        vm.prank(stranger);
        address first = vestings.create(alice, CLIFF, END, SALT);
        vm.recordLogs();
        assertEq(vestings.create(alice, CLIFF, END, SALT), first);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
    }

    function test_WhenAnyArgumentDiffers() external {
        address first = vestings.create(alice, CLIFF, END, SALT);
        assertNotEq(vestings.create(stranger, CLIFF, END, SALT), first);
        assertNotEq(vestings.create(alice, CLIFF + 1, END, SALT), first);
        assertNotEq(vestings.create(alice, CLIFF, END + 1, SALT), first);
        assertNotEq(vestings.create(alice, CLIFF, END, bytes32(uint256(SALT) + 1)), first);
    }

    function test_WhenTheAddressHasABalance() external {
        address predicted = vestings.predict(alice, CLIFF, END, SALT);
        token.mint(predicted, 1_000);
        vm.warp(CLIFF + 25 days);
        vestings.create(alice, CLIFF, END, SALT);
        assertEq(IVesting(predicted).release(address(token)), 250);
    }

    /// @dev An address that is taken can only come from a chain that breaks CREATE2.
    function test_WhenTheAddressIsTaken() external {
        address predicted = vestings.predict(alice, CLIFF, END, SALT);
        vm.etch(predicted, hex"00");
        vm.expectRevert(abi.encodeWithSelector(IVestingFactory.VestingFactory_CreationFailed.selector, predicted));
        vestings.create(alice, CLIFF, END, SALT);
        assertFalse(vestings.isVesting(predicted));
    }

    function _assertTerms(address created, address beneficiary, uint40 cliff, uint40 end) private view {
        assertEq(IVesting(created).beneficiary(), beneficiary);
        assertEq(IVesting(created).cliff(), cliff);
        assertEq(IVesting(created).end(), end);
    }

    /// @dev The documented layout, without the library.
    function _runtimeCode(address beneficiary, uint40 cliff, uint40 end) private view returns (bytes memory) {
        return bytes.concat(
            hex"363d3d373d3d3d363d73",
            bytes20(vestings.IMPLEMENTATION()),
            hex"5af43d82803e903d91602b57fd5bf3",
            bytes20(beneficiary),
            bytes5(cliff),
            bytes5(end)
        );
    }
}
