// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {StationTest} from "../utils/StationTest.sol";
import {StubPool} from "../utils/StubPool.sol";
import {RevertingPayee} from "../utils/TestTokens.sol";

/// @dev More than 2^64 base units: 18.4 of an asset with 18 decimals. Mutation testing asked for these cases.
uint256 constant LARGE = 100 ether;

contract StationLargeAmountsTest is StationTest {
    function test_LargeAmountsAreAnnouncedAndPaid() external {
        vm.deal(address(this), LARGE);
        vm.expectEmit(address(station));
        emit IGasStation.FloatReceived(address(this), LARGE);
        (bool success,) = address(station).call{value: LARGE}("");
        assertTrue(success);

        dollar.mint(wallet, LARGE);
        approveStation(LARGE);
        IGasStation.TopUp memory quote = createQuote(1);
        (quote.tokenAmount, quote.nativeAmount) = (LARGE, LARGE / 2);
        bytes memory signature = sign(quote);
        vm.expectEmit(address(station));
        emit IGasStation.ToppedUp(quote.quoteId, wallet, address(dollar), LARGE, LARGE / 2);
        topUp(quote, signature, noPermit());
        assertEq(wallet.balance, LARGE / 2);
        assertEq(dollar.balanceOf(treasury), LARGE);

        vm.expectEmit(address(station));
        emit IGasStation.FloatWithdrawn(stranger, LARGE / 4);
        vm.prank(owner);
        station.withdrawFloat(stranger, LARGE / 4);
        assertEq(stranger.balance, LARGE / 4);
    }
}

contract SplitterLargeAmountsTest is SplitterTest {
    function test_LargeAmountsAreAnnouncedAndPaid() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.deal(address(this), LARGE);
        vm.expectEmit(address(splitter));
        emit IFeeSplitter.NativeReceived(address(this), LARGE);
        (bool success,) = address(splitter).call{value: LARGE}("");
        assertTrue(success);
        fundWrapped(address(splitter), LARGE);
        address[2] memory assets = [NATIVE, UNWRAPPED];
        for (uint256 i; i < 2; ++i) {
            vm.expectEmit(address(splitter));
            emit IFeeSplitter.Released(
                i == 0 ? NATIVE : address(weth), alice, alice, LARGE * 7 / 10, assets[i] == UNWRAPPED
            );
            splitter.release(one(assets[i]), alice);
            assertEq(alice.balance, LARGE * 7 / 10 * (i + 1));
            assertEq(splitter.released(assets[i], alice), LARGE * 7 / 10);
            assertEq(splitter.totalReleased(assets[i]), LARGE * 7 / 10);
            assertEq(splitter.claimable(assets[i], alice), 0);
            assertEq(splitter.claimable(assets[i], bob), LARGE * 3 / 10);
        }
    }
}

contract SplitterLargeRefusalsTest is SplitterTest {
    function test_ALargeAmountThatTheReceiverRejectsIsWrappedAgain() external {
        address rejecting = address(new RevertingPayee());
        IFeeSplitter splitter = IFeeSplitter(deployPair(rejecting, 7_000, bob));
        fundWrapped(address(splitter), LARGE);
        vm.prank(rejecting);
        splitter.release(one(UNWRAPPED), rejecting);
        assertEq(weth.balanceOf(rejecting), LARGE * 7 / 10);
        assertEq(weth.balanceOf(address(splitter)), LARGE * 3 / 10);
        assertEq(address(splitter).balance, 0);
    }
}

contract LockerLargeAmountsTest is LockerTest {
    /// @dev The quote asset refuses the splitter.
    function test_LargeAmountsAreAnnouncedAndOwed() external {
        AdverseToken quote = new AdverseToken(AdverseToken.Fault.Blocklist, 18);
        weth = IWrappedNative(address(quote));
        locker = deployLocker(treasury);
        address token = address(1);
        Terms memory terms;
        terms.splitter = alice;
        StubPool pool = lockWithStub(token, terms);
        quote.mint(address(locker), LARGE);
        quote.setBlocked(alice, true);
        pool.setCollected(uint128(LARGE), uint128(LARGE));
        vm.expectEmit(address(locker));
        emit IFeeLocker.Collected(token, LARGE, LARGE);
        locker.collect(token);

        vm.expectEmit(address(locker));
        emit IFeeLocker.PaymentOwed(token, address(quote), alice, LARGE * 9 / 10);
        vm.expectEmit(address(locker));
        emit IFeeLocker.Settled(token, address(quote), LARGE * 9 / 10, LARGE / 10, 0);
        locker.settle(token, one(address(quote)));
        assertEq(locker.owed(address(quote), alice), LARGE * 9 / 10);

        quote.setBlocked(alice, false);
        vm.expectEmit(address(locker));
        emit IFeeLocker.OwedPaid(address(quote), alice, LARGE * 9 / 10);
        locker.payOwed(address(quote), alice);
        assertEq(quote.balanceOf(alice), LARGE * 9 / 10);
        assertEq(quote.balanceOf(treasury), LARGE / 10);
    }
}

/// @notice A wallet with code that accepts every signature (ERC-1271) and rejects native.
contract RejectingCreator {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}

contract FactoryLargeAmountsTest is SlipwayTest {
    function test_ALargeInitialBuyIsAnnounced() external {
        uint256 expected = buy(launchWith(true), LARGE);
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        (address token,) = factory.predict(creator, params);
        vm.expectEmit(address(factory));
        emit ILaunchFactory.InitialBuy(token, alice, LARGE, expected, 0);
        vm.prank(creator);
        factory.launch{value: LARGE}(params, ILaunchFactory.InitialBuyParams(alice, expected));
        assertEq(balance(token, alice), expected);
    }

    /// @dev The refund of a signed launch is the creator's: the error names the creator, not the sender.
    function test_ARefusedRefundOfASignedLaunchNamesTheCreator() external {
        uint256 value = 1e43;
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.deal(creator, value);
        vm.prank(creator);
        (, address pool,) = factory.launch{value: value}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        uint256 cost = balance(address(weth), pool);

        address account = address(new RejectingCreator());
        params.splitter = makeSplitter();
        grind(params, account, true);
        vm.deal(address(this), value);
        vm.expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_RefundFailed.selector, account, value - cost)
        );
        factory.launchFor{value: value}(
            account, params, ILaunchFactory.InitialBuyParams(alice, 0), value, block.timestamp, ""
        );
    }
}
