// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";

/// @notice The quote asset refuses receivers, as a wrapped native token behind a proxy could.
contract FeeLockerPayOwedTest is LockerTest {
    address private constant TOKEN = address(1);

    AdverseToken private quote;
    StubPool private pool;
    address private splitter = makeAddr("splitter");

    function setUp() public override {
        super.setUp();
        quote = new AdverseToken(AdverseToken.Fault.Blocklist, 18);
        weth = IWrappedNative(address(quote));
        locker = deployLocker(treasury);
        Terms memory terms;
        (terms.splitter, terms.partner, terms.partnerShareBps) = (splitter, partner, 4_000);
        pool = lockWithStub(TOKEN, terms);
    }

    function test_GivenNothingIsOwed() external {
        vm.recordLogs();
        assertEq(locker.payOwed(address(quote), splitter), 0);
        assertEq(locker.payOwed(alice, bob), 0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 0);
    }

    function test_GivenASettlementCouldNotPayOneParty() external {
        address[3] memory parties = [splitter, treasury, partner];
        uint256[3] memory parts = [uint256(900), 60, 40];
        for (uint256 refused; refused < 3; ++refused) {
            uint256[3] memory before = _balances(parties);
            quote.setBlocked(parties[refused], true);
            _collect(1_000);
            vm.expectEmit(address(locker));
            emit IFeeLocker.PaymentOwed(TOKEN, address(quote), parties[refused], parts[refused]);
            vm.expectEmit(address(locker));
            emit IFeeLocker.Settled(TOKEN, address(quote), 900, 60, 40);
            locker.settle(TOKEN, one(address(quote)));
            uint256[3] memory current = _balances(parties);
            for (uint256 i; i < 3; ++i) {
                assertEq(current[i] - before[i], i == refused ? 0 : parts[i], "the others are paid");
                assertEq(locker.owed(address(quote), parties[i]), i == refused ? parts[i] : 0);
            }
            IFeeLocker.Ledger memory ledger = locker.ledgerOf(TOKEN, address(quote));
            assertEq(ledger.protocolCredit + ledger.partnerCredit + ledger.collaboratorsCredit, 0);
            quote.setBlocked(parties[refused], false);
            locker.payOwed(address(quote), parties[refused]);
        }
    }

    function test_GivenSeveralSettlementsCouldNotPayAParty() external {
        quote.setBlocked(splitter, true);
        for (uint256 i = 1; i <= 3; ++i) {
            _collect(1_000);
            locker.settle(TOKEN, one(address(quote)));
            assertEq(locker.owed(address(quote), splitter), 900 * i, "amounts add up");
        }
        quote.setBlocked(splitter, false);
        vm.expectEmit(address(locker));
        emit IFeeLocker.OwedPaid(address(quote), splitter, 2_700);
        vm.prank(makeAddr("stranger"));
        assertEq(locker.payOwed(address(quote), splitter), 2_700);
        assertEq(quote.balanceOf(splitter), 2_700);
        assertEq(quote.balanceOf(makeAddr("stranger")), 0);
        assertEq(locker.owed(address(quote), splitter), 0);
        assertEq(locker.payOwed(address(quote), splitter), 0, "it is paid once");
        assertEq(quote.balanceOf(address(locker)), 0);
    }

    function test_WhenTheTransferFailsAgain() external {
        quote.setBlocked(splitter, true);
        _collect(1_000);
        locker.settle(TOKEN, one(address(quote)));
        vm.expectRevert(
            abi.encodeWithSelector(IFeeLocker.FeeLocker_TransferFailed.selector, address(quote), splitter, 900)
        );
        locker.payOwed(address(quote), splitter);
        assertEq(locker.owed(address(quote), splitter), 900);
    }

    function test_GivenAnotherTreasuryHasAcceptedSince() external {
        quote.setBlocked(treasury, true);
        _collect(1_000);
        locker.settle(TOKEN, one(address(quote)));
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.prank(bob);
        locker.acceptTreasury();
        assertEq(locker.payOwed(address(quote), bob), 0);
        quote.setBlocked(treasury, false);
        assertEq(locker.payOwed(address(quote), treasury), 60);
        assertEq(quote.balanceOf(treasury), 60);
    }

    function test_WhenTheTokenReEnters() external {
        quote.setBlocked(splitter, true);
        _collect(1_000);
        locker.settle(TOKEN, one(address(quote)));
        quote.setBlocked(splitter, false);
        // The balance of another launch, which a second payment would take.
        quote.mint(address(locker), 5_000);
        quote.onTransferCall(address(locker), abi.encodeCall(locker.payOwed, (address(quote), splitter)));
        locker.payOwed(address(quote), splitter);
        assertEq(quote.balanceOf(splitter), 900);
    }

    /// @dev The stub reports fees without a transfer: the test pays them.
    function _collect(uint128 amount) private {
        pool.setCollected(0, amount);
        quote.mint(address(locker), amount);
        locker.collect(TOKEN);
    }

    function _balances(address[3] memory parties) private view returns (uint256[3] memory balances) {
        for (uint256 i; i < 3; ++i) {
            balances[i] = quote.balanceOf(parties[i]);
        }
    }
}
