// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {StationTest} from "../utils/StationTest.sol";

/// @notice Calls of the relayer, the owner, wallets and other accounts on a gas station.
contract StationHandler is StationTest {
    uint256 public topUps;
    uint256 public tokensPaid;
    uint256 public nativePaid;
    uint256 public funded = 10 ether;
    uint256 public withdrawn;
    uint256 public minted = 1_000e6;
    uint256 public dollarsDonated;
    uint256 public forbiddenSuccesses;
    IGasStation.TopUp[] private _topUps;

    constructor() {
        setUp();
    }

    function buyGas(uint256 tokenAmount, uint256 nativeAmount, uint256 mode) external {
        IGasStation.TopUp memory quote = createQuote(topUps + 1);
        quote.tokenAmount = bound(tokenAmount, 1, 1_000_000e6);
        quote.nativeAmount = bound(nativeAmount, 1, 5 ether);
        dollar.mint(wallet, quote.tokenAmount);
        minted += quote.tokenAmount;
        if (address(station).balance < quote.nativeAmount) _fund(quote.nativeAmount);

        IGasStation.Permit memory permit;
        if (mode % 3 == 0) approveStation(quote.tokenAmount);
        else permit = signPermit(quote.tokenAmount);
        // Another account submits the permit first.
        if (mode % 3 == 2) {
            dollar.permit(wallet, address(station), permit.value, permit.deadline, permit.v, permit.r, permit.s);
        }
        topUp(quote, sign(quote), permit);
        ++topUps;
        tokensPaid += quote.tokenAmount;
        nativePaid += quote.nativeAmount;
        _topUps.push(quote);
    }

    function fund(uint256 amount) external {
        _fund(bound(amount, 0, 100 ether));
    }

    function withdraw(uint256 amount) external {
        amount = bound(amount, 0, address(station).balance);
        vm.prank(owner);
        station.withdrawFloat(owner, amount);
        withdrawn += amount;
    }

    /// @dev Adds native without a call, like a self-destruct.
    function forceNative(uint256 amount) external {
        amount = bound(amount, 0, 1 ether);
        vm.deal(address(station), address(station).balance + amount);
        funded += amount;
    }

    function donateDollars(uint256 amount) external {
        amount = bound(amount, 0, 100e6);
        dollar.mint(address(station), amount);
        minted += amount;
        dollarsDonated += amount;
    }

    function callForbidden(uint256 which, uint256 seed) external {
        IGasStation.TopUp memory quote = createQuote(topUps + 1);
        bytes memory signature = sign(quote);
        address caller = stranger;
        bytes memory data;
        which %= 8;
        if (which == 0) data = abi.encodeCall(IGasStation.topUp, (quote, signature, signPermit(quote.tokenAmount)));
        if (which == 1) data = abi.encodeCall(IGasStation.withdrawFloat, (stranger, 1));
        if (which == 2) data = abi.encodeCall(IGasStation.setRelayer, (stranger));
        if (which == 3) data = abi.encodeCall(IGasStation.setTreasury, (stranger));
        if (which == 4) data = abi.encodeCall(IGasStation.proposeOwner, (stranger));
        if (which == 5) data = abi.encodeCall(IGasStation.acceptOwnership, ());
        if (which == 6) {
            // The relayer with a used quote.
            if (_topUps.length == 0) return;
            quote = _topUps[seed % _topUps.length];
            quote.deadline = block.timestamp;
            caller = relayer;
            data = abi.encodeCall(IGasStation.topUp, (quote, sign(quote), signPermit(quote.tokenAmount)));
        }
        if (which == 7) {
            // The relayer with a price that the wallet did not sign.
            quote.nativeAmount -= 1;
            caller = relayer;
            data = abi.encodeCall(IGasStation.topUp, (quote, signature, signPermit(quote.tokenAmount)));
        }
        vm.prank(caller);
        (bool success,) = address(station).call(data);
        if (success) ++forbiddenSuccesses;
    }

    function _fund(uint256 amount) private {
        vm.deal(address(this), amount);
        (bool success,) = address(station).call{value: amount}("");
        assertTrue(success);
        funded += amount;
    }

    /* Views for the invariants. */

    function parts() external view returns (IGasStation, address, address, address) {
        return (station, address(dollar), wallet, treasury);
    }

    function roles() external view returns (address, address) {
        return (owner, relayer);
    }

    function usedCount() external view returns (uint256 count) {
        for (uint256 i; i < _topUps.length; ++i) {
            if (station.used(_topUps[i].quoteId)) ++count;
        }
        if (station.used(bytes32(topUps + 1))) ++count;
    }
}
