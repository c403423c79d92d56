// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {CallbackCaller, HostilePool} from "../utils/HostilePool.sol";
import {LaunchedEvent} from "../utils/LaunchedEvent.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {StubUniswapFactory} from "../utils/StubPool.sol";

/// @notice Enables the tier with any tick spacing.
contract UniswapWithTickSpacing {
    int24 private immutable _SPACING;

    constructor(int24 spacing) {
        _SPACING = spacing;
    }

    function feeAmountTickSpacing(uint24) external view returns (int24) {
        return _SPACING;
    }
}

/// @notice A creator with code that cannot receive native.
contract CreatorWithoutReceive {
    function launch(ILaunchFactory factory, ILaunchFactory.LaunchParams calldata params)
        external
        payable
        returns (uint256 amountOut)
    {
        (,, amountOut) = factory.launch{value: msg.value}(
            params, ILaunchFactory.InitialBuyParams(address(this), 1)
        );
    }
}

/// @notice A wallet with code that accepts every signature (ERC-1271).
contract AcceptingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}

/// @notice Cases at the exact bounds of the factory's conditions. Mutation testing asked for them.
contract FactoryBoundariesTest is SlipwayTest {
    uint160 private constant MIN_PRICE = 4_295_128_739;
    uint160 private constant MAX_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342;

    /// @dev External, so that `vm.expectRevert` applies to the whole deployment.
    function deployFromFields() external returns (ILaunchFactory) {
        return deployFactory();
    }

    /// @dev The pool's lower price bound is valid; one less is not, though it has a reciprocal within the bounds. The
    /// product of the two prices may differ from one by 1e-10.
    function test_StartPricesAreReciprocalUpToTheExactBounds() external {
        uint160 one = 1 << 96;
        uint160 tolerance = one / 1e10;
        _expectPrices(MIN_PRICE, uint160((1 << 192) / MIN_PRICE), true);
        _expectPrices(MIN_PRICE - 1, MAX_PRICE - 1, false);
        _expectPrices(MIN_PRICE - 1, MAX_PRICE, false);
        _expectPrices(one, one + tolerance, true);
        _expectPrices(one, one + tolerance + 1, false);
        _expectPrices(one, one - tolerance, true);
        _expectPrices(one, one - tolerance - 1, false);
    }

    function test_StartTicksAreAcceptedUpToTheExactBounds() external {
        int24[2] memory accepted = [int24(886_200), -886_200];
        for (uint256 i; i < 2; ++i) {
            startTick = accepted[i];
            assertEq(deployFactory().START_TICK(), startTick);
        }
        int24[4] memory refused = [MAX_TICK, -MAX_TICK, 887_400, -887_400];
        for (uint256 i; i < 4; ++i) {
            startTick = refused[i];
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidStartTick.selector, startTick)
            );
            this.deployFromFields();
        }
    }

    /// @dev The divisors of 600 and their neighbours; zero is a tier that does not exist.
    function test_ATickSpacingThatDoesNotDivideTheStartTickIsRefused() external {
        int24[9] memory spacings = [int24(0), 7, 199, 201, 299, 301, 599, 601, 1_200];
        for (uint256 i; i < spacings.length; ++i) {
            uniswap = IUniswapV3Factory(address(new UniswapWithTickSpacing(spacings[i])));
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidFee.selector, 100));
            this.deployFromFields();
        }
        int24[6] memory accepted = [int24(1), 20, 60, 100, 200, 600];
        for (uint256 i; i < accepted.length; ++i) {
            uniswap = IUniswapV3Factory(address(new UniswapWithTickSpacing(accepted[i])));
            deployFactory();
        }
    }

    /// @dev A number that is no tier is refused although the Uniswap factory has a pool fee for it, 0.05% for example.
    function test_OnlyTheFourTiersLaunch() external {
        uint16[15] memory others = [uint16(0), 1, 5, 9, 11, 29, 31, 49, 51, 99, 101, 266, 356, 200, 65_535];
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        for (uint256 i; i < others.length; ++i) {
            params.feeBps = others[i];
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidFee.selector, others[i]));
            launch(params);
        }
    }

    /// @dev Whichever of the two has the lower address.
    function test_ASplitterFactoryForAnotherWrappedNativeIsRefused() external {
        bool[2] memory seen;
        while (!seen[0] || !seen[1]) {
            address other = deployVendor("wrapped-native/WETH9", "");
            seen[other < address(weth) ? 0 : 1] = true;
            splitters = ISplitterFactory(deploy("SplitterFactory", abi.encode(other)));
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidAddress.selector, address(splitters))
            );
            this.deployFromFields();
        }
    }

    function test_AccountsAdjacentToPermittedCallersAreRefused() external {
        for (uint256 i; i < 2; ++i) {
            address caller = _getAdjacent(treasury, i);
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotTreasury.selector, caller));
            vm.prank(caller);
            factory.setPartnerShare(partner, 1);
            caller = _getAdjacent(address(weth), i);
            vm.deal(caller, 1);
            vm.prank(caller);
            (bool success, bytes memory reason) = address(factory).call{value: 1}("");
            assertFalse(success);
            assertEq(
                reason, abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotWrappedNative.selector, caller)
            );
        }
    }

    /// @dev The accounts adjacent to the pool's address call during its swap. The pool takes nothing: the creator is refunded.
    function test_NoOtherAccountCanCallTheSwapCallbackDuringABuy() external {
        (ILaunchFactory.LaunchParams memory params, HostilePool pool) = _preparePool();
        CallbackCaller[2] memory callers;
        bytes memory code = address(new CallbackCaller()).code;
        for (uint256 i; i < 2; ++i) {
            callers[i] = CallbackCaller(_getAdjacent(address(pool), i));
            vm.etch(address(callers[i]), code);
        }
        pool.setPrice(sqrtPriceIfToken0, -startTick);
        pool.setCallers(callers[0], callers[1]);
        uint256 before = creator.balance;
        vm.prank(creator);
        factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        assertEq(creator.balance, before);
        for (uint256 i; i < 2; ++i) {
            assertEq(
                callers[i].reason(),
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotPool.selector, callers[i])
            );
        }
    }

    /// @dev A pool at exactly the start price that reports a tick beside the expected one.
    function test_ATickBesideTheStartTickIsRefused() external {
        (ILaunchFactory.LaunchParams memory params, HostilePool pool) = _preparePool();
        int24[2] memory ticks = [-startTick - 1, -startTick + 1];
        for (uint256 i; i < 2; ++i) {
            pool.setPrice(sqrtPriceIfToken0, ticks[i]);
            vm.expectRevert(
                abi.encodeWithSelector(
                    ILaunchFactory.LaunchFactory_StartPriceMissed.selector, ticks[i], -startTick
                )
            );
            launch(params);
        }
        pool.setPrice(sqrtPriceIfToken0, -startTick);
        launch(params);
    }

    /// @dev Nothing is refunded if the pool takes the whole value: a creator that cannot receive can buy.
    function test_ACreatorThatCannotReceiveCanSpendTheWholeValue() external {
        CreatorWithoutReceive account = new CreatorWithoutReceive();
        vm.deal(address(this), 1 ether);
        assertGt(account.launch{value: 1 ether}(factory, paramsWith(deploySplitter())), 0);
    }

    /// @dev The liquidities of the two orders are equal at the released start price, and need not be at another one.
    function test_EachOrderHasItsOwnLiquidityAndNoShareWithoutAPartner() external {
        (liquidityIfToken0, liquidityIfToken1) = (liquidityIfToken0 - 1, liquidityIfToken1 - 2);
        factory = deployFactory();
        locker = IFeeLocker(factory.LOCKER());
        for (uint256 order; order < 2; ++order) {
            vm.recordLogs();
            Launch memory launched = launchWith(order == 0);
            Vm.Log[] memory logs = vm.getRecordedLogs();
            LaunchedEvent.Data memory data = LaunchedEvent.decode(logs[LaunchedEvent.find(logs, address(factory))]);
            uint128 expected = order == 0 ? liquidityIfToken0 : liquidityIfToken1;
            assertEq(data.liquidity, expected);
            assertEq(locker.positionOf(launched.token).liquidity, expected);
            assertEq(lockedLiquidity(launched), expected);
            assertEq(data.partner, address(0));
            assertEq(data.partnerShareBps, 0);
        }
    }

    /// @dev The amount that could not be refunded, whatever the factory held before.
    function test_ARefusedRefundIsNamedExactly() external {
        fundNative(address(factory), 5 ether);
        vm.deal(creator, 1e43);
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.prank(creator);
        (, address pool,) = factory.launch{value: 1e43}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        uint256 cost = balance(address(weth), pool);
        CreatorWithoutReceive account = new CreatorWithoutReceive();
        grind(params, address(account), true);
        vm.deal(address(this), 1e43);
        vm.expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_RefundFailed.selector, account, 1e43 - cost)
        );
        account.launch{value: 1e43}(factory, params);
    }

    function test_AnInvalidSplitterIsNamedBeforeTheMetadata() external {
        ILaunchFactory.LaunchParams memory params = paramsWith(alice);
        params.contractURI = string(new bytes(30_000));
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, alice));
        launch(params);
    }

    /// @dev A wrong value is refused in both directions, an instant after the deadline too.
    function test_ValueAndDeadlineOfASignedLaunchAreExact() external {
        uint256[2] memory values = [uint256(1), 3];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_WrongValue.selector, values[i], 2)
            );
            vm.prank(creator);
            factory.launchFor{value: values[i]}(creator, paramsWith(alice), noBuy(), 2, block.timestamp, "");
        }
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_Expired.selector, block.timestamp - 1, block.timestamp
            )
        );
        factory.launchFor(creator, paramsWith(alice), noBuy(), 0, block.timestamp - 1, "");
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSignature.selector, creator));
        factory.launchFor(creator, paramsWith(alice), noBuy(), 0, block.timestamp, "");
    }

    /// @dev The creator, with code, and the sender are partners too. Only the named partner gets a share.
    function test_OnlyTheNamedPartnerGetsAShare() external {
        address account = address(new AcceptingWallet());
        address sender = makeAddr("sender");
        registerPartner(account, 5_000);
        registerPartner(sender, 4_000);
        registerPartner(partner, 1_000);
        address[3] memory named = [address(0), partner, alice];
        uint16[3] memory shares = [uint16(0), 1_000, 0];
        for (uint256 i; i < 3; ++i) {
            ILaunchFactory.LaunchParams memory params = paramsWith(makeSplitter());
            params.partner = named[i];
            vm.prank(sender);
            (address token,,) = factory.launchFor(account, params, noBuy(), 0, block.timestamp, "");
            IFeeLocker.Position memory position = locker.positionOf(token);
            assertEq(position.partner, named[i]);
            assertEq(position.partnerShareBps, shares[i]);
        }
    }

    function _preparePool() private returns (ILaunchFactory.LaunchParams memory params, HostilePool pool) {
        uniswap = IUniswapV3Factory(address(new StubUniswapFactory()));
        factory = deployFactory();
        params = paramsFor(true);
        (, address predicted) = factory.predict(creator, params);
        vm.etch(predicted, address(new HostilePool()).code);
        pool = HostilePool(predicted);
    }

    /// @dev In both orders.
    function _expectPrices(uint160 a, uint160 b, bool areValid) private {
        for (uint256 i; i < 2; ++i) {
            (sqrtPriceIfToken0, sqrtPriceIfToken1) = i == 0 ? (a, b) : (b, a);
            if (!areValid) {
                vm.expectRevert(
                    abi.encodeWithSelector(
                        ILaunchFactory.LaunchFactory_InvalidStartPrices.selector, sqrtPriceIfToken0, sqrtPriceIfToken1
                    )
                );
            }
            this.deployFromFields();
        }
    }

    function _getAdjacent(address account, uint256 side) private pure returns (address) {
        return address(side == 0 ? uint160(account) - 1 : uint160(account) + 1);
    }
}
