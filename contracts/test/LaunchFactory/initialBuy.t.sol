// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LaunchedEvent} from "../utils/LaunchedEvent.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice A creator with code and a configurable call on receipt of native.
contract CreatorContract {
    ILaunchFactory private immutable _FACTORY;
    bytes private _onReceive;

    constructor(ILaunchFactory factory, bytes memory onReceive) {
        _FACTORY = factory;
        _onReceive = onReceive;
    }

    receive() external payable {
        require(_onReceive.length != 0, "cannot receive");
        (bool success,) = address(_FACTORY).call(_onReceive);
        require(success, "re-entry failed");
    }

    function launch(ILaunchFactory.LaunchParams memory params, address recipient) external payable {
        _FACTORY.launch{value: msg.value}(params, ILaunchFactory.InitialBuyParams(recipient, 0));
    }
}

contract LaunchFactoryInitialBuyTest is SlipwayTest {
    /// @dev More than the cost of the whole supply, and within the range of the pool's amounts.
    uint256 private constant TOO_MUCH = 1e43;

    uint160 private constant LOWEST_PRICE = 4_295_128_740;
    uint160 private constant HIGHEST_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341;

    function test_WhenNoValueIsAttachedAndAMinimumIsSet() external {
        _expectLaunchRevert(
            paramsFor(true), 0, alice, 1, abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InitialBuyTooSmall.selector, 0, 1)
        );
    }

    function test_WhenNoValueIsAttachedAndNoMinimumIsSet() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.prank(creator);
        (address token,, uint256 amountOut) = factory.launch(params, ILaunchFactory.InitialBuyParams(address(0), 0));
        assertEq(amountOut, 0);
        assertEq(balance(token, creator), 0);
    }

    function test_WhenTheRecipientIsZero() external {
        _expectInvalidRecipient(paramsFor(true), address(0));
    }

    function test_WhenTheRecipientIsAContractOfTheSystem() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        (address token, address pool) = factory.predict(creator, params);
        address[8] memory parts = [
            address(factory),
            address(locker),
            token,
            pool,
            address(weth),
            address(uniswap),
            address(splitters),
            splitters.IMPLEMENTATION()
        ];
        for (uint256 i; i < parts.length; ++i) {
            _expectInvalidRecipient(params, parts[i]);
        }
    }

    function test_WhenTheBuyYieldsLessThanTheMinimum() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            uint256 amountOut = _simulateAmountOut(params, 1 ether);
            bytes memory reason = abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_InitialBuyTooSmall.selector, amountOut, amountOut + 1
            );
            _expectLaunchRevert(params, 1 ether, alice, amountOut + 1, reason);
        }
    }

    function test_WhenTheBuyYieldsExactlyTheMinimum() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            uint256 expected = _simulateAmountOut(params, 1 ether);
            (address token, address pool) = factory.predict(creator, params);
            uint256 nativeBefore = creator.balance;

            vm.expectEmit(address(factory));
            emit ILaunchFactory.InitialBuy(token, alice, 1 ether, expected, 0);
            vm.recordLogs();
            vm.prank(creator);
            (,, uint256 amountOut) =
                factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(alice, expected));
            Vm.Log[] memory logs = vm.getRecordedLogs();
            assertEq(logs[logs.length - 1].topics[0], ILaunchFactory.InitialBuy.selector, "after Launched");
            assertLt(LaunchedEvent.find(logs, address(factory)), logs.length - 1);

            assertEq(amountOut, expected);
            assertEq(balance(token, alice), expected);
            assertEq(creator.balance, nativeBefore - 1 ether);
            assertEq(balance(address(weth), pool), 1 ether);
            // The supply costs about 1.5 native at the start price, so that 0.99 native buys about 40% of it.
            assertApproxEqRel(expected, SUPPLY * 40 / 100, 0.03e18);
        }
    }

    function test_WhenTheValueIsOneBaseUnit() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            vm.prank(creator);
            (, address pool, uint256 amountOut) =
                factory.launch{value: 1}(params, ILaunchFactory.InitialBuyParams(alice, 0));
            assertEq(amountOut, 0, "the fee is the whole value");
            assertEq(balance(address(weth), pool), 1);
        }
    }

    function test_WhenThePoolCallsTheCallbackAfterTheBuy() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.prank(creator);
        (, address pool,) = factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        fundNative(address(factory), 1 ether);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotPool.selector, pool));
        vm.prank(pool);
        IUniswapV3SwapCallback(address(factory)).uniswapV3SwapCallback(1, 0, "");
    }

    function test_WhenTheValueExceedsTheCostOfTheWholeSupply() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            fundNative(address(factory), 5 ether);
            vm.deal(creator, TOO_MUCH);
            vm.recordLogs();
            vm.prank(creator);
            (address token, address pool, uint256 amountOut) =
                factory.launch{value: TOO_MUCH}(params, ILaunchFactory.InitialBuyParams(alice, 0));
            uint256 spent = balance(address(weth), pool);
            assertEq(creator.balance, TOO_MUCH - spent, "the remainder is refunded");
            assertGt(creator.balance, 0);
            assertEq(amountOut, balance(token, alice));
            assertEq(_findInitialBuy(vm.getRecordedLogs()).data, abi.encode(spent, amountOut, TOO_MUCH - spent));
            assertEq(balance(address(weth), address(factory)), 5 ether * (order + 1), "donations stay");
            assertEq(address(factory).balance, 0);
            (uint160 price,) = getPrice(pool);
            assertEq(price, order == 0 ? HIGHEST_PRICE : LOWEST_PRICE, "the price reaches its bound");
        }
    }

    function test_WhenTheCallerCannotReceiveTheRefund() external {
        CreatorContract caller = new CreatorContract(factory, "");
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.deal(address(this), TOO_MUCH);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_RefundFailed.selector);
        caller.launch{value: TOO_MUCH}(params, alice);
    }

    function test_WhenTheCallerReEntersOnReceiptOfTheRefund() external {
        ILaunchFactory.LaunchParams memory second = paramsFor(true);
        CreatorContract caller = new CreatorContract(factory, abi.encodeCall(factory.launch, (second, noBuy())));
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.deal(address(this), TOO_MUCH);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_RefundFailed.selector);
        caller.launch{value: TOO_MUCH}(params, alice);
    }

    function _findInitialBuy(Vm.Log[] memory logs) private pure returns (Vm.Log memory) {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == ILaunchFactory.InitialBuy.selector) return logs[i];
        }
        revert("no InitialBuy");
    }

    function _simulateAmountOut(ILaunchFactory.LaunchParams memory params, uint256 value)
        private
        returns (uint256 amountOut)
    {
        uint256 snapshot = vm.snapshotState();
        vm.prank(creator);
        (,, amountOut) = factory.launch{value: value}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        vm.revertToState(snapshot);
    }

    function _expectInvalidRecipient(ILaunchFactory.LaunchParams memory params, address recipient) private {
        bytes memory reason =
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidRecipient.selector, recipient);
        _expectLaunchRevert(params, 1 ether, recipient, 0, reason);
    }

    function _expectLaunchRevert(
        ILaunchFactory.LaunchParams memory params,
        uint256 value,
        address recipient,
        uint256 minimumOut,
        bytes memory reason
    ) private {
        vm.expectRevert(reason);
        vm.prank(creator);
        factory.launch{value: value}(params, ILaunchFactory.InitialBuyParams(recipient, minimumOut));
    }
}
