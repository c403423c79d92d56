// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {SafeCastLib} from "solady/utils/SafeCastLib.sol";

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";

contract FeeLockerCollectTest is LockerTest {
    function test_WhenTheTokenIsUnknown() external {
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_UnknownToken.selector, alice));
        locker.collect(alice);
    }

    function test_GivenNoFeesWereEarned() external {
        Launch memory launched = launchWith(true);
        vm.recordLogs();
        (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            assertNotEq(logs[i].emitter, address(locker));
        }
        assertEq(tokenAmount + quoteAmount, 0);
        _assertLedger(launched.token, launched.token, [uint256(0), 0, 0, 0]);
        _assertLedger(launched.token, address(weth), [uint256(0), 0, 0, 0]);
    }

    function test_GivenFeesOfOneAssetWereEarned() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWith(order == 0);
            uint256 bought = buy(launched, 1 ether);
            vm.expectEmit(address(locker));
            emit IFeeLocker.Collected(launched.token, 0, 0.01 ether - 1);
            locker.collect(launched.token);
            assertEq(locker.ledgerOf(launched.token, launched.token).collected, 0);
            sell(launched, bought);
            (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
            assertGt(tokenAmount, 0);
            assertEq(quoteAmount, 0);
            assertEq(locker.ledgerOf(launched.token, launched.token).collected, tokenAmount);
            assertEq(locker.ledgerOf(launched.token, address(weth)).collected, 0.01 ether - 1);
            sell(launched, buy(launched, 1 ether));
            (uint256 tokensAgain,) = locker.collect(launched.token);
            assertGt(tokensAgain, 0);
            assertEq(locker.ledgerOf(launched.token, launched.token).collected, tokenAmount + tokensAgain);
        }
    }

    function test_GivenAFeeOfOneBaseUnitWasEarned() external {
        for (uint256 asset; asset < 2; ++asset) {
            // Below and above the address of the wrapped native token.
            address token = address(asset == 0 ? 1 : type(uint160).max);
            StubPool pool = lockWithStub(token, _emptyTerms());
            pool.setCollected(1, 0);
            locker.collect(token);
            _assertLedger(token, asset == 0 ? token : address(weth), [uint256(1), 0, 0, 1]);
            _assertLedger(token, asset == 0 ? address(weth) : token, [uint256(0), 0, 0, 0]);
            pool.setCollected(0, 1);
            locker.collect(token);
            _assertLedger(token, asset == 0 ? address(weth) : token, [uint256(1), 0, 0, 1]);
        }
    }

    function test_GivenFeesOfBothAssetsWereEarnedAndTheTokenIsToken0() external {
        _collectBoth(true);
    }

    function test_GivenFeesOfBothAssetsWereEarnedAndTheTokenIsToken1() external {
        _collectBoth(false);
    }

    function test_GivenThePoolKeepsAProtocolFee() external {
        Launch memory launched = launchWithPartner(true, 2_500);
        setPoolProtocolFee(launched.pool, 6);
        buy(launched, 1.2 ether);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        // 1% minus a sixth of it.
        assertApproxEqAbs(quoteAmount, 0.01 ether, 2);
        uint256 protocolShare = quoteAmount / 10;
        _assertLedger(
            launched.token,
            address(weth),
            [quoteAmount, protocolShare - protocolShare / 4, protocolShare / 4, quoteAmount - protocolShare]
        );
    }

    function test_GivenTokensWereDonatedToTheLocker() external {
        Launch memory launched = launchWith(false);
        uint256 bought = buy(launched, 1 ether);
        locker.collect(launched.token);
        vm.prank(address(trader));
        (bool success,) =
            launched.token.call(abi.encodeWithSignature("transfer(address,uint256)", address(locker), bought));
        assertTrue(success);
        fundNative(address(locker), 3 ether);
        locker.collect(launched.token);
        assertEq(locker.ledgerOf(launched.token, launched.token).collected, 0);
        assertEq(locker.ledgerOf(launched.token, address(weth)).collected, 0.01 ether - 1);
    }

    function test_GivenManySmallCollections() external {
        Launch memory launched = launchWithPartner(true, 3_333);
        uint256 sum;
        for (uint256 i; i < 40; ++i) {
            // A fee of 3 to 6 base units: a tenth of a single one rounds to zero.
            buy(launched, 300 + 100 * (i % 4));
            (, uint256 quoteAmount) = locker.collect(launched.token);
            sum += quoteAmount;
            if (i % 3 == 0) locker.settle(launched.token, one(address(weth)));
        }
        locker.settle(launched.token, one(address(weth)));
        uint256 protocolShare = sum / 10;
        assertGt(protocolShare, 0);
        assertEq(balance(address(weth), partner), protocolShare * 3_333 / 10_000);
        assertEq(balance(address(weth), treasury), protocolShare - protocolShare * 3_333 / 10_000);
        assertEq(balance(address(weth), launched.splitter), sum - protocolShare);
    }

    function test_GivenAPositionWithAnotherFeeTier() external {
        for (uint256 i; i < 8; ++i) {
            uint16 feeBps = tiers()[i % 4];
            Launch memory launched = launchInTier(i < 4, feeBps);
            buy(launched, 10 ether);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            // The pool rounds the fee of each step of the swap up, and the position's part down.
            assertApproxEqAbs(quoteAmount, 10 ether * uint256(feeBps) / 10_000, 10, "the pool's fee");
            uint256 protocolShare = quoteAmount * 10 / feeBps;
            assertApproxEqAbs(protocolShare, 0.01 ether, 10, "10 bp of the volume at every tier");
            _assertLedger(
                launched.token, address(weth), [quoteAmount, protocolShare, 0, quoteAmount - protocolShare]
            );
        }
    }

    function test_WhenATotalExceeds120Bits() external {
        StubPool pool = lockWithStub(address(1), _emptyTerms());
        uint128 most = type(uint120).max;
        uint128[2][3] memory tooMuch = [[most + 1, uint128(0)], [uint128(0), most + 1], [type(uint128).max, 1]];
        for (uint256 i; i < 3; ++i) {
            pool.setCollected(tooMuch[i][0], tooMuch[i][1]);
            vm.expectRevert(SafeCastLib.Overflow.selector);
            locker.collect(address(1));
        }
        pool.setCollected(most, most);
        locker.collect(address(1));
        assertEq(locker.ledgerOf(address(1), address(1)).collected, most);
        assertEq(locker.ledgerOf(address(1), address(weth)).collected, most);
        pool.setCollected(0, 1);
        vm.expectRevert(SafeCastLib.Overflow.selector);
        locker.collect(address(1));
    }

    function test_WhenAnyoneCollects() external {
        Launch memory launched = launchWithPartner(true, 100);
        makeFees(launched);
        vm.prank(bob);
        locker.collect(launched.token);
        address[5] memory accounts = [bob, treasury, partner, launched.splitter, creator];
        for (uint256 i; i < accounts.length; ++i) {
            assertEq(balance(address(weth), accounts[i]), 0);
            assertEq(balance(launched.token, accounts[i]), 0);
        }
    }

    function test_WhenTheLedgerOfAnUnknownAssetIsRead() external {
        Launch memory launched = launchWith(true);
        Launch memory other = launchWith(false);
        makeFees(launched);
        makeFees(other);
        locker.collect(launched.token);
        _assertLedger(launched.token, other.token, [uint256(0), 0, 0, 0]);
        _assertLedger(other.token, other.token, [uint256(0), 0, 0, 0]);
        _assertLedger(alice, address(weth), [uint256(0), 0, 0, 0]);
    }

    function _collectBoth(bool tokenIsToken0) private {
        Launch memory launched = launchWithPartner(tokenIsToken0, 5_000);
        uint256 bought = buy(launched, 1 ether);
        sell(launched, bought);
        uint256 tokenBefore = balance(launched.token, address(locker));
        (uint256 tokenAmount, uint256 quoteAmount) = locker.collect(launched.token);
        assertEq(quoteAmount, 0.01 ether - 1);
        assertApproxEqRel(tokenAmount, bought / 100, 1e6);
        assertEq(balance(launched.token, address(locker)) - tokenBefore, tokenAmount, "the locker holds the fees");
        assertEq(balance(address(weth), address(locker)), quoteAmount);
        uint256 side = quoteAmount / 10;
        _assertLedger(
            launched.token, address(weth), [quoteAmount, side - side / 2, side / 2, quoteAmount - side]
        );
        side = tokenAmount / 10;
        _assertLedger(
            launched.token, launched.token, [tokenAmount, side - side / 2, side / 2, tokenAmount - side]
        );
    }

    function _emptyTerms() private view returns (Terms memory terms) {
        terms.splitter = alice;
    }

    /// @param expected Collected, protocol, partner, collaborators; nothing settled yet.
    function _assertLedger(address token, address asset, uint256[4] memory expected) private view {
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(token, asset);
        assertEq(ledger.collected, expected[0], "collected");
        assertEq(ledger.protocolTotal, expected[1], "protocol");
        assertEq(ledger.partnerTotal, expected[2], "partner");
        assertEq(ledger.collaboratorsTotal, expected[3], "collaborators");
        assertEq(ledger.protocolCredit, expected[1], "protocol credit");
        assertEq(ledger.partnerCredit, expected[2], "partner credit");
        assertEq(ledger.collaboratorsCredit, expected[3], "collaborators credit");
    }
}
