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
        uint96 liquidity;
    }

    /// @dev A locker whose factory is this test.
    function deployLocker(address treasury_, uint16 totalFeeBps, uint16 protocolFeeBps) internal returns (IFeeLocker) {
        bytes memory arguments = abi.encode(treasury_, weth, uniswap, startTick, totalFeeBps, protocolFeeBps);
        return IFeeLocker(deploy("FeeLocker", arguments));
    }

    /// @dev A token whose supply `locker` holds, and its pool at the start price.
    function openUnlocked(bool tokenIsToken0) internal returns (Launch memory opened) {
        bytes memory arguments = abi.encode("Tier", "TIER", "", address(locker));
        do {
            opened.token = deploy("LaunchToken", arguments);
        } while ((opened.token < address(weth)) != tokenIsToken0);
        opened.tokenIsToken0 = tokenIsToken0;
        opened.pool = uniswap.createPool(opened.token, address(weth), POOL_FEE);
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
            token, terms.pool, terms.splitter, terms.partner, terms.partnerShareBps, terms.liquidity
        );
    }

    /// @dev A launch with another fee policy than the factory's, in a locker of its own, which becomes `locker`.
    function lockWithPolicy(bool tokenIsToken0, uint16 totalFeeBps, uint16 protocolFeeBps, uint16 partnerShareBps)
        internal
        returns (Launch memory opened)
    {
        locker = deployLocker(treasury, totalFeeBps, protocolFeeBps);
        opened = openUnlocked(tokenIsToken0);
        Terms memory terms = termsFor(opened);
        if (partnerShareBps != 0) (terms.partner, terms.partnerShareBps) = (partner, partnerShareBps);
        lockAsFactory(opened.token, terms);
    }

    /// @dev Locks a position of `token` whose pool is a stub.
    function lockWithStub(address token, Terms memory terms) internal returns (StubPool pool) {
        address wrapped = locker.WRAPPED_NATIVE();
        terms.pool = PoolAddress.compute(locker.UNISWAP_FACTORY(), token, wrapped, POOL_FEE);
        vm.etch(terms.pool, address(new StubPool()).code);
        lockAsFactory(token, terms);
        return StubPool(terms.pool);
    }
}
