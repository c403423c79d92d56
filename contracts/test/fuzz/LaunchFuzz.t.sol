// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ILaunchToken} from "../../src/interfaces/ILaunchToken.sol";
import {LockerTest} from "../utils/LockerTest.sol";


contract LaunchFuzzTest is LockerTest {
    function testFuzz_AnyTextsAndSaltLaunchAtThePredictedAddress(
        string calldata name,
        string calldata symbol,
        string calldata contractURI,
        bytes32 salt,
        address caller
    ) external {
        vm.assume(caller != address(0));
        ILaunchFactory.LaunchParams memory params = paramsWith(deploySplitter());
        (params.name, params.symbol, params.contractURI, params.salt) = (name, symbol, contractURI, salt);
        params.feeBps = tiers()[uint256(salt) % 4];
        (address predictedToken, address predictedPool) = factory.predict(caller, params);
        vm.prank(caller);
        (address token, address pool,) = factory.launch(params, noBuy());
        assertEq(token, predictedToken);
        assertEq(pool, predictedPool);
        assertEq(IERC20(token).name(), name);
        assertEq(IERC20(token).symbol(), symbol);
        assertEq(ILaunchToken(token).contractURI(), contractURI);
        assertLt(balance(token, address(locker)), 26_096);
    }

    function testFuzz_InitialBuySpendsTheWholeValue(uint128 value, bool tokenIsToken0) external {
        value = uint128(bound(value, 1, 1e30));
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        vm.deal(creator, value);
        vm.prank(creator);
        (address token, address pool, uint256 amountOut) =
            factory.launch{value: value}(params, ILaunchFactory.InitialBuyParams(alice, 0));
        assertEq(balance(address(weth), pool), value);
        assertEq(balance(token, alice), amountOut);
        assertLt(amountOut, SUPPLY);
        assertEq(creator.balance, 0);
        assertEq(address(factory).balance + balance(address(weth), address(factory)), 0);
    }

    function testFuzz_AnyTierAppliesToTheCumulativeAmount(
        uint256 tierSeed,
        uint16 partnerShareBps,
        uint96 firstBuy,
        uint96 secondBuy
    ) external {
        uint16 tier = tiers()[tierSeed % 4];
        partnerShareBps = uint16(bound(partnerShareBps, 0, 5_000));
        Launch memory launched = lockElsewhere(tierSeed % 8 < 4, tier, partnerShareBps);
        uint256 collected;
        uint96[2] memory amounts = [firstBuy, secondBuy];
        for (uint256 i; i < 2; ++i) {
            buy(launched, bound(amounts[i], 1, 100 ether));
            (, uint256 quoteAmount) = locker.collect(launched.token);
            collected += quoteAmount;
            locker.settle(launched.token, one(address(weth)));
            uint256 protocolShare = collected * 10 / tier;
            uint256 partnerPart = protocolShare * partnerShareBps / 10_000;
            assertEq(balance(address(weth), partner), partnerPart);
            assertEq(balance(address(weth), treasury), protocolShare - partnerPart);
            assertEq(balance(address(weth), launched.splitter), collected - protocolShare);
        }
        assertEq(balance(address(weth), address(locker)), 0);
    }

    function testFuzz_RoundTripNeverProfits(uint96 amountIn, bool tokenIsToken0) external {
        amountIn = uint96(bound(amountIn, 1_000, 500 ether));
        Launch memory launched = launchWith(tokenIsToken0);
        uint256 bought = buy(launched, amountIn);
        vm.assume(bought != 0);
        assertLt(sell(launched, bought), uint256(amountIn) * 991 / 1_000, "two fees of 1% and the price impact are lost");
    }

    function testFuzz_TransfersConserveTheSupply(address to, uint256 amount) external {
        vm.assume(to != address(0) && to != address(trader));
        Launch memory launched = launchWith(true);
        vm.assume(to != launched.pool && to != address(locker));
        uint256 bought = buy(launched, 1 ether);
        amount = bound(amount, 0, bought);
        vm.prank(address(trader));
        IERC20(launched.token).transfer(to, amount);
        assertEq(balance(launched.token, to), amount);
        assertEq(balance(launched.token, address(trader)), bought - amount);
        assertEq(IERC20(launched.token).totalSupply(), SUPPLY);
        assertEq(lockedLiquidity(launched), locker.positionOf(launched.token).liquidity);
    }
}
