// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {StationTest} from "../utils/StationTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice Emits an event on receipt.
contract AnnouncingWallet {
    event Announced();

    receive() external payable {
        emit Announced();
    }
}

/// @notice Moves one unit less than it reports.
contract OneLessToken is PlainToken(6) {
    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        return super.transferFrom(from, to, amount - 1);
    }
}

/// @notice Cases at the exact bounds of the station's conditions. Mutation testing asked for them.
contract StationBoundariesTest is StationTest {
    /// @dev Ids that differ in one bit, whichever it is, are different quotes. The last bits of a word are no exception.
    function test_AQuoteMarksNoOtherId() external {
        approveStation(type(uint256).max);
        bytes32[4] memory ids = [bytes32(0), bytes32(uint256(0xff)), bytes32(type(uint256).max), keccak256("id")];
        for (uint256 i; i < 4; ++i) {
            uint256 snapshot = vm.snapshotState();
            assertFalse(station.used(ids[i]));
            IGasStation.TopUp memory quote = createQuote(uint256(ids[i]));
            topUp(quote);
            assertTrue(station.used(ids[i]));
            expectTopUpRevert(quote, abi.encodeWithSelector(IGasStation.GasStation_QuoteUsed.selector, ids[i]));
            for (uint256 bit; bit < 256; ++bit) {
                assertFalse(station.used(bytes32(uint256(ids[i]) ^ (1 << bit))));
            }
            topUp(createQuote(uint256(ids[i]) ^ 1));
            topUp(createQuote(uint256(ids[i]) ^ (1 << 255)));
            vm.revertToState(snapshot);
        }
    }

    function test_AccountsAdjacentToPermittedCallersAreRefused() external {
        vm.prank(owner);
        station.proposeOwner(treasury);
        for (uint256 i; i < 2; ++i) {
            address caller = _getAdjacent(owner, i);
            bytes memory refusal = abi.encodeWithSelector(IGasStation.GasStation_NotOwner.selector, caller);
            vm.startPrank(caller);
            vm.expectRevert(refusal);
            station.setPaused(true);
            vm.expectRevert(refusal);
            station.setRelayer(caller);
            vm.expectRevert(refusal);
            station.setTreasury(caller);
            vm.expectRevert(refusal);
            station.withdrawFloat(caller, 1);
            vm.expectRevert(refusal);
            station.proposeOwner(caller);
            vm.stopPrank();
            caller = _getAdjacent(treasury, i);
            vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotProposedOwner.selector, caller));
            vm.prank(caller);
            station.acceptOwnership();
            IGasStation.TopUp memory quote = createQuote(1);
            bytes memory signature = sign(quote);
            caller = _getAdjacent(relayer, i);
            vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotRelayer.selector, caller));
            vm.prank(caller);
            station.topUp(quote, signature, noPermit());
        }
    }

    /// @dev Where several reasons refuse a quote, the first one is named: the token before the id, the id before the
    /// signature.
    function test_TheFirstOfSeveralRefusalsIsNamed() external {
        approveStation(type(uint256).max);
        topUp(createQuote(1));
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = stranger;
        expectTopUpRevert(quote, abi.encodeWithSelector(IGasStation.GasStation_InvalidAddress.selector, stranger));
        quote = createQuote(1);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_QuoteUsed.selector, bytes32(uint256(1))));
        topUp(quote, "", noPermit());
    }

    function test_TheTopUpIsAnnouncedAfterThePayout() external {
        approveStation(type(uint256).max);
        vm.etch(wallet, bytes.concat(hex"ef0100", bytes20(address(new AnnouncingWallet()))));
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        vm.recordLogs();
        topUp(quote, signature, noPermit());
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 3);
        assertEq(logs[0].emitter, address(dollar));
        assertEq(logs[1].emitter, wallet);
        assertEq(logs[2].emitter, address(station));
    }

    /// @dev The error names what arrived, whatever the treasury held and the wallet allowed before.
    function test_AnUnderpaymentIsNamedExactly() external {
        AdverseToken token = new AdverseToken(AdverseToken.Fault.FeeOnTransfer, 6);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = address(token);
        uint256[2] memory held = [uint256(0), 1_000e6];
        for (uint256 i; i < 2; ++i) {
            token.mint(wallet, 5e6);
            token.mint(treasury, held[i]);
            vm.prank(wallet);
            token.approve(address(station), i == 0 ? 2_000e6 : 5e6);
            expectTopUpRevert(
                quote, abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 5e6 - 5e6 / 100)
            );
        }
    }

    function test_OneUnitLessThanThePriceIsRefused() external {
        OneLessToken token = new OneLessToken();
        token.mint(wallet, 10e6);
        vm.prank(wallet);
        token.approve(address(station), type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = address(token);
        expectTopUpRevert(quote, abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 5e6 - 1));
        assertEq(wallet.balance, 0);
    }

    /// @dev A proposed owner has no power before it accepts.
    function test_TheProposedOwnerHasNoPower() external {
        vm.prank(owner);
        station.proposeOwner(stranger);
        bytes memory refusal = abi.encodeWithSelector(IGasStation.GasStation_NotOwner.selector, stranger);
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        station.proposeOwner(stranger);
        vm.expectRevert(refusal);
        station.setPaused(true);
        vm.expectRevert(refusal);
        station.setRelayer(stranger);
        vm.expectRevert(refusal);
        station.setTreasury(stranger);
        vm.expectRevert(refusal);
        station.withdrawFloat(stranger, 1);
        vm.stopPrank();
    }

    /// @dev The sum of the treasury's balance and the price must not wrap around: a token that moves nothing would have paid.
    function test_APriceNearTheGreatestNumberIsNotPaidByNothing() external {
        AdverseToken token = new AdverseToken(AdverseToken.Fault.FalseSuccess, 6);
        token.mint(treasury, 1);
        vm.prank(wallet);
        token.approve(address(station), type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        (quote.token, quote.tokenAmount) = (address(token), type(uint256).max);
        expectTopUpRevert(quote, abi.encodeWithSignature("Panic(uint256)", 0x11));
        assertEq(wallet.balance, 0);
    }

    function _getAdjacent(address account, uint256 side) private pure returns (address) {
        return address(side == 0 ? uint160(account) - 1 : uint160(account) + 1);
    }
}
