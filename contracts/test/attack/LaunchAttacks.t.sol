// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

interface IUniswapTiers {
    function createPool(address, address, uint24) external returns (address);
}

contract LaunchAttacksTest is SlipwayTest {
    uint160 private constant MIN_PRICE = 4_295_128_739;
    uint160 private constant MAX_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341;

    function setUp() public override {
        super.setUp();
        // At the price bounds a small liquidity is a large amount of one asset.
        fundNative(address(trader), 1e9 ether);
    }

    function test_C8_01_PoolPreinitialisedAtAHostilePriceRevertsAndANewSaltWorks() external {
        for (uint256 i; i < 10; ++i) {
            bool tokenIsToken0 = i % 2 == 0;
            uint160 fair = tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1;
            uint160[5] memory hostile = [MIN_PRICE, MAX_PRICE, fair * 2, fair - fair / 1_000, fair - 1];
            _launchWithPoolAtPrice(tokenIsToken0, fair, hostile[i / 2], false);
            _launchWithPoolAtPrice(tokenIsToken0, fair, hostile[i / 2], true);
        }
    }

    function testFuzz_C8_01_LaunchEndsAtExactlyTheTargetPriceOrReverts(uint160 price, bool tokenIsToken0)
        external
    {
        price = uint160(bound(price, MIN_PRICE, MAX_PRICE));
        _launchWithPoolAtPrice(tokenIsToken0, tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1, price, false);
    }

    function test_C8_01_PoolAtTheRightPriceWithQuoteLiquidityLaunchesAtTheTargetPrice() external {
        for (uint256 order; order < 2; ++order) {
            bool tokenIsToken0 = order == 0;
            ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
            (address token, address pool) = factory.predict(creator, params);
            uniswap.createPool(token, address(weth), POOL_FEE);
            uint160 fair = tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1;
            IUniswapV3Pool(pool).initialize(fair);
            _placeQuote(pool, tokenIsToken0);
            launch(params);
            (uint160 price,) = getPrice(pool);
            assertEq(price, fair);
            // A bid of another account below the start price has no effect on trades, collection and settlement.
            Launch memory launched = Launch(token, pool, params.splitter, tokenIsToken0, locker);
            sell(launched, buy(launched, 0.1 ether));
            (, uint256 quoteAmount) = locker.collect(token);
            assertApproxEqAbs(quoteAmount, 0.001 ether, 2);
        }
    }

    /// @dev Before the token exists, the creator of its pool can move the price only towards a higher token price. Pushed to
    /// exactly the start price, the pool is as good as a new one; pushed one step further, the launch reverts whole.
    function test_C8_01_APoolPushedToExactlyTheStartPriceLaunchesAtIt() external {
        for (uint256 order; order < 2; ++order) {
            bool tokenIsToken0 = order == 0;
            uint256 expected = buy(launchWith(tokenIsToken0), 1 ether);
            uint160 fair = tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1;
            for (uint256 i; i < 2; ++i) {
                ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
                (address token, address pool) = factory.predict(creator, params);
                uniswap.createPool(token, address(weth), POOL_FEE);
                // A lower token price, with bids of the attacker below it.
                IUniswapV3Pool(pool).initialize(tokenIsToken0 ? fair / 2 : fair * 2);
                _placeQuote(pool, tokenIsToken0);
                vm.expectRevert();
                trader.swapTo(pool, tokenIsToken0, 1, tokenIsToken0 ? fair / 3 : fair * 3);
                uint160 pushed = i == 0 ? fair : tokenIsToken0 ? fair + 1 : fair - 1;
                trader.swapTo(pool, !tokenIsToken0, 1, pushed);
                if (i == 1) {
                    vm.expectRevert(
                        abi.encodeWithSelector(ILaunchFactory.LaunchFactory_PoolTaken.selector, pool, pushed, fair)
                    );
                    launch(params);
                    continue;
                }
                Launch memory launched = launch(params);
                (uint160 price, int24 tick) = getPrice(pool);
                assertEq(price, fair);
                assertEq(tick, tokenIsToken0 ? -startTick : startTick);
                assertEq(buy(launched, 1 ether), expected, "the first buyer receives the same amount");
            }
        }
    }

    function test_C8_01_PushedPriceBeforeTheFirstBuyHasNoEffect() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory untouched = launchWith(order == 0);
            Launch memory pushed = launchWith(order == 0);
            uint256 expected = buy(untouched, 1 ether);
            (uint160 price,) = getPrice(pushed.pool);
            // Move the price through the empty range, in two steps, away from the position.
            bool down = pushed.tokenIsToken0;
            trader.swapTo(pushed.pool, down, 1, down ? price / 2 : price * 2);
            trader.swapTo(pushed.pool, down, 1, down ? MIN_PRICE + 1 : MAX_PRICE - 1);
            (price,) = getPrice(pushed.pool);
            assertEq(price, down ? MIN_PRICE + 1 : MAX_PRICE - 1);
            locker.collect(pushed.token);
            assertEq(buy(pushed, 1 ether), expected, "the first buyer receives the same amount");
        }
    }

    function test_C8_02_CopiedCalldataFromAnotherSenderTakesAnotherAddress() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            (address token,) = factory.predict(creator, params);
            address attacker = makeAddr("attacker");
            vm.prank(attacker);
            (address copied,,) = factory.launch(params, noBuy());
            assertNotEq(copied, token);
            // Other parameters and the same salt: the attacker cannot forge the victim's sender.
            params.splitter = deploySplitter();
            vm.prank(attacker);
            factory.launch(params, noBuy());
            params.splitter = locker.positionOf(copied).splitter;
            assertEq(launch(params).token, token, "the victim's launch succeeds at the predicted address");
        }
    }

    function test_C8_02_SaltReuseByTheSameCallerIsPossibleForAnotherToken() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            address first = launch(params).token;
            // The same caller can use the same salt for another token.
            params.symbol = "OTHER";
            assertNotEq(launch(params).token, first);
        }
    }

    function test_C8_03_FundedPredictedAddressesAndOtherTiersHaveNoEffect() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            (address token, address pool) = factory.predict(creator, params);
            vm.deal(token, 1 ether);
            vm.deal(pool, 1 ether);
            fundNative(token, 1 ether);
            fundNative(pool, 1 ether);
            uint24[2] memory tiers = [uint24(500), 3_000];
            for (uint256 i; i < 2; ++i) {
                address other = IUniswapTiers(address(uniswap)).createPool(token, address(weth), tiers[i]);
                IUniswapV3Pool(other).initialize(MIN_PRICE);
            }
            Launch memory launched = launch(params);
            assertEq(launched.pool, pool);
            makeFees(launched);
            (, uint256 quoteAmount) = locker.collect(token);
            assertEq(quoteAmount, 0.01 ether - 1, "the donation is not a fee");
        }
    }

    function _launchWithPoolAtPrice(bool tokenIsToken0, uint160 fair, uint160 price, bool withQuote) private {
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        (address token, address pool) = factory.predict(creator, params);
        uniswap.createPool(token, address(weth), POOL_FEE);
        IUniswapV3Pool(pool).initialize(price);
        if (withQuote) _placeQuote(pool, tokenIsToken0);
        if (price != fair) {
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_PoolTaken.selector, pool, price, fair)
            );
            launch(params);
            assertEq(token.code.length, 0, "the launch reverts");
            assertEq(locker.positionOf(token).pool, address(0));
            grind(_changeSalt(params), creator, tokenIsToken0);
            (token, pool) = factory.predict(creator, params);
        }
        vm.roll(block.number + 1);
        launch(params);
        (uint160 launchedAt,) = getPrice(pool);
        assertEq(launchedAt, fair);
    }

    function _changeSalt(ILaunchFactory.LaunchParams memory params)
        private
        pure
        returns (ILaunchFactory.LaunchParams memory)
    {
        params.salt = keccak256(abi.encode(params.salt));
        return params;
    }

    /// @dev Quote-side liquidity needs the price on the correct side of its range. Otherwise the function places
    /// nothing.
    function _placeQuote(address pool, bool tokenIsToken0) private {
        (, int24 tick) = getPrice(pool);
        int24 aligned = tick / 200 * 200;
        // Token0 is placed above the price, token1 below.
        if (tokenIsToken0 && tick > -880_000) trader.mint(pool, address(trader), aligned - 4_000, aligned - 400, 1e6);
        if (!tokenIsToken0 && tick < 880_000) trader.mint(pool, address(trader), aligned + 400, aligned + 4_000, 1e6);
    }
}
