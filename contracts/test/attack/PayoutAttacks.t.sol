// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice A contract without any use for native, deployed after it was named as a payee.
contract LatePayee {
    function sendWrapped(address token, address to, uint256 amount) external {
        PlainToken(token).transfer(to, amount);
    }
}

contract PayoutAttacksTest is SplitterTest {
    /// @dev The key of a payee is stolen. The thief takes what is claimable and what comes, of this payee alone; as long as
    /// the owner still has the key too, each of them can put the payout elsewhere. No one else notices anything.
    function test_C8_27_AStolenKeyTakesOnePartAndNoOther() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(4);
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        fundWrapped(address(splitter), 40_000);
        vm.deal(address(splitter), 40_000);
        // The thief acts with the key of the payee.
        vm.startPrank(payees[0]);
        splitter.setPayout(stranger);
        splitter.releaseTo(two(address(weth), NATIVE), stranger);
        vm.stopPrank();
        assertEq(weth.balanceOf(stranger), 10_000);
        assertEq(stranger.balance, 10_000);
        fundWrapped(address(splitter), 40_000);
        for (uint256 i; i < 4; ++i) {
            splitter.release(two(address(weth), NATIVE), payees[i]);
        }
        assertEq(weth.balanceOf(stranger), 20_000, "later parts too");
        for (uint256 i = 1; i < 4; ++i) {
            assertEq(weth.balanceOf(payees[i]), 20_000);
            assertEq(payees[i].balance, 10_000);
            assertEq(splitter.payoutOf(payees[i]), address(0));
        }
        // The owner puts it back, and nothing of the time before is left to the thief.
        vm.prank(payees[0]);
        splitter.setPayout(address(0));
        fundWrapped(address(splitter), 40_000);
        vm.prank(stranger);
        splitter.release(one(address(weth)), payees[0]);
        assertEq(weth.balanceOf(payees[0]), 10_000);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, stranger));
        splitter.releaseTo(one(address(weth)), stranger);
    }

    /// @dev A payee sets the splitter of another launch as its payout, whose payee sets the first one: no loop pays anything
    /// twice, and the payees of neither lose. What arrives by a payout is split like any other receipt.
    function test_C8_27_PayoutsThatPointAtEachOtherConserve() external {
        IFeeSplitter first = IFeeSplitter(deployPair(alice, 6_000, createPayee(1)));
        IFeeSplitter second = IFeeSplitter(deployPair(bob, 5_000, createPayee(2)));
        vm.prank(alice);
        first.setPayout(address(second));
        vm.prank(bob);
        second.setPayout(address(first));
        PlainToken token = new PlainToken(18);
        token.mint(address(first), 1_000_000);
        vm.deal(address(first), 1_000_000);
        fundWrapped(address(first), 1_000_000);
        address[3] memory assets = [address(token), NATIVE, UNWRAPPED];
        for (uint256 i; i < 40; ++i) {
            for (uint256 j; j < 3; ++j) {
                first.release(one(assets[j]), alice);
                second.release(one(assets[j]), bob);
            }
        }
        for (uint256 j; j < 3; ++j) {
            first.release(one(assets[j]), createPayee(1));
            second.release(one(assets[j]), createPayee(2));
        }
        // 0.4 / (1 - 0.6 * 0.5) of the receipts, and 0.6 * 0.5 / 0.7.
        assertApproxEqAbs(token.balanceOf(createPayee(1)), 571_428, 3);
        assertApproxEqAbs(token.balanceOf(createPayee(2)), 428_571, 3);
        uint256 native = createPayee(1).balance + createPayee(2).balance;
        uint256 wrapped = weth.balanceOf(createPayee(1)) + weth.balanceOf(createPayee(2));
        assertLe(native + wrapped, 2_000_000);
        assertGe(native + wrapped, 2_000_000 - 8);
        assertEq(alice.balance + bob.balance + token.balanceOf(alice) + token.balanceOf(bob), 0);
    }

    /// @dev A payout that is set within the transaction of a release by somebody else: each release reads it once, before
    /// any call, and pays one account.
    function testFuzz_C8_27_EveryUnitIsPaidToThePayoutOfItsTime(uint256 seed) external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        PlainToken token = new PlainToken(18);
        address[4] memory receivers = [alice, stranger, createPayee(3), createPayee(4)];
        uint256[4] memory expected;
        uint256 current;
        uint256 paid;
        uint256 received;
        for (uint256 i; i < 24; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 action = seed % 4;
            if (action == 0) {
                token.mint(address(splitter), seed >> 240);
                received += seed >> 240;
            } else if (action == 1) {
                current = (seed >> 8) % 4;
                vm.prank(alice);
                splitter.setPayout(current == 0 ? address(0) : receivers[current]);
            } else {
                uint256 to = action == 2 ? current : (seed >> 8) % 4;
                if (action == 2) {
                    splitter.release(one(address(token)), alice);
                } else {
                    vm.prank(alice);
                    splitter.releaseTo(one(address(token)), receivers[to]);
                }
                expected[to] += received * 7 / 10 - paid;
                paid = received * 7 / 10;
            }
        }
        for (uint256 i; i < 4; ++i) {
            assertEq(token.balanceOf(receivers[i]), expected[i]);
        }
        assertEq(splitter.released(address(token), alice), paid);
    }

    /// @dev A payee whose contract does not exist yet counts as an account without code: a stranger can have it paid in
    /// native before. It is paid once, its address keeps what it got, and from its deployment on it gets wrapped native.
    function test_C8_28_APayeeWithoutItsCodeYetIsPaidOnceInEitherForm() external {
        bytes32 salt = keccak256("late");
        address late = vm.computeCreate2Address(salt, keccak256(type(LatePayee).creationCode), address(this));
        IFeeSplitter splitter = IFeeSplitter(deployPair(late, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        vm.prank(stranger);
        splitter.release(one(UNWRAPPED), late);
        assertEq(late.balance, 700);
        assertEq(splitter.claimable(address(weth), late), 0);
        assertEq(address(new LatePayee{salt: salt}()), late);
        fundWrapped(address(splitter), 1_000);
        vm.prank(stranger);
        splitter.release(one(UNWRAPPED), late);
        assertEq(late.balance, 700, "no native for code that did not ask for it");
        assertEq(weth.balanceOf(late), 700);
    }

    /// @dev A payee's part goes to its payout even if the payout is another payee, whose own part stays apart from it.
    function test_C8_28_APayoutToAnotherPayeeKeepsThePartsApart() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.prank(alice);
        splitter.setPayout(bob);
        PlainToken token = new PlainToken(18);
        token.mint(address(splitter), 1_000);
        splitter.release(one(address(token)), alice);
        assertEq(token.balanceOf(bob), 700);
        assertEq(splitter.released(address(token), bob), 0);
        assertEq(splitter.claimable(address(token), bob), 300);
        vm.prank(bob);
        splitter.setPayout(alice);
        splitter.release(one(address(token)), bob);
        assertEq(token.balanceOf(alice), 300);
        assertEq(splitter.claimable(address(token), alice) + splitter.claimable(address(token), bob), 0);
    }
}
