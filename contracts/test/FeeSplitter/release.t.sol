// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {SafeCastLib} from "solady/utils/SafeCastLib.sol";

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {PlainToken, ReenteringPayee, RevertingPayee} from "../utils/TestTokens.sol";

contract FeeSplitterReleaseTest is SplitterTest {
    IFeeSplitter private splitter;
    PlainToken private token;

    function setUp() public override {
        super.setUp();
        token = new PlainToken(18);
        splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
    }

    function test_WhenTheAccountIsNotAPayee() external {
        vm.deal(address(splitter), 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, address(this)));
        splitter.release(one(address(0)), address(this));
        assertEq(splitter.claimable(address(0), address(this)), 0);
    }

    function test_GivenNothingIsClaimable() external {
        vm.recordLogs();
        uint256[] memory amounts = splitter.release(_assets(), alice);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(amounts.length, 2);
        assertEq(amounts[0] + amounts[1], 0);
        assertEq(logs.length, 0);
        assertEq(splitter.release(new address[](0), alice).length, 0);
    }

    function test_GivenNativeAndATokenAreClaimable() external {
        vm.deal(address(splitter), 1_001);
        token.mint(address(splitter), 2_003);
        assertEq(splitter.claimable(address(0), alice), 700);
        assertEq(splitter.claimable(address(token), bob), 600);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(0), alice, alice, 700, false);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.Released(address(token), alice, alice, 1_402, false);
        uint256[] memory amounts = splitter.release(_assets(), alice);
        assertEq(amounts[0], 700);
        assertEq(amounts[1], 1_402);
        assertEq(alice.balance, 700);
        assertEq(token.balanceOf(alice), 1_402);
        assertEq(splitter.released(address(0), alice), 700);
        assertEq(splitter.totalReleased(address(token)), 1_402);
        assertEq(splitter.claimable(address(token), alice), 0);
        assertEq(splitter.claimable(address(token), bob), 600, "the claim of the other payee remains");
        splitter.release(_assets(), bob);
        assertEq(token.balanceOf(bob), 600);
        assertEq(token.balanceOf(address(splitter)), 1, "the remainder is below one unit for each payee");
        assertEq(splitter.totalReleased(address(token)), 2_002);
    }

    function test_WhenAnyoneCallsIt() external {
        vm.deal(address(splitter), 1 ether);
        vm.prank(bob);
        splitter.release(one(address(0)), alice);
        assertEq(alice.balance, 0.7 ether);
        assertEq(bob.balance, 0);
    }

    function test_WhenItIsCalledAgainAfterAnotherReceipt() external {
        uint256 received;
        for (uint256 i = 1; i < 30; ++i) {
            token.mint(address(splitter), i);
            received += i;
            if (i % 2 == 0) splitter.release(one(address(token)), bob);
            splitter.release(one(address(token)), alice);
            assertEq(token.balanceOf(alice), received * 7 / 10);
        }
        splitter.release(one(address(token)), bob);
        assertEq(token.balanceOf(bob), received * 3 / 10);
    }

    function test_WhenAnAssetIsListedTwice() external {
        token.mint(address(splitter), 1_000);
        address[] memory assets = new address[](2);
        (assets[0], assets[1]) = (address(token), address(token));
        uint256[] memory amounts = splitter.release(assets, alice);
        assertEq(amounts[0], 700);
        assertEq(amounts[1], 0);
    }

    function test_GivenManySmallReceipts() external {
        splitter = IFeeSplitter(deployPair(alice, 9_999, bob));
        for (uint256 i; i < 200; ++i) {
            token.mint(address(splitter), 100);
            splitter.release(one(address(token)), alice);
            splitter.release(one(address(token)), bob);
        }
        assertEq(token.balanceOf(bob), 2, "1 bp of 20,000");
        assertEq(token.balanceOf(alice), 19_998);
    }

    function test_GivenThePayeeCannotReceiveNative() external {
        address broken = address(new RevertingPayee());
        splitter = IFeeSplitter(deployPair(broken, 6_000, bob));
        vm.deal(address(splitter), 1 ether);
        vm.expectRevert(
            abi.encodeWithSelector(
                IFeeSplitter.FeeSplitter_TransferFailed.selector, address(0), broken, 0.6 ether
            )
        );
        splitter.release(one(address(0)), broken);
        splitter.release(one(address(0)), bob);
        assertEq(bob.balance, 0.4 ether);
        assertEq(splitter.claimable(address(0), broken), 0.6 ether);
    }

    function test_GivenTheAssetHasNoCode() external {
        assertEq(splitter.claimable(makeAddr("nothing"), alice), 0);
        assertEq(splitter.release(one(makeAddr("nothing")), alice)[0], 0);
    }

    function test_GivenTheAssetLostItsCode() external {
        token.mint(address(splitter), 1_000);
        splitter.release(one(address(token)), alice);
        vm.etch(address(token), "");
        // The balance is zero now. Bob's claim is 30% of the 700 that were released.
        assertEq(splitter.claimable(address(token), bob), 210);
        vm.expectRevert(
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_TransferFailed.selector, address(token), bob, 210)
        );
        splitter.release(one(address(token)), bob);
    }

    function test_GivenThePayeeReEnters() external {
        ReenteringPayee payee = new ReenteringPayee();
        splitter = IFeeSplitter(deployPair(address(payee), 5_000, bob));
        vm.deal(address(splitter), 1 ether);
        payee.arm(address(splitter), abi.encodeCall(splitter.release, (one(address(0)), address(payee))));
        vm.expectRevert(
            abi.encodeWithSelector(
                IFeeSplitter.FeeSplitter_TransferFailed.selector, address(0), address(payee), 0.5 ether
            )
        );
        splitter.release(one(address(0)), address(payee));
        payee.arm(address(0), "");
        splitter.release(one(address(0)), address(payee));
        assertEq(address(payee).balance, 0.5 ether);
    }

    function test_GivenThePayeesOfASharedSlot() external {
        // The amounts of two entries share a slot, for an odd and for an even number of them.
        for (uint256 count = 1; count <= 20; ++count) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(count);
            splitter = IFeeSplitter(deploySplitter(payees, shares));
            uint256 total;
            for (uint256 round = 1; round <= 2; ++round) {
                token.mint(address(splitter), 10_000);
                for (uint256 i; i < count; ++i) {
                    assertEq(splitter.release(one(address(token)), payees[i])[0], shares[i]);
                    total += shares[i];
                    assertEq(splitter.totalReleased(address(token)), total);
                    for (uint256 j; j < count; ++j) {
                        assertEq(splitter.released(address(token), payees[j]), shares[j] * (j <= i ? round : round - 1));
                    }
                }
            }
            assertEq(splitter.released(address(token), address(this)), 0);
            assertEq(splitter.released(address(0), payees[0]), 0);
        }
    }

    function test_WhenTheReleasedAmountExceeds128Bits() external {
        uint256 most = type(uint128).max;
        splitter = IFeeSplitter(deployPair(alice, 5_000, bob));
        token.mint(address(splitter), 2 * most + 2);
        vm.expectRevert(SafeCastLib.Overflow.selector);
        splitter.release(one(address(token)), alice);
        token.burn(address(splitter), 2);
        assertEq(splitter.release(one(address(token)), alice)[0], most);
        assertEq(splitter.totalReleased(address(token)), most);
        assertEq(splitter.released(address(token), bob), 0);
        // The total no longer fits. Another asset is not affected.
        vm.expectRevert(SafeCastLib.Overflow.selector);
        splitter.release(one(address(token)), bob);
        vm.deal(address(splitter), 1_000);
        assertEq(splitter.release(one(address(0)), bob)[0], 500);
    }

    function test_GivenTheBalanceOfTheAssetShrank() external {
        token.mint(address(splitter), 1_000);
        splitter.release(one(address(token)), alice);
        token.burn(address(splitter), 200);
        assertEq(splitter.claimable(address(token), alice), 0);
        assertEq(splitter.release(one(address(token)), alice)[0], 0);
        assertEq(splitter.claimable(address(token), bob), 240);
        token.mint(address(splitter), 200);
        assertEq(splitter.release(one(address(token)), bob)[0], 300);
    }

    function test_WhenNativeIsReceived() external {
        vm.deal(address(this), 1 ether);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.NativeReceived(address(this), 1 ether);
        (bool success,) = address(splitter).call{value: 1 ether}("");
        assertTrue(success);
    }

    function test_WhenTheWrappedNativeTokenSendsNative() external {
        vm.deal(address(weth), 1 ether);
        vm.recordLogs();
        vm.prank(address(weth));
        (bool success,) = address(splitter).call{value: 1 ether}("");
        assertTrue(success);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function _assets() private view returns (address[] memory assets) {
        assets = new address[](2);
        (assets[0], assets[1]) = (address(0), address(token));
    }
}
