// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {Trader} from "../utils/Trader.sol";

/// @notice Attacks whose gain somebody else pays: a buyer between two trades, and the buyers after a sniper. The tests
/// print the gains, require their bounds, and compare them with the table of contracts/REVIEW.md. Amounts are wrapped
/// native; the supply costs about 1.5 at the start price.
contract EconomicAttacksTest is SlipwayTest {
    Trader private attacker;
    Trader private victim;

    function setUp() public override {
        super.setUp();
        attacker = new Trader();
        victim = new Trader();
    }

    /// @dev A buyer with a minimum is sandwiched with every size that still lets its trade pass. The attacker's best gain
    /// is below the worth of the tokens that the slippage lets the buyer lose, at the price after its buy.
    function test_C8_11_SandwichOfABuyerGainsLessThanItsSlippage() external {
        uint256[3] memory amounts = [uint256(0.01 ether), 0.1 ether, 1 ether];
        uint256[3] memory slippages = [uint256(50), 100, 500];
        for (uint256 order; order < 2; ++order) {
            for (uint256 i; i < 3; ++i) {
                int256[] memory gains = new int256[](3);
                for (uint256 j; j < 3; ++j) {
                    uint256 worth;
                    (gains[j], worth) = _bestSandwich(order == 0, FEE_BPS, amounts[i], slippages[j]);
                    _log("sandwich", order == 0, amounts[i], slippages[j], gains[j]);
                    assertLt(gains[j], int256(worth), "the gain is below the buyer's loss");
                    // Two fees of 1% are more than a small buy can lose.
                    if (i == 0) assertLe(gains[j], 0);
                }
                if (i == 1) _assertReviewed("sandwich of a buy of 0.1, slippage 0.5% / 1% / 5%", gains, 0);
                if (i == 2) _assertReviewed("sandwich of a buy of 1, slippage 0.5% / 1% / 5%", gains, 0);
            }
        }
    }

    /// @dev A sandwich pays the fee twice: a lower tier leaves the attacker more, but less than the buyer's minimum allows.
    function test_C8_11_SandwichOfABuyerInEveryTierGainsLessThanItsSlippage() external {
        for (uint256 order; order < 2; ++order) {
            int256[] memory gains = new int256[](4);
            for (uint256 i; i < 4; ++i) {
                uint256 worth;
                (gains[i], worth) = _bestSandwich(order == 0, tiers()[i], 0.1 ether, 100);
                assertLt(gains[i], int256(worth), "the gain is below the buyer's loss");
                if (i != 0) assertGt(gains[i], gains[i - 1], "a lower fee leaves the attacker more");
            }
            _assertReviewed("sandwich of a buy of 0.1, slippage 1%, fee of 100 / 50 / 30 / 10 bp", gains, 0);
        }
    }

    /// @dev A sniper buys directly after the launch and sells after the public's buys. The creator's initial buy comes
    /// first: it takes the cheapest tokens, and leaves the sniper less.
    function test_C8_11_AnInitialBuyTakesTheSnipersGain() external {
        for (uint256 order; order < 2; ++order) {
            int256[] memory gains = new int256[](4);
            uint256[4] memory initial = [uint256(0), 0.1 ether, 0.5 ether, 2 ether];
            for (uint256 i; i < 4; ++i) {
                gains[i] = _snipe(order == 0, initial[i], 0.2 ether, 1 ether);
                _log("sniper of 0.2 before 1.0 of the public, after an initial buy of", order == 0, initial[i], 0, gains[i]);
                if (i != 0) assertLt(gains[i], gains[i - 1], "each larger initial buy leaves less");
            }
            assertGt(gains[0], 0, "without an initial buy the sniper gains");
            assertLt(gains[3], gains[0] / 2);
            int256[] memory without = new int256[](1);
            without[0] = gains[0];
            _assertReviewed(
                "sniper of 0.2 in the first block, before 1.0 of the public, without an initial buy", without, 0
            );
            _assertReviewed("the same after an initial buy of 0.1 / 0.5 / 2.0", gains, 1);
        }
    }

    /// @dev The sniper takes its best size, and knows what the public will buy.
    function test_C8_32_TheBestSniperGainsLessAfterAnInitialBuy() external {
        uint256[3] memory initial = [uint256(0), 0.5 ether, 2 ether];
        for (uint256 order; order < 2; ++order) {
            int256[] memory gains = new int256[](3);
            for (uint256 i; i < 3; ++i) {
                gains[i] = type(int256).min;
                for (uint256 size = 0.05 ether; size < 20 ether; size = size * 3 / 2) {
                    int256 gain = _snipe(order == 0, initial[i], size, 1 ether);
                    if (gain > gains[i]) gains[i] = gain;
                }
                _log("best sniper before 1.0 of the public, after an initial buy of", order == 0, initial[i], 0, gains[i]);
                // What the public pays in all bounds what anybody before it can gain.
                assertLt(gains[i], 1 ether);
                if (i != 0) assertLt(gains[i], gains[i - 1]);
            }
            _assertReviewed("a sniper of the best size, after an initial buy of 0 / 0.5 / 2.0", gains, 0);
        }
    }

    /// @dev Nobody buys after the sniper: it loses both fees.
    function test_C8_11_ASniperWithoutFollowersLosesTheFees() external {
        for (uint256 order; order < 2; ++order) {
            uint256[3] memory amounts = [uint256(0.01 ether), 0.2 ether, 2 ether];
            int256[] memory gains = new int256[](3);
            for (uint256 i; i < 3; ++i) {
                gains[i] = _snipe(order == 0, 0, amounts[i], 0);
                _log("sniper alone with", order == 0, amounts[i], 0, gains[i]);
                assertLt(gains[i], -int256(amounts[i] / 100), "more than one fee of 1%");
            }
            _assertReviewed("sniper of 0.01 / 0.2 / 2.0 without followers", gains, 0);
        }
    }

    /// @dev The launch and the initial buy are one transaction: no one trades between them, and the buy gets exactly what
    /// a first buyer gets.
    function test_C8_11_InitialBuyIsTheFirstTradeInTheLaunchTransaction() external {
        for (uint256 order; order < 2; ++order) {
            uint256 expected = buy(launchWith(order == 0), 1 ether);
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            vm.prank(creator);
            (address token, address pool, uint256 amountOut) =
                factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(creator, expected));
            assertEq(amountOut, expected);
            Launch memory next = Launch(token, pool, params.splitter, order == 0, locker);
            assertLt(buy(next, 1 ether), amountOut, "later buyers pay more");
        }
    }

    /// @dev Liquidity for the time of one trade takes a part of its fee from the launch. It cannot take more than the fee.
    function test_C8_11_LiquidityForOneTradeTakesAtMostItsFee() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWith(order == 0);
            uint256 held = buy(launched, 1 ether);
            locker.collect(launched.token);
            (int24 lower, int24 upper) = order == 0 ? (-startTick, MAX_TICK) : (-MAX_TICK, startTick);
            uint128 liquidity = lockedLiquidity(launched);
            // As much as the trader's tokens allow, above the current price.
            trader.mint(launched.pool, address(trader), lower, upper, liquidity / 10);
            assertLt(balance(launched.token, address(trader)), held);
            uint256 amount = 1 ether;
            buy(launched, amount);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            _log("fee left for the launch of a buy of 1.0", order == 0, amount, 0, int256(quoteAmount));
            // A tenth more liquidity takes an eleventh of the fee.
            assertApproxEqRel(quoteAmount, amount / 100 * 10 / 11, 0.001e18);
        }
    }

    /// @return best The greatest gain of the attacker, over its sizes.
    /// @return worth What the buyer's slippage is worth, in wrapped native.
    function _bestSandwich(bool tokenIsToken0, uint16 feeBps, uint256 amount, uint256 slippageBps)
        private
        returns (int256 best, uint256 worth)
    {
        Launch memory launched = launchInTier(tokenIsToken0, feeBps);
        buy(launched, 0.5 ether);
        uint256 minimum;
        (minimum, worth) = _minimumAndWorth(launched, amount, slippageBps);
        best = type(int256).min;
        // Geometric sizes, from far too small to too large for the buyer's minimum.
        for (uint256 size = 1e13; size < 2 ether; size = size * 5 / 4) {
            uint256 snapshot = vm.snapshotState();
            fundNative(address(attacker), size);
            uint256 taken = _buyAs(attacker, launched, size);
            fundNative(address(victim), amount);
            bool passes = _buyAs(victim, launched, amount) >= minimum;
            int256 gain = int256(_sellAs(attacker, launched, taken)) - int256(size);
            if (passes && gain > best) best = gain;
            vm.revertToState(snapshot);
        }
    }

    /// @return gain Of a sniper that buys with `size` after the launch and sells after the public has bought.
    function _snipe(bool tokenIsToken0, uint256 initial, uint256 size, uint256 publicBuys)
        private
        returns (int256 gain)
    {
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        vm.prank(creator);
        (address token, address pool,) =
            factory.launch{value: initial}(params, ILaunchFactory.InitialBuyParams(creator, 0));
        Launch memory launched = Launch(token, pool, params.splitter, tokenIsToken0, locker);
        fundNative(address(attacker), size);
        uint256 taken = _buyAs(attacker, launched, size);
        if (publicBuys != 0) {
            fundNative(address(victim), publicBuys);
            _buyAs(victim, launched, publicBuys);
        }
        return int256(_sellAs(attacker, launched, taken)) - int256(size);
    }

    function _minimumAndWorth(Launch memory launched, uint256 amount, uint256 slippageBps)
        private
        returns (uint256 minimum, uint256 worth)
    {
        uint256 snapshot = vm.snapshotState();
        uint256 expected = buy(launched, amount);
        (uint160 price,) = getPrice(launched.pool);
        vm.revertToState(snapshot);
        minimum = expected * (10_000 - slippageBps) / 10_000;
        (uint256 numerator, uint256 denominator) =
            launched.tokenIsToken0 ? (uint256(price), uint256(1 << 96)) : (uint256(1 << 96), uint256(price));
        worth = FixedPointMathLib.fullMulDiv(expected - minimum, numerator, denominator);
        worth = FixedPointMathLib.fullMulDiv(worth, numerator, denominator);
    }

    function _buyAs(Trader account, Launch memory launched, uint256 amount) private returns (uint256) {
        (int256 amount0, int256 amount1) = account.swap(launched.pool, !launched.tokenIsToken0, int256(amount));
        return uint256(-(launched.tokenIsToken0 ? amount0 : amount1));
    }

    function _sellAs(Trader account, Launch memory launched, uint256 amount) private returns (uint256) {
        (int256 amount0, int256 amount1) = account.swap(launched.pool, launched.tokenIsToken0, int256(amount));
        return uint256(-(launched.tokenIsToken0 ? amount1 : amount0));
    }

    /// @dev The row of contracts/REVIEW.md with the gains from `first` on, rounded to four decimals.
    function _assertReviewed(string memory attack, int256[] memory gains, uint256 first) private {
        string memory figures = _format(gains[first]);
        for (uint256 i = first + 1; i < gains.length; ++i) {
            figures = string.concat(figures, " / ", _format(gains[i]));
        }
        string memory row = string.concat("| ", attack, " | ", figures, " |");
        assertTrue(
            vm.contains(vm.readFile("contracts/REVIEW.md"), row), string.concat("not in contracts/REVIEW.md: ", row)
        );
    }

    function _format(int256 gain) private pure returns (string memory) {
        uint256 rounded = (uint256(gain < 0 ? -gain : gain) + 0.00005 ether) / 0.0001 ether;
        // 10,000 + the decimals has five digits, of which the first one is cut.
        bytes memory digits = bytes(vm.toString(10_000 + rounded % 10_000));
        bytes memory decimals = abi.encodePacked(digits[1], digits[2], digits[3], digits[4]);
        return string.concat(gain < 0 ? "-" : "", vm.toString(rounded / 10_000), ".", string(decimals));
    }

    function _log(string memory what, bool tokenIsToken0, uint256 amount, uint256 slippageBps, int256 gain) private {
        string memory slippage = slippageBps == 0 ? "" : string.concat(", slippage ", vm.toString(slippageBps), " bp");
        string memory order = tokenIsToken0 ? " (token0)" : " (token1)";
        emit log_named_decimal_int(
            string.concat(what, " ", vm.toString(amount / 1e12), "e12", slippage, order, ": gain"), gain, 18
        );
    }
}
