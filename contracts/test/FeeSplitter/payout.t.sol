// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {PlainToken, ReenteringPayee, RevertingPayee} from "../utils/TestTokens.sol";

contract FeeSplitterPayoutTest is SplitterTest {
    IFeeSplitter private splitter;
    PlainToken private token;
    address private vault = makeAddr("vault");

    function setUp() public override {
        super.setUp();
        token = new PlainToken(18);
        splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
    }

    function test_WhenTheCallerOfSetPayoutIsNotAPayee() external {
        address[3] memory callers = [stranger, address(splitter), address(weth)];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, callers[i]));
            vm.prank(callers[i]);
            splitter.setPayout(vault);
        }
    }

    function test_WhenThePayoutIsTheSplitterItself() external {
        vm.expectRevert(
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayout.selector, address(splitter))
        );
        vm.prank(alice);
        splitter.setPayout(address(splitter));
        assertEq(splitter.payoutOf(alice), address(0));
    }

    function test_WhenAPayeeSetsAPayout() external {
        token.mint(address(splitter), 1_000);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.PayoutChanged(alice, vault);
        vm.prank(alice);
        splitter.setPayout(vault);
        assertEq(splitter.payoutOf(alice), vault);
        assertEq(splitter.payoutOf(bob), address(0));

        // Also what was claimable before, whichever account calls it.
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(token), alice, vault, 700, false);
        vm.prank(stranger);
        assertEq(splitter.release(one(address(token)), alice)[0], 700);
        assertEq(token.balanceOf(vault), 700);
        assertEq(token.balanceOf(alice), 0);
        assertEq(splitter.released(address(token), alice), 700, "booked for the payee");
        assertEq(splitter.shareOf(vault), 0);
        vm.deal(address(splitter), 1_000);
        splitter.release(one(NATIVE), alice);
        assertEq(vault.balance, 700);
        splitter.release(one(address(token)), bob);
        assertEq(token.balanceOf(bob), 300, "the other payee is not affected");
    }

    function test_WhenAPayeeSetsThePayoutToZero() external {
        vm.startPrank(alice);
        splitter.setPayout(vault);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.PayoutChanged(alice, address(0));
        splitter.setPayout(address(0));
        vm.stopPrank();
        token.mint(address(splitter), 1_000);
        splitter.release(one(address(token)), alice);
        assertEq(token.balanceOf(alice), 700);
    }

    function test_WhenAPayeeSetsAnotherSplitterAsPayout() external {
        IFeeSplitter other = IFeeSplitter(deployPair(stranger, 4_000, vault));
        vm.prank(alice);
        splitter.setPayout(address(other));
        token.mint(address(splitter), 1_000);
        vm.deal(address(splitter), 1_000);
        splitter.release(two(address(token), NATIVE), alice);
        other.release(two(address(token), NATIVE), vault);
        assertEq(token.balanceOf(vault), 420);
        assertEq(vault.balance, 420);
    }

    function test_WhenThePayoutOfOneSplitterIsSet() external {
        IFeeSplitter other = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.prank(alice);
        splitter.setPayout(vault);
        token.mint(address(other), 1_000);
        other.release(one(address(token)), alice);
        assertEq(token.balanceOf(alice), 700);
    }

    function test_WhenTheCallerOfReleaseToIsNotAPayee() external {
        token.mint(address(splitter), 1_000);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, stranger));
        vm.prank(stranger);
        splitter.releaseTo(one(address(token)), alice);
    }

    function test_WhenTheReceiverOfReleaseToIsZeroOrTheSplitter() external {
        address[2] memory invalid = [address(0), address(splitter)];
        vm.startPrank(alice);
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayout.selector, invalid[i]));
            splitter.releaseTo(one(address(token)), invalid[i]);
        }
    }

    function test_WhenAPayeeReleasesToAnAccount() external {
        token.mint(address(splitter), 1_000);
        vm.deal(address(splitter), 2_000);
        vm.startPrank(alice);
        splitter.setPayout(bob);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(token), alice, vault, 700, false);
        uint256[] memory amounts = splitter.releaseTo(two(address(token), NATIVE), vault);
        vm.stopPrank();
        assertEq(amounts[0], 700);
        assertEq(amounts[1], 1_400);
        assertEq(token.balanceOf(vault), 700);
        assertEq(vault.balance, 1_400);
        assertEq(token.balanceOf(bob), 0, "the payout is ignored");
        assertEq(splitter.payoutOf(alice), bob, "and stays");
        assertEq(splitter.claimable(address(token), bob), 300);
    }

    function test_WhenTheReceiverCannotReceive() external {
        address broken = address(new RevertingPayee());
        vm.deal(address(splitter), 1_000);
        bytes memory reason =
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_TransferFailed.selector, NATIVE, broken, 700);
        vm.startPrank(alice);
        vm.expectRevert(reason);
        splitter.releaseTo(one(NATIVE), broken);
        splitter.setPayout(broken);
        vm.expectRevert(reason);
        splitter.release(one(NATIVE), alice);
        assertEq(splitter.claimable(NATIVE, alice), 700);
        splitter.releaseTo(one(NATIVE), vault);
        assertEq(vault.balance, 700);
    }

    function test_WhenTheReceiverReEnters() external {
        ReenteringPayee payee = new ReenteringPayee();
        splitter = IFeeSplitter(deployPair(address(payee), 5_000, bob));
        vm.deal(address(splitter), 1 ether);
        payee.arm(address(splitter), abi.encodeCall(splitter.releaseTo, (one(NATIVE), vault)));
        vm.expectPartialRevert(IFeeSplitter.FeeSplitter_TransferFailed.selector);
        splitter.release(one(NATIVE), address(payee));
        vm.expectPartialRevert(IFeeSplitter.FeeSplitter_TransferFailed.selector);
        vm.prank(address(payee));
        splitter.releaseTo(one(NATIVE), address(payee));
        assertEq(address(splitter).balance, 1 ether);
    }
}
