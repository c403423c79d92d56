// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {
    GasBurningPayee, PlainToken, ReenteringPayee, ReturnBombPayee, RevertingPayee
} from "../utils/TestTokens.sol";

contract SplitterAttacksTest is SplitterTest {
    function test_C8_06_BrokenPayeesDoNotBlockTheOthers() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(20);
        AdverseToken dollar = new AdverseToken(AdverseToken.Fault.Blocklist, 6);
        ReenteringPayee reentering = new ReenteringPayee();
        payees[3] = address(new RevertingPayee());
        payees[7] = address(new GasBurningPayee());
        payees[11] = address(reentering);
        payees[15] = address(new ReturnBombPayee());
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        dollar.setBlocked(payees[5], true);
        dollar.mint(address(splitter), 2_000e6);
        vm.deal(address(splitter), 20 ether);
        reentering.arm(address(splitter), abi.encodeCall(splitter.release, (one(address(0)), payees[0])));

        for (uint256 i; i < 20; ++i) {
            bool isPaid = _tryRelease(splitter, address(dollar), payees[i]);
            assertEq(isPaid, i != 5);
            assertEq(dollar.balanceOf(payees[i]), isPaid ? 100e6 : 0);
            isPaid = _tryRelease(splitter, address(0), payees[i]);
            assertEq(isPaid, i != 3 && i != 7 && i != 11, "native");
            assertEq(payees[i].balance, isPaid ? 1 ether : 0);
        }
        assertEq(splitter.claimable(address(dollar), payees[5]), 100e6, "the claim remains");
        dollar.setBlocked(payees[5], false);
        reentering.arm(address(0), "");
        assertTrue(_tryRelease(splitter, address(dollar), payees[5]));
        assertTrue(_tryRelease(splitter, address(0), payees[11]));
        assertEq(splitter.claimable(address(0), payees[3]), 1 ether);
    }

    function test_C8_06_ReturnBombCostsTheCallerLittle() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(address(new ReturnBombPayee()), 5_000, bob));
        vm.deal(address(splitter), 1 ether);
        // The payee pays for its own memory with the forwarded gas. The return data is not copied.
        splitter.release{gas: 4_000_000}(one(address(0)), address(_getFirstPayee(splitter)));
    }

    function testFuzz_C8_09_SplitterAcceptsExactlyTheValidAllocations(uint256 seed, uint8 count, uint16 wrongBy)
        external
    {
        count = uint8(bound(count, 1, 20));
        (address[] memory payees, uint16[] memory shares) = _random(seed, count);
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        (address[] memory storedPayees, uint16[] memory storedShares) = splitter.allocations();
        assertEq(abi.encode(storedPayees, storedShares), abi.encode(payees, shares));
        wrongBy = uint16(bound(wrongBy, 1, 20_000));
        shares[0] += wrongBy;
        vm.expectRevert(
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, uint256(10_000) + wrongBy)
        );
        this.deployExternally(payees, shares);
    }

    function testFuzz_C8_09_EveryShareVectorPaysTheExactAmount(uint256 seed, uint8 count, uint96 first, uint96 second)
        external
    {
        count = uint8(bound(count, 1, 20));
        (address[] memory payees, uint16[] memory shares) = _random(seed, count);
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        PlainToken token = new PlainToken(18);
        token.mint(address(splitter), first);
        splitter.release(one(address(token)), payees[seed % count]);
        token.mint(address(splitter), second);
        uint256 received = uint256(first) + second;
        uint256 paid;
        for (uint256 i; i < count; ++i) {
            splitter.release(one(address(token)), payees[i]);
            assertEq(token.balanceOf(payees[i]), received * shares[i] / 10_000);
            paid += token.balanceOf(payees[i]);
        }
        assertLe(received - paid, count - 1, "the remainder is below one unit for each payee");
    }

    /// @dev Every vector of three shares that are multiples of 1,000 bps, and every amount up to 12.
    function test_C8_09_EverySmallShareVectorIsExact() external {
        PlainToken token = new PlainToken(18);
        for (uint256 a = 1; a < 10; ++a) {
            for (uint256 b = 1; a + b < 10; ++b) {
                address[] memory payees = new address[](3);
                uint16[] memory shares = new uint16[](3);
                for (uint256 i; i < 3; ++i) {
                    payees[i] = createPayee(i);
                }
                (shares[0], shares[1], shares[2]) =
                    (uint16(a * 1_000), uint16(b * 1_000), uint16((10 - a - b) * 1_000));
                IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
                _receiveOneByOne(splitter, token, payees, shares);
            }
        }
    }

    function test_C8_10_TokenWithoutReturnValueIsPaid() external {
        _assertPaid(AdverseToken.Fault.MissingReturn, 6);
    }

    function test_C8_10_TokensOfOddDecimalsApprovalRaceAndUint96ArePaid() external {
        _assertPaid(AdverseToken.Fault.None, 0);
        _assertPaid(AdverseToken.Fault.None, 36);
        _assertPaid(AdverseToken.Fault.ApprovalRace, 6);
        _assertPaid(AdverseToken.Fault.Uint96, 18);
    }

    function test_C8_10_TokenThatReturnsFalseKeepsTheClaim() external {
        _assertClaimRemains(AdverseToken.Fault.FalseReturn);
        _assertClaimRemains(AdverseToken.Fault.ReturnsTwo);
        _assertClaimRemains(AdverseToken.Fault.Paused);
        _assertClaimRemains(AdverseToken.Fault.EmptyRevert);
        // 31 bytes whose first word, padded, decodes as true.
        _assertClaimRemains(AdverseToken.Fault.ShortReturn);
    }

    function test_C8_10_FeeOnTransferTokenIsSplitByTheReceivedAmount() external {
        (IFeeSplitter splitter, AdverseToken token) = _createSplitterWithToken(AdverseToken.Fault.FeeOnTransfer, 18, 1_000);
        splitter.release(one(address(token)), alice);
        splitter.release(one(address(token)), bob);
        assertEq(token.balanceOf(alice), 700 - 7);
        assertEq(token.balanceOf(bob), 300 - 3);
    }

    function test_C8_10_CallbackTokenCannotReleaseTheSameReceiptTwice() external {
        (IFeeSplitter splitter, AdverseToken token) = _createSplitterWithToken(AdverseToken.Fault.Callback, 18, 1_000);
        token.onTransferCall(address(splitter), abi.encodeCall(splitter.release, (one(address(token)), bob)));
        vm.expectRevert();
        splitter.release(one(address(token)), alice);
        token.onTransferCall(address(0), "");
        splitter.release(one(address(token)), alice);
        splitter.release(one(address(token)), bob);
        assertEq(token.balanceOf(alice), 700);
        assertEq(token.balanceOf(bob), 300);
    }

    function test_C8_10_RebasingTokenLeavesLateClaimsUntilMoreArrives() external {
        (IFeeSplitter splitter, AdverseToken token) = _createSplitterWithToken(AdverseToken.Fault.Rebasing, 18, 1_000);
        splitter.release(one(address(token)), alice);
        token.rebase(50);
        assertEq(splitter.claimable(address(token), alice), 0);
        assertEq(splitter.claimable(address(token), bob), 255);
        vm.expectPartialRevert(IFeeSplitter.FeeSplitter_TransferFailed.selector);
        splitter.release(one(address(token)), bob);
        token.mint(address(splitter), 300);
        splitter.release(one(address(token)), bob);
    }

    function test_C8_12_ForcedNativeIsSplitLikeAnyReceipt() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.deal(address(splitter), 100);
        splitter.release(one(address(0)), alice);
        vm.deal(address(splitter), address(splitter).balance + 100);
        splitter.release(one(address(0)), alice);
        splitter.release(one(address(0)), bob);
        assertEq(alice.balance, 140);
        assertEq(bob.balance, 60);
    }

    function _receiveOneByOne(
        IFeeSplitter splitter,
        PlainToken token,
        address[] memory payees,
        uint16[] memory shares
    ) private {
        uint256[3] memory before;
        for (uint256 i; i < 3; ++i) {
            before[i] = token.balanceOf(payees[i]);
        }
        for (uint256 received = 1; received <= 12; ++received) {
            token.mint(address(splitter), 1);
            for (uint256 i; i < 3; ++i) {
                splitter.release(one(address(token)), payees[i]);
                assertEq(token.balanceOf(payees[i]) - before[i], received * shares[i] / 10_000);
            }
        }
    }

    function _createSplitterWithToken(AdverseToken.Fault fault, uint8 decimals, uint256 amount)
        private
        returns (IFeeSplitter splitter, AdverseToken token)
    {
        token = new AdverseToken(fault, decimals);
        splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        token.mint(address(splitter), amount);
    }

    function _assertPaid(AdverseToken.Fault fault, uint8 decimals) private {
        (IFeeSplitter splitter, AdverseToken token) = _createSplitterWithToken(fault, decimals, 1_000);
        splitter.release(one(address(token)), alice);
        assertEq(token.balanceOf(alice), 700);
        assertEq(splitter.claimable(address(token), bob), 300);
    }

    function _assertClaimRemains(AdverseToken.Fault fault) private {
        (IFeeSplitter splitter, AdverseToken token) = _createSplitterWithToken(fault, 6, 1_000);
        vm.expectRevert(
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_TransferFailed.selector, address(token), alice, 700)
        );
        splitter.release(one(address(token)), alice);
        assertEq(splitter.claimable(address(token), alice), 700);
        assertEq(splitter.released(address(token), alice), 0);
    }

    function _tryRelease(IFeeSplitter splitter, address asset, address payee) private returns (bool success) {
        (success,) = address(splitter).call{gas: 6_000_000}(abi.encodeCall(splitter.release, (one(asset), payee)));
    }

    function _getFirstPayee(IFeeSplitter splitter) private view returns (address) {
        (address[] memory payees,) = splitter.allocations();
        return payees[0];
    }

    function _random(uint256 seed, uint256 count)
        private
        pure
        returns (address[] memory payees, uint16[] memory shares)
    {
        payees = new address[](count);
        shares = new uint16[](count);
        uint256 remainder = 10_000;
        for (uint256 i; i < count; ++i) {
            payees[i] = createPayee(i);
            uint256 maxShare = remainder - (count - 1 - i);
            uint256 share = i + 1 == count ? remainder : 1 + uint256(keccak256(abi.encode(seed, i))) % maxShare;
            shares[i] = uint16(share);
            remainder -= share;
        }
    }
}
