// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {StationTest} from "../utils/StationTest.sol";

contract GasStationTopUpTest is StationTest {
    function test_WhenTheCallerIsNotTheRelayer() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory signature = sign(quote);
        address[4] memory callers = [owner, treasury, wallet, stranger];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotRelayer.selector, callers[i]));
            vm.prank(callers[i]);
            station.topUp(quote, signature, noPermit());
        }
        assertNothingMoved();
    }

    function test_GivenTheStationIsPaused() external {
        approveStation(5e6);
        vm.prank(owner);
        station.setPaused(true);
        expectTopUpRevert(createQuote(1), abi.encodeWithSelector(IGasStation.GasStation_Paused.selector));
        vm.prank(owner);
        station.setPaused(false);
        topUp(createQuote(1));
    }

    function test_WhenTheDeadlinePassed() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        vm.warp(quote.deadline + 1);
        expectTopUpRevert(
            quote,
            abi.encodeWithSelector(IGasStation.GasStation_Expired.selector, quote.deadline, quote.deadline + 1)
        );
        vm.warp(quote.deadline);
        topUp(quote);
    }

    function test_WhenTheTokenAmountIsZero() external {
        IGasStation.TopUp memory quote = createQuote(1);
        quote.tokenAmount = 0;
        expectTopUpRevert(
            quote, abi.encodeWithSelector(IGasStation.GasStation_InvalidAmounts.selector, 0, quote.nativeAmount)
        );
    }

    function test_WhenTheNativeAmountIsZero() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.nativeAmount = 0;
        expectTopUpRevert(quote, abi.encodeWithSelector(IGasStation.GasStation_InvalidAmounts.selector, 5e6, 0));
    }

    function test_GivenTheQuoteIdWasUsed() external {
        approveStation(type(uint256).max);
        topUp(createQuote(1));
        assertTrue(station.used(bytes32(uint256(1))));
        IGasStation.TopUp memory other = createQuote(1);
        other.tokenAmount = 6e6;
        bytes memory reason = abi.encodeWithSelector(IGasStation.GasStation_QuoteUsed.selector, bytes32(uint256(1)));
        expectTopUpRevert(createQuote(1), reason);
        expectTopUpRevert(other, reason);
    }

    function test_WhenAnotherKeySigns() external {
        approveStation(5e6);
        (, uint256 otherKey) = makeAddrAndKey("other");
        IGasStation.TopUp memory quote = createQuote(1);
        _expectInvalid(quote, signWith(otherKey, quote));
    }

    function test_WhenAnyFieldDiffersFromTheSignedOne() external {
        approveStation(type(uint256).max);
        bytes memory signature = sign(createQuote(1));
        for (uint256 field; field < 6; ++field) {
            IGasStation.TopUp memory quote = createQuote(1);
            if (field == 0) quote.quoteId = bytes32(uint256(2));
            if (field == 1) quote.wallet = stranger;
            if (field == 2) quote.token = address(this);
            if (field == 3) quote.tokenAmount += 1;
            if (field == 4) quote.nativeAmount += 1;
            if (field == 5) quote.deadline += 1;
            _expectInvalid(quote, signature);
        }
        assertNothingMoved();
    }

    function test_WhenTheSignatureIsMalformed() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(walletKey, station.digestOf(quote));
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes32 highS = bytes32(order - uint256(s));
        _expectInvalid(quote, abi.encodePacked(r, highS, v == 27 ? uint8(28) : uint8(27)));
        _expectInvalid(quote, abi.encodePacked(r, s, v - 27));
        _expectInvalid(quote, abi.encodePacked(r, s, v, uint8(0)));
        _expectInvalid(quote, abi.encodePacked(r, s));
        _expectInvalid(quote, abi.encodePacked(r, bytes32(uint256(s) | (uint256(v - 27) << 255))));
        _expectInvalid(quote, "");
        topUp(quote, abi.encodePacked(r, s, v), noPermit());
    }

    function test_WhenTheWalletIsZeroAndTheSignatureRecoversNothing() external {
        IGasStation.TopUp memory quote = createQuote(1);
        quote.wallet = address(0);
        _expectInvalid(quote, abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(29)));
    }

    function test_GivenTheFloatIsInsufficient() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.nativeAmount = 10 ether + 1;
        expectTopUpRevert(
            quote,
            abi.encodeWithSelector(IGasStation.GasStation_InsufficientFloat.selector, 10 ether + 1, 10 ether)
        );
        quote.nativeAmount = 10 ether;
        topUp(quote);
        assertEq(wallet.balance, 10 ether);
    }

    function test_GivenTheAllowanceIsInsufficient() external {
        approveStation(5e6 - 1);
        expectTopUpRevert(
            createQuote(1),
            abi.encodeWithSelector(IGasStation.GasStation_InsufficientAllowance.selector, 5e6, 5e6 - 1)
        );
        assertNothingMoved();
        assertFalse(station.used(bytes32(uint256(1))), "the quote stays usable");
    }

    function test_GivenTheBalanceOfTheWalletIsInsufficient() external {
        approveStation(type(uint256).max);
        IGasStation.TopUp memory quote = createQuote(1);
        quote.tokenAmount = 1_000e6 + 1;
        expectTopUpRevert(
            quote,
            abi.encodeWithSelector(
                IGasStation.GasStation_PullFailed.selector, address(dollar), wallet, 1_000e6 + 1
            )
        );
    }

    function test_GivenTheAllowanceIsSufficient() external {
        approveStation(5e6);
        vm.expectEmit(address(station));
        emit IGasStation.ToppedUp(bytes32(uint256(1)), wallet, address(dollar), 5e6, 0.001 ether);
        vm.expectCall(address(dollar), abi.encodeWithSelector(dollar.permit.selector), 0);
        topUp(createQuote(1));
        assertEq(dollar.balanceOf(treasury), 5e6);
        assertEq(dollar.balanceOf(wallet), 995e6);
        assertEq(dollar.allowance(wallet, address(station)), 0);
        assertEq(wallet.balance, 0.001 ether);
        assertEq(address(station).balance, 10 ether - 0.001 ether);
    }

    function test_GivenAValidPermitAndNoAllowance() external {
        IGasStation.TopUp memory quote = createQuote(1);
        topUp(quote, sign(quote), signPermit(5e6));
        assertEq(dollar.balanceOf(treasury), 5e6);
        assertEq(dollar.allowance(wallet, address(station)), 0);
    }

    function test_GivenAnotherAccountHasSubmittedThePermit() external {
        IGasStation.TopUp memory quote = createQuote(1);
        IGasStation.Permit memory permit = signPermit(5e6);
        dollar.permit(wallet, address(station), 5e6, permit.deadline, permit.v, permit.r, permit.s);
        topUp(quote, sign(quote), permit);
        assertEq(wallet.balance, 0.001 ether);
    }

    function test_GivenThePermitIsInvalidAndTheAllowanceIsSufficient() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        IGasStation.Permit memory permit = signPermit(5e6);
        permit.value += 1;
        topUp(quote, sign(quote), permit);
        assertEq(wallet.balance, 0.001 ether);
    }

    function test_GivenTheWalletIsTheTreasury() external {
        approveStation(5e6);
        vm.prank(owner);
        station.setTreasury(wallet);
        expectTopUpRevert(createQuote(1), abi.encodeWithSelector(IGasStation.GasStation_UnderPaid.selector, 5e6, 0));
    }

    function test_WhenTheDigestIsRead() external view {
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Slipway Gas Station"),
                keccak256("1"),
                block.chainid,
                address(station)
            )
        );
        IGasStation.TopUp memory quote = createQuote(7);
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "TopUp(bytes32 quoteId,address wallet,address token,uint256 tokenAmount,uint256 nativeAmount,uint256 deadline)"
                ),
                quote.quoteId,
                quote.wallet,
                quote.token,
                quote.tokenAmount,
                quote.nativeAmount,
                quote.deadline
            )
        );
        assertEq(station.digestOf(quote), keccak256(abi.encodePacked(hex"1901", separator, structHash)));
    }

    function test_WhenTooLittleGasIsLeftForThePayout() external {
        approveStation(5e6);
        IGasStation.TopUp memory quote = createQuote(1);
        bytes memory call = abi.encodeCall(station.topUp, (quote, sign(quote), noPermit()));
        uint256 gasLeft;
        uint256 gas = 60_000;
        for (; gasLeft == 0; gas += 1_000) {
            gasLeft = _expectNotEnoughGas(call, gas);
        }
        // What the call spends before the payout is the same each time.
        uint256 enough = gas - 1_000 + 110_000 - gasLeft;
        assertEq(_expectNotEnoughGas(call, enough - 1), 109_999);
        vm.prank(relayer);
        (bool success,) = address(station).call{gas: enough}(call);
        assertTrue(success);
    }

    /// @return gasLeft What the error says was left; zero where the call failed before the payout.
    function _expectNotEnoughGas(bytes memory call, uint256 gas) private returns (uint256 gasLeft) {
        vm.prank(relayer);
        (bool success, bytes memory reason) = address(station).call{gas: gas}(call);
        assertFalse(success, "no call succeeds with less gas than the payout needs");
        assertNothingMoved();
        if (bytes4(reason) != IGasStation.GasStation_NotEnoughGas.selector) return 0;
        uint256 needed;
        (gasLeft, needed) = _decodeTwoNumbers(reason);
        assertEq(needed, 110_000);
    }

    /// @dev Decodes the two arguments of an error.
    function _decodeTwoNumbers(bytes memory reason) private pure returns (uint256 first, uint256 second) {
        assembly ("memory-safe") {
            first := mload(add(reason, 36))
            second := mload(add(reason, 68))
        }
    }

    function _expectInvalid(IGasStation.TopUp memory quote, bytes memory signature) private {
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_InvalidSignature.selector, quote.wallet));
        topUp(quote, signature, noPermit());
    }
}
