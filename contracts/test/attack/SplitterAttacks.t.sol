// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {
    GasBurningPayee, PlainToken, ReenteringPayee, ReturnBombPayee, RevertingPayee
} from "../utils/TestTokens.sol";

/// @notice Spends gas on receipt, by writing one slot.
contract SpendingPayee {
    uint256 private _count;

    receive() external payable {
        ++_count;
    }
}

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
        IFeeSplitter splitter = IFeeSplitter(this.createByFactory(payees, shares));
        (address[] memory storedPayees, uint16[] memory storedShares) = splitter.allocations();
        assertEq(abi.encode(storedPayees, storedShares), abi.encode(payees, shares));
        wrongBy = uint16(bound(wrongBy, 1, 20_000));
        shares[0] += wrongBy;
        vm.expectRevert(
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, uint256(10_000) + wrongBy)
        );
        this.createByFactory(payees, shares);
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

    /// @dev A contract with the code of a splitter whose creation wrote storage: the victim's part is paid to the attacker.
    /// The launch cannot see it. The record of the factory and the creation transaction's input can.
    function test_C8_22_PoisonedStorageHasTheRightCodeAndNoProof() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(2);
        address honest = deploySplitter(payees, shares);
        // payoutOf is in slot 1: mapping(address => address).
        bytes32 slot = keccak256(abi.encode(payees[0], 1));
        bytes memory poison = abi.encodePacked(hex"73", stranger, hex"7f", slot, hex"55");
        bytes memory tail = abi.encodePacked(hex"61", uint16(honest.code.length), hex"8060", uint8(poison.length + 10));
        bytes memory input = bytes.concat(poison, tail, hex"5f395ff3", honest.code);
        IFeeSplitter poisoned = IFeeSplitter(create(input));
        assertEq(address(poisoned).code, honest.code, "the code proves nothing about storage");
        PlainToken token = new PlainToken(18);
        token.mint(address(poisoned), 1_000);
        poisoned.release(one(address(token)), payees[0]);
        assertEq(token.balanceOf(stranger), 500, "the attack works on a splitter that no one verified");
        assertFalse(splitters.isSplitter(address(poisoned)), "the factory has no record of it");
        assertNotEq(keccak256(input), keccak256(splitters.creationCode(payees, shares)), "and the input is another one");
    }

    function test_C8_22_CreatingASplitterForSomebodyElseFirstChangesNothing() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        bytes32 salt = keccak256("draft");
        address predicted = splitters.predict(payees, shares, salt);
        fundWrapped(predicted, 10_000);
        vm.prank(stranger);
        assertEq(splitters.create(payees, shares, salt), predicted);
        vm.recordLogs();
        vm.prank(alice);
        assertEq(splitters.create(payees, shares, salt), predicted, "the victim's call succeeds");
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(release(predicted, address(weth), payees[0]), 3_333);
        // With the same salt, other allocations take another address.
        (payees[0], payees[1]) = (stranger, payees[0]);
        vm.prank(stranger);
        assertNotEq(splitters.create(payees, shares, salt), predicted);
    }

    function test_C8_22_NoGasLimitLeavesASplitterWithoutRecord() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(20);
        bytes memory call = abi.encodeCall(splitters.create, (payees, shares, keccak256("gas")));
        address predicted = splitters.predict(payees, shares, keccak256("gas"));
        uint256 successes;
        for (uint256 gas = 40_000; gas < 340_000; gas += 1_500) {
            uint256 snapshot = vm.snapshotState();
            (bool success,) = address(splitters).call{gas: gas}(call);
            assertEq(splitters.isSplitter(predicted), success);
            assertEq(predicted.code.length != 0, success);
            if (success) ++successes;
            vm.revertToState(snapshot);
        }
        assertGt(successes, 0);
    }

    function test_C8_24_NobodyElseMovesAPayeesPart() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(3);
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        fundWrapped(address(splitter), 30_000);
        address[4] memory callers = [stranger, payees[1], address(splitter), splitters.IMPLEMENTATION()];
        for (uint256 i; i < callers.length; ++i) {
            vm.startPrank(callers[i]);
            // As far as they succeed, these calls are about the caller's own part.
            _try(splitter, abi.encodeCall(splitter.setPayout, (callers[i])));
            _try(splitter, abi.encodeCall(splitter.releaseTo, (one(address(weth)), stranger)));
            _try(splitter, abi.encodeCall(splitter.release, (one(UNWRAPPED), callers[i])));
            vm.stopPrank();
            assertEq(splitter.payoutOf(payees[0]), address(0));
            assertEq(splitter.claimable(address(weth), payees[0]), 9_999);
        }
        vm.prank(stranger);
        splitter.release(one(address(weth)), payees[0]);
        assertEq(weth.balanceOf(payees[0]), 9_999);
    }

    function test_C8_24_APayoutToAnyContractHarmsOnlyItsPayee() external {
        PlainToken token = new PlainToken(18);
        address[6] memory payouts = [
            address(token),
            address(weth),
            splitters.IMPLEMENTATION(),
            address(splitters),
            address(1),
            address(new GasBurningPayee())
        ];
        for (uint256 i; i < payouts.length; ++i) {
            IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
            vm.prank(alice);
            splitter.setPayout(payouts[i]);
            token.mint(address(splitter), 1_000);
            fundWrapped(address(splitter), 1_000);
            vm.deal(address(splitter), 1_000);
            address[3] memory assets = [address(token), UNWRAPPED, NATIVE];
            for (uint256 j; j < 3; ++j) {
                _tryRelease(splitter, assets[j], alice);
            }
            // Native that is paid to the wrapped native token comes back to the splitter, for all payees.
            assertEq(splitter.release(one(address(token)), bob)[0], 300);
            assertEq(splitter.release(one(UNWRAPPED), bob)[0], payouts[i] == address(weth) ? 510 : 300);
            assertEq(splitter.release(one(NATIVE), bob)[0], 300);
        }
    }

    /// @dev Splitters that pay each other: every unit is paid once, and nothing is created.
    function test_C8_24_SplittersThatPayEachOtherConserve() external {
        address second = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        IFeeSplitter first = IFeeSplitter(deployPair(second, 6_000, alice));
        assertEq(deployPair(address(first), 5_000, bob), second);
        PlainToken token = new PlainToken(18);
        token.mint(address(first), 1_000_000);
        vm.deal(second, 1_000_000);
        for (uint256 i; i < 60; ++i) {
            address payer = i % 2 == 0 ? address(first) : second;
            address payee = i % 2 == 0 ? second : address(first);
            release(payer, address(token), payee);
            release(payer, NATIVE, payee);
        }
        release(address(first), address(token), alice);
        release(second, address(token), bob);
        release(address(first), NATIVE, alice);
        release(second, NATIVE, bob);
        // Without roundings: alice 0.4 / (1 - 0.3) of what the first one gets.
        assertApproxEqAbs(token.balanceOf(alice), 571_428, 3);
        assertApproxEqAbs(token.balanceOf(bob), 428_571, 3);
        assertLe(token.balanceOf(alice) + token.balanceOf(bob), 1_000_000);
        assertLe(alice.balance + bob.balance, 1_000_000);
        assertGe(alice.balance + bob.balance, 1_000_000 - 4);
    }

    /// @dev For every gas limit a release fails as a whole, or the payee has native or wrapped native, once.
    function test_C8_24_NoGasLimitLosesAnUnwrappedAmount() external {
        // A delegated account (EIP-7702) that spends 20,000 gas on receipt.
        vm.etch(alice, bytes.concat(hex"ef0100", bytes20(address(new SpendingPayee()))));
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        bytes memory call = abi.encodeCall(splitter.release, (one(UNWRAPPED), alice));
        uint256[3] memory outcomes;
        for (uint256 gas = 30_000; gas < 300_000; gas += 700) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(stranger);
            (bool success,) = address(splitter).call{gas: gas}(call);
            assertEq(alice.balance + weth.balanceOf(alice), success ? 700 : 0);
            assertEq(splitter.released(address(weth), alice), success ? 700 : 0);
            assertEq(address(splitter).balance, 0);
            assertEq(weth.balanceOf(address(splitter)), success ? 300 : 1_000);
            ++outcomes[success ? (alice.balance == 0 ? 1 : 2) : 0];
            vm.revertToState(snapshot);
        }
        assertGt(outcomes[0], 0, "some fail");
        assertGt(outcomes[2], 0, "some pay native");
    }

    /// @dev A stranger cannot make a contract receive native that it does not expect, also not by delegation.
    function test_C8_24_StrangersCannotPushNativeToAContract() external {
        address account = address(new ReturnBombPayee());
        IFeeSplitter splitter = IFeeSplitter(deployPair(account, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        address[3] memory callers = [stranger, bob, address(weth)];
        for (uint256 i; i < 3; ++i) {
            fundWrapped(address(splitter), 1_000);
            vm.prank(callers[i]);
            splitter.release(one(UNWRAPPED), account);
            assertEq(account.balance, 0);
            assertEq(weth.balanceOf(account), 1_400 + 700 * i);
        }
    }

    /// @dev WETH9 sends with 2,300 gas. Within a release the implementation is warm, so that this is enough. Other senders
    /// with 2,300 gas are refused: nothing is lost.
    /// forge-config: default.isolate = true
    function test_C8_24_TheStipendIsEnoughForTheWrappedNativeToken() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        fundWrapped(address(splitter), 1_000);
        splitter.release(one(UNWRAPPED), alice);
        assertEq(alice.balance, 700);
        vm.deal(address(this), 1_000);
        (bool success,) = address(splitter).call{value: 1_000, gas: 0}("");
        assertFalse(success, "a cold implementation costs more than the stipend");
        assertEq(address(this).balance, 1_000);
        (success,) = address(splitter).call{value: 1_000}("");
        assertTrue(success);
    }

    function test_C8_10_AssetThatIsAPrecompileOrTheSplitterPaysNothing() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.deal(address(splitter), 1_000);
        fundWrapped(address(splitter), 1_000);
        for (uint160 i = 1; i <= 10; ++i) {
            _tryRelease(splitter, address(i), alice);
        }
        _tryRelease(splitter, address(splitter), alice);
        _tryRelease(splitter, splitters.IMPLEMENTATION(), alice);
        _tryRelease(splitter, address(splitters), alice);
        assertEq(splitter.claimable(NATIVE, alice), 700);
        assertEq(splitter.claimable(address(weth), alice), 700);
        assertEq(alice.balance, 0);
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

    function _try(IFeeSplitter splitter, bytes memory call) private {
        (bool success,) = address(splitter).call(call);
        success;
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
