// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {StationTest} from "../utils/StationTest.sol";
import {GasBurningPayee, ReenteringPayee, RevertingPayee} from "../utils/TestTokens.sol";

/// @notice A contract wallet that accepts every signature.
contract ContractWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }

    receive() external payable {}
}

contract StationAttacksTest is StationTest {
    function test_C7_07_SameQuoteFiftyTimesPaysOnce() external {
        approveStation(type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        topUp(quote);
        for (uint256 i; i < 49; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_QuoteUsed.selector, quote.quoteId));
            topUp(quote, signature, noPermit());
        }
        assertEq(dollar.balanceOf(treasury), 5e6);
    }

    function test_C7_08_ReplayOnAnotherChainOrStationIsRefused() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        vm.chainId(block.chainid + 1);
        _expectInvalid(quote, signature);
        vm.chainId(block.chainid - 1);
        IGasStation first = station;
        station = IGasStation(deploy("GasStation", abi.encode(owner, relayer, treasury)));
        vm.deal(address(station), 1 ether);
        approveStation(5e6);
        _expectInvalid(quote, signature);
        station = first;
        topUp(quote, signature, noPermit());
    }

    function test_C7_08_ContractWalletsAreRefused() external {
        IGasStation.TopUp memory quote = createQuote(1);
        quote.wallet = address(new ContractWallet());
        _expectInvalid(quote, sign(quote));
    }

    function testFuzz_C7_08_AnyOtherSignatureIsRefused(bytes32 r, bytes32 s, uint8 v) external {
        IGasStation.TopUp memory quote = createQuote(1);
        (uint8 goodV, bytes32 goodR, bytes32 goodS) = vm.sign(walletKey, station.digestOf(quote));
        vm.assume(r != goodR || s != goodS || v != goodV);
        _expectInvalid(quote, abi.encodePacked(r, s, v));
    }

    function test_C7_09_FrontRunPermitStillTopsUp() external {
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        IGasStation.Permit memory permit = signPermit(5e6);
        vm.prank(stranger);
        dollar.permit(wallet, address(station), permit.value, permit.deadline, permit.v, permit.r, permit.s);
        topUp(quote, signature, permit);
        assertEq(wallet.balance, 0.001 ether);
    }

    function test_C7_09_TokenWithoutPermitAndExpiredPermitFallBackToTheAllowance() external {
        AdverseToken token = _createToken(AdverseToken.Fault.None, 6);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = address(token);
        topUp(quote, sign(quote), signPermit(5e6));
        assertEq(token.balanceOf(treasury), 5e6);

        IGasStation.Permit memory expired = signPermit(5e6);
        vm.warp(expired.deadline + 1);
        quote = createQuote(2);
        bytes memory signature = sign(quote);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_InsufficientAllowance.selector, 5e6, 0));
        topUp(quote, signature, expired);
    }

    function test_C7_10_QuoteSignedByTheUserButNotIssuedIsRefused() external {
        approveStation(type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        (quote.tokenAmount, quote.nativeAmount) = (1, 10 ether);
        bytes memory signature = sign(quote);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotRelayer.selector, wallet));
        vm.prank(wallet);
        station.topUp(quote, signature, noPermit());
    }

    function test_C7_11_TokenMovedOrAllowanceRevokedBeforeInclusionOnlyReverts() external {
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        approveStation(5e6);
        approveStation(0);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_InsufficientAllowance.selector, 5e6, 0));
        topUp(quote, signature, noPermit());
        approveStation(5e6);
        vm.prank(wallet);
        dollar.transfer(stranger, 1_000e6);
        vm.expectRevert(
            abi.encodeWithSelector(IGasStation.GasStation_PullFailed.selector, address(dollar), wallet, 5e6)
        );
        topUp(quote, signature, noPermit());
        assertEq(address(station).balance, 10 ether);
        assertFalse(station.used(quote.quoteId));
    }

    function test_C7_12_WalletThatRevertsOrBurnsAllGasPaysNothing() external {
        bytes[2] memory codes = [address(new RevertingPayee()).code, address(new GasBurningPayee()).code];
        for (uint256 i; i < 2; ++i) {
            // The wallet delegates to code, as EIP-7702 allows.
            vm.etch(wallet, codes[i]);
            approveStation(5e6);
            IGasStation.TopUp memory quote = createQuote(1);
            bytes memory signature = sign(quote);
            uint256 gasBefore = gasleft();
            vm.expectRevert(
                abi.encodeWithSelector(IGasStation.GasStation_PayoutFailed.selector, wallet, 0.001 ether)
            );
            topUp(quote, signature, noPermit());
            assertLt(gasBefore - gasleft(), 400_000, "the wasted gas is capped");
            assertNothingMoved();
            assertFalse(station.used(quote.quoteId));
        }
    }

    function test_C7_12_WalletThatReEntersReverts() external {
        ReenteringPayee template = new ReenteringPayee();
        vm.etch(wallet, address(template).code);
        // Also if the wallet is the relayer.
        vm.prank(owner);
        station.setRelayer(wallet);
        relayer = wallet;
        approveStation(type(uint256).max);
        IGasStation.TopUp memory second = createQuote(2);
        bytes memory data = abi.encodeCall(station.topUp, (second, sign(second), noPermit()));
        ReenteringPayee(payable(wallet)).arm(address(station), data);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_PayoutFailed.selector, wallet, 0.001 ether));
        topUp(quote, signature, noPermit());
        assertEq(dollar.balanceOf(treasury), 0);
    }

    function test_C7_12_WalletWithCodeHasFiftyThousandGasAndTheStipend() external {
        // GAS PUSH1 0 SSTORE STOP: stores the gas left after the first instruction.
        vm.etch(wallet, hex"5a60005500");
        approveStation(5e6);
        topUp(createQuote(1));
        assertEq(uint256(vm.load(wallet, 0)), 50_000 + 2_300 - 2);
    }

    /// @dev For every gas limit, the payout has its full gas allowance or the whole call reverts.
    function test_C7_13_NoAmountOfGasTakesTheTokenWithoutPaying() external {
        vm.etch(wallet, address(new ContractWallet()).code);
        approveStation(5e6);
        bytes memory call = abi.encodeCall(station.topUp, (createQuote(1), sign(createQuote(1)), noPermit()));
        uint256 successes;
        for (uint256 gas = 40_000; gas < 320_000; gas += 2_000) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(relayer);
            (bool success,) = address(station).call{gas: gas}(call);
            assertEq(wallet.balance, success ? 0.001 ether : 0);
            assertEq(dollar.balanceOf(treasury), success ? 5e6 : 0);
            if (success) ++successes;
            vm.revertToState(snapshot);
        }
        assertGt(successes, 0);
    }

    function test_C7_13_OnlyTheRelayerMayChooseTheGas() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotRelayer.selector, stranger));
        vm.prank(stranger);
        station.topUp{gas: 200_000}(quote, signature, noPermit());
    }

    /// @dev The on-chain part of C7-14: the wallet's signature fixes both amounts, whatever the pool's price.
    function testFuzz_C7_14_RelayerCannotChangeTheSignedPrice(uint256 tokenAmount, uint256 nativeAmount) external {
        approveStation(type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        vm.assume(tokenAmount != quote.tokenAmount || nativeAmount != quote.nativeAmount);
        quote.tokenAmount = bound(tokenAmount, 1, type(uint256).max);
        quote.nativeAmount = bound(nativeAmount, 1, type(uint256).max);
        if (quote.tokenAmount == 5e6 && quote.nativeAmount == 0.001 ether) return;
        _expectInvalid(quote, signature);
    }

    /// @dev The on-chain part of C7-15: the same raw transaction twice, or a second one for the same quote, pays once.
    function test_C7_15_RebroadcastAfterACrashPaysOnce() external {
        approveStation(type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory call = abi.encodeCall(station.topUp, (quote, sign(quote), noPermit()));
        uint256 paid;
        for (uint256 i; i < 3; ++i) {
            vm.prank(relayer);
            (bool success,) = address(station).call(call);
            if (success) ++paid;
        }
        assertEq(paid, 1);
        assertEq(wallet.balance, 0.001 ether);
    }

    function test_C7_16_FeeOnTransferAndRebasingTokensAreRefused() external {
        AdverseToken token = _createToken(AdverseToken.Fault.FeeOnTransfer, 6);
        token.mint(treasury, 3e6);
        _expectTopUpRefused(
            token, abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 5e6 - 5e6 / 100)
        );
        token = _createToken(AdverseToken.Fault.FalseSuccess, 6);
        _expectTopUpRefused(token, abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 0));
        // A rebase during the transfer, by its hook.
        token = _createToken(AdverseToken.Fault.Callback, 6);
        token.mint(treasury, 1_000e6);
        token.onTransferCall(address(token), abi.encodeCall(token.rebase, (50)));
        _expectTopUpRefused(token, abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 0));
    }

    function test_C7_16_AddressWithoutCodeIsRefused() external {
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = makeAddr("no token");
        bytes memory signature = sign(quote);
        bytes memory reason = abi.encodeWithSelector(IGasStation.GasStation_InvalidAddress.selector, quote.token);
        vm.expectRevert(reason);
        topUp(quote, signature, noPermit());
        IGasStation.Permit memory permit = signPermit(5e6);
        vm.expectRevert(reason);
        topUp(quote, signature, permit);
    }

    function test_C7_16_PausedBlockingAndFalseReturningTokensAreRefused() external {
        AdverseToken.Fault[3] memory faults =
            [AdverseToken.Fault.Paused, AdverseToken.Fault.FalseReturn, AdverseToken.Fault.ReturnsTwo];
        for (uint256 i; i < 3; ++i) {
            AdverseToken token = _createToken(faults[i], 6);
            _expectTopUpRefused(token, _pullFailed(token));
        }
        AdverseToken blocking = _createToken(AdverseToken.Fault.Blocklist, 6);
        blocking.setBlocked(wallet, true);
        _expectTopUpRefused(blocking, _pullFailed(blocking));
    }

    function test_C7_16_AnyDecimalsMissingReturnUint96AndApprovalRaceAreExact() external {
        AdverseToken.Fault[4] memory faults = [
            AdverseToken.Fault.None,
            AdverseToken.Fault.MissingReturn,
            AdverseToken.Fault.Uint96,
            AdverseToken.Fault.ApprovalRace
        ];
        uint8[4] memory decimals = [6, 18, 24, 0];
        for (uint256 i; i < 4; ++i) {
            AdverseToken token = _createToken(faults[i], decimals[i]);
            IGasStation.TopUp memory quote = createQuote(100 + i);
            quote.token = address(token);
            topUp(quote);
            assertEq(token.balanceOf(treasury), 5e6);
        }
        assertEq(wallet.balance, 0.004 ether);
    }

    function test_C8_10_TokenThatReEntersDuringThePullIsRefused() external {
        AdverseToken token = _createToken(AdverseToken.Fault.Callback, 6);
        vm.prank(wallet);
        token.approve(address(station), 10e6);
        // A token that is the relayer cannot nest a second top-up in the first.
        vm.prank(owner);
        station.setRelayer(address(token));
        IGasStation.TopUp memory inner = createQuote(2);
        inner.token = address(token);
        token.onTransferCall(
            address(station), abi.encodeCall(station.topUp, (inner, sign(inner), noPermit()))
        );
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = address(token);
        bytes memory signature = sign(quote);
        vm.expectRevert(_pullFailed(token));
        vm.prank(address(token));
        station.topUp(quote, signature, noPermit());
    }

    function test_C8_12_ForcedNativeAddsToTheFloatAndDonatedTokensStay() external {
        vm.deal(address(station), address(station).balance + 1 ether);
        dollar.mint(address(station), 7e6);
        approveStation(5e6);
        topUp(createQuote(1));
        assertEq(dollar.balanceOf(address(station)), 7e6);
        vm.prank(owner);
        station.withdrawFloat(owner, 11 ether - 0.001 ether);
    }

    function _createToken(AdverseToken.Fault fault, uint8 decimals) private returns (AdverseToken token) {
        token = new AdverseToken(fault, decimals);
        token.mint(wallet, 1_000e6);
        vm.prank(wallet);
        token.approve(address(station), 5e6);
    }

    function _expectTopUpRefused(AdverseToken token, bytes memory reason) private {
        IGasStation.TopUp memory quote = createQuote(1);
        quote.token = address(token);
        expectTopUpRevert(quote, reason);
        assertEq(address(station).balance, 10 ether);
    }

    function _pullFailed(AdverseToken token) private view returns (bytes memory) {
        return abi.encodeWithSelector(IGasStation.GasStation_PullFailed.selector, address(token), wallet, 5e6);
    }

    function _expectInvalid(IGasStation.TopUp memory quote, bytes memory signature) private {
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_InvalidSignature.selector, quote.wallet));
        topUp(quote, signature, noPermit());
    }
}
