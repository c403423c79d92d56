// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {PoolAddress} from "../../src/libraries/PoolAddress.sol";
import {SlipwayTest} from "./SlipwayTest.sol";
import {StubPool} from "./StubPool.sol";

/// @notice Locks positions with any terms, as the factory of a locker. Token, pool and price are those of a launch.
abstract contract LockerTest is SlipwayTest {
    /// @dev The arguments of `lock`, after the token.
    struct Terms {
        address pool;
        address splitter;
        address partner;
        uint16 partnerShareBps;
        uint16 feeBps;
        uint96 liquidity;
    }

    /// @dev A locker whose factory is this test.
    function deployLocker(address treasury_) internal returns (IFeeLocker) {
        return IFeeLocker(deploy("FeeLocker", abi.encode(treasury_, weth, uniswap, startTick)));
    }

    /// @dev A token whose supply `locker` holds, and its pool at the start price.
    function openUnlocked(bool tokenIsToken0) internal returns (Launch memory) {
        return openUnlocked(tokenIsToken0, FEE_BPS);
    }

    function openUnlocked(bool tokenIsToken0, uint16 feeBps) internal returns (Launch memory opened) {
        bytes memory arguments = abi.encode("Tier", "TIER", "", address(locker));
        do {
            opened.token = deploy("LaunchToken", arguments);
        } while ((opened.token < address(weth)) != tokenIsToken0);
        opened.tokenIsToken0 = tokenIsToken0;
        opened.pool = uniswap.createPool(opened.token, address(weth), uint24(feeBps) * 100);
        opened.splitter = deploySplitter();
        opened.locker = locker;
        IUniswapV3Pool(opened.pool).initialize(tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1);
    }

    function termsFor(Launch memory opened) internal view returns (Terms memory) {
        return Terms({
            pool: opened.pool,
            splitter: opened.splitter,
            partner: address(0),
            partnerShareBps: 0,
            feeBps: FEE_BPS,
            liquidity: uint96(opened.tokenIsToken0 ? liquidityIfToken0 : liquidityIfToken1)
        });
    }

    function lockAsFactory(address token, Terms memory terms) internal returns (uint256) {
        address owner = locker.FACTORY();
        vm.prank(owner);
        return lockAsCaller(token, terms);
    }

    function lockAsCaller(address token, Terms memory terms) internal returns (uint256) {
        return locker.lock(
            token,
            terms.pool,
            terms.splitter,
            terms.partner,
            terms.partnerShareBps,
            terms.feeBps,
            terms.liquidity
        );
    }

    /// @dev A launch of another deployment, in a locker of its own, which becomes `locker`.
    function lockElsewhere(bool tokenIsToken0, uint16 feeBps, uint16 partnerShareBps)
        internal
        returns (Launch memory opened)
    {
        locker = deployLocker(treasury);
        opened = openUnlocked(tokenIsToken0, feeBps);
        Terms memory terms = termsFor(opened);
        terms.feeBps = feeBps;
        if (partnerShareBps != 0) (terms.partner, terms.partnerShareBps) = (partner, partnerShareBps);
        lockAsFactory(opened.token, terms);
    }

    /// @dev Locks a position of `token` whose pool is a stub. The tier is 100 unless the terms name one.
    function lockWithStub(address token, Terms memory terms) internal returns (StubPool pool) {
        address wrapped = locker.WRAPPED_NATIVE();
        if (terms.feeBps == 0) terms.feeBps = FEE_BPS;
        uint24 poolFee = uint24(terms.feeBps) * 100;
        terms.pool = PoolAddress.compute(locker.UNISWAP_FACTORY(), token, wrapped, poolFee);
        vm.etch(terms.pool, address(new StubPool()).code);
        lockAsFactory(token, terms);
        return StubPool(terms.pool);
    }
}
