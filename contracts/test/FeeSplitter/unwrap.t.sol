// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {GasBurningPayee, ReenteringPayee, RevertingPayee} from "../utils/TestTokens.sol";

contract FeeSplitterUnwrapTest is SplitterTest {
    IFeeSplitter private splitter;
    address private vault = makeAddr("vault");
    /// @dev A contract that accepts native.
    address private account;

    function setUp() public override {
        super.setUp();
        account = address(new ReenteringPayee());
        splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
    }

    function test_WhenTheReceiverHasNoCode() external {
        assertEq(splitter.claimable(UNWRAPPED, alice), 700);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(weth), alice, alice, 700, true);
        vm.prank(stranger);
        assertEq(release(address(splitter), UNWRAPPED, alice), 700);
        assertEq(alice.balance, 700);
        assertEq(weth.balanceOf(alice), 0);
        assertEq(weth.balanceOf(address(splitter)), 300);
        assertEq(address(splitter).balance, 0);
        assertEq(splitter.released(address(weth), alice), 700, "booked as wrapped native");
        assertEq(splitter.totalReleased(address(weth)), 700);
        assertEq(splitter.released(UNWRAPPED, alice), 700, "the same figure for both addresses");
        assertEq(splitter.totalReleased(UNWRAPPED), 700);
        assertEq(splitter.released(NATIVE, alice), 0);
        assertEq(splitter.claimable(UNWRAPPED, bob), 300);
        assertEq(splitter.claimable(NATIVE, bob), 0);
    }

    /// @dev The account has only a delegation (EIP-7702). It counts as an account without code.
    function test_WhenTheReceiverDelegatesToCodeThatRejectsNative() external {
        vm.etch(alice, bytes.concat(hex"ef0100", bytes20(address(new RevertingPayee()))));
        vm.expectCall(alice, 700, "");
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(weth), alice, alice, 700, false);
        vm.prank(stranger);
        release(address(splitter), UNWRAPPED, alice);
        assertEq(weth.balanceOf(alice), 700);
        assertEq(alice.balance, 0);
        assertEq(address(splitter).balance, 0, "wrapped again");
        assertEq(weth.balanceOf(address(splitter)), 300);
    }

    function test_WhenAStrangerCallsAndTheReceiverHasCode() external {
        splitter = IFeeSplitter(deployPair(account, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        vm.expectCall(account, 700, "", 0);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(weth), account, account, 700, false);
        vm.prank(stranger);
        release(address(splitter), UNWRAPPED, account);
        assertEq(weth.balanceOf(account), 700);
        assertEq(account.balance, 0);
    }

    function test_WhenAStrangerCallsAndThePayoutHasCode() external {
        vm.prank(alice);
        splitter.setPayout(account);
        vm.prank(stranger);
        release(address(splitter), UNWRAPPED, alice);
        assertEq(weth.balanceOf(account), 700);
    }

    function test_WhenAStrangerCallsAndOnlyThePayeeHasCode() external {
        splitter = IFeeSplitter(deployPair(account, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        vm.prank(account);
        splitter.setPayout(vault);
        vm.prank(stranger);
        release(address(splitter), UNWRAPPED, account);
        assertEq(vault.balance, 700, "the receiver decides");
    }

    function test_WhenThePayeeWithCodeCallsItself() external {
        splitter = IFeeSplitter(deployPair(account, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        vm.prank(account);
        release(address(splitter), UNWRAPPED, account);
        assertEq(account.balance, 700);
        fundWrapped(address(splitter), 1_000);
        vm.prank(account);
        splitter.releaseTo(one(UNWRAPPED), vault);
        assertEq(vault.balance, 700);
    }

    function test_WhenAnotherPayeeCallsAndTheReceiverHasCode() external {
        splitter = IFeeSplitter(deployPair(account, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        vm.prank(bob);
        release(address(splitter), UNWRAPPED, account);
        assertEq(weth.balanceOf(account), 700);
    }

    function test_WhenTheReceiverHas23BytesOfOtherCode() external {
        bytes[2] memory codes = [bytes(hex"ef02000000000000000000000000000000000000000000"), new bytes(23)];
        address[2] memory payees = [alice, bob];
        for (uint256 i; i < 2; ++i) {
            vm.etch(payees[i], codes[i]);
            assertEq(payees[i].code.length, 23);
            vm.expectCall(payees[i], "", 0);
            vm.prank(stranger);
            release(address(splitter), UNWRAPPED, payees[i]);
            assertEq(weth.balanceOf(payees[i]), i == 0 ? 700 : 300);
        }
    }

    function test_WhenThePushFails() external {
        address[2] memory broken = [address(new RevertingPayee()), address(new GasBurningPayee())];
        for (uint256 i; i < 2; ++i) {
            fundWrapped(address(splitter), 1_000);
            uint256 claim = splitter.claimable(address(weth), alice);
            vm.expectEmit(address(splitter));
            emit IFeeSplitter.Released(address(weth), alice, broken[i], claim, false);
            vm.prank(alice);
            splitter.releaseTo{gas: 10_000_000}(one(UNWRAPPED), broken[i]);
            assertEq(weth.balanceOf(broken[i]), claim, "wrapped again");
            assertEq(broken[i].balance + address(splitter).balance, 0);
        }
        assertEq(splitter.claimable(UNWRAPPED, bob), 900);
    }

    function test_WhenWrappedAndUnwrappedAreListedTogether() external {
        vm.deal(address(splitter), 100);
        address[] memory assets = new address[](4);
        (assets[0], assets[1], assets[2], assets[3]) = (UNWRAPPED, address(weth), UNWRAPPED, NATIVE);
        uint256[] memory amounts = splitter.release(assets, alice);
        assertEq(abi.encode(amounts[0], amounts[1], amounts[2], amounts[3]), abi.encode(700, 0, 0, 70));
        assertEq(alice.balance, 770);
        assertEq(address(splitter).balance, 30, "donated native is not touched by the unwrapping");
        assertEq(weth.balanceOf(address(splitter)), 300);
    }

    function test_WhenTheReceiverReEnters() external {
        ReenteringPayee payee = new ReenteringPayee();
        splitter = IFeeSplitter(deployPair(address(payee), 5_000, bob));
        fundWrapped(address(splitter), 1_000);
        payee.arm(address(splitter), abi.encodeCall(splitter.release, (one(UNWRAPPED), bob)));
        vm.prank(address(payee));
        splitter.releaseTo(one(UNWRAPPED), address(payee));
        // The push failed with the re-entrant call: the payee has wrapped native, and Bob's claim is untouched.
        assertEq(weth.balanceOf(address(payee)), 500);
        assertEq(splitter.claimable(UNWRAPPED, bob), 500);
        assertEq(bob.balance, 0);
    }
}
