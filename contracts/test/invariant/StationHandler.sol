// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {StationTest} from "../utils/StationTest.sol";

/// @notice Calls of the relayer, the owner, wallets and other accounts on a gas station. The handler keeps its own
/// account of what must be true.
contract StationHandler is StationTest {
    /// @dev Spreads the numbers of quotes over the bits of several words.
    uint256 private constant QUOTE_STEP = 37;

    uint256 public topUps;
    uint256 public tokensPaid;
    uint256 public nativePaid;
    uint256 public funded = 10 ether;
    uint256 public withdrawn;
    uint256 public minted = 1_000e6;
    uint256 public dollarsDonated;
    uint256 public forbiddenSuccesses;
    mapping(address treasury => uint256) public paidTo;
    address[3] public treasuries;
    address public expectedOwner;
    address public expectedProposed;
    address public expectedRelayer;
    bool public expectedPaused;
    IGasStation.TopUp[] private _topUps;
    address[2] private _owners;
    address[2] private _relayers;

    constructor() {
        setUp();
        treasuries = [treasury, makeAddr("treasury 2"), makeAddr("treasury 3")];
        _owners = [owner, makeAddr("owner 2")];
        _relayers = [relayer, makeAddr("relayer 2")];
        (expectedOwner, expectedRelayer) = (owner, relayer);
    }

    /// @param extra Allowance that the top-up does not use.
    function buyGas(uint256 tokenAmount, uint256 nativeAmount, uint256 mode, uint256 extra) external {
        if (expectedPaused) return;
        IGasStation.TopUp memory quote = createQuote(quoteId(topUps));
        quote.tokenAmount = bound(tokenAmount, 1, 1_000_000e6);
        quote.nativeAmount = bound(nativeAmount, 1, 5 ether);
        dollar.mint(wallet, quote.tokenAmount);
        minted += quote.tokenAmount;
        if (address(station).balance < quote.nativeAmount) _fund(quote.nativeAmount);

        uint256 allowance = quote.tokenAmount + bound(extra, 0, 1e6);
        IGasStation.Permit memory permit;
        if (mode % 3 == 0) approveStation(allowance);
        else permit = signPermit(allowance);
        // Another account submits the permit first.
        if (mode % 3 == 2) {
            dollar.permit(wallet, address(station), permit.value, permit.deadline, permit.v, permit.r, permit.s);
        }
        topUp(quote, sign(quote), permit);
        ++topUps;
        tokensPaid += quote.tokenAmount;
        paidTo[treasury] += quote.tokenAmount;
        nativePaid += quote.nativeAmount;
        _topUps.push(quote);
    }

    function fund(uint256 amount) external {
        _fund(bound(amount, 0, 100 ether));
    }

    function withdraw(uint256 amount) external {
        amount = bound(amount, 0, address(station).balance);
        address to = makeAddr("receiver of the float");
        vm.prank(expectedOwner);
        station.withdrawFloat(to, amount);
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

    function actAsOwner(uint256 which, uint256 seed) external {
        if (which % 5 == 4 && expectedProposed != address(0)) {
            vm.prank(expectedProposed);
            station.acceptOwnership();
            (expectedOwner, expectedProposed) = (expectedProposed, address(0));
            return;
        }
        vm.startPrank(expectedOwner);
        if (which % 5 == 0) {
            relayer = expectedRelayer = _relayers[seed % 2];
            station.setRelayer(relayer);
        } else if (which % 5 == 1) {
            treasury = treasuries[seed % 3];
            station.setTreasury(treasury);
        } else if (which % 5 == 2) {
            expectedPaused = seed % 4 == 0;
            station.setPaused(expectedPaused);
        } else {
            expectedProposed = _owners[seed % 2];
            station.proposeOwner(expectedProposed);
        }
        vm.stopPrank();
    }

    /// @dev Each of these calls must fail at any time, also if it would change nothing.
    function callForbidden(uint256 which, uint256 seed) external {
        IGasStation.TopUp memory quote = createQuote(quoteId(topUps));
        bytes memory signature = sign(quote);
        address caller = stranger;
        bytes memory data;
        which %= 9;
        if (which == 0) data = abi.encodeCall(IGasStation.topUp, (quote, signature, signPermit(quote.tokenAmount)));
        if (which == 1) data = abi.encodeCall(IGasStation.withdrawFloat, (stranger, 0));
        if (which == 2) data = abi.encodeCall(IGasStation.setRelayer, (expectedRelayer));
        if (which == 3) data = abi.encodeCall(IGasStation.setTreasury, (treasury));
        if (which == 4) data = abi.encodeCall(IGasStation.setPaused, (expectedPaused));
        if (which == 5) data = abi.encodeCall(IGasStation.proposeOwner, (expectedProposed));
        if (which == 6) data = abi.encodeCall(IGasStation.acceptOwnership, ());
        if (which == 7) {
            // The relayer with a used quote.
            if (_topUps.length == 0) return;
            quote = _topUps[seed % _topUps.length];
            quote.deadline = block.timestamp;
            caller = expectedRelayer;
            data = abi.encodeCall(IGasStation.topUp, (quote, sign(quote), signPermit(quote.tokenAmount)));
        }
        if (which == 8) {
            // The relayer with a price that the wallet did not sign.
            quote.nativeAmount -= 1;
            caller = expectedRelayer;
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

    function parts() external view returns (IGasStation, address, address) {
        return (station, address(dollar), wallet);
    }

    /// @dev The id of the quote with a number from zero.
    function quoteId(uint256 number) public pure returns (uint256) {
        return 1_000 + number * QUOTE_STEP;
    }
}
