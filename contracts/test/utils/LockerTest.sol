// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {SlipwayTest} from "./SlipwayTest.sol";

/// @notice Locks positions with any fee policy by impersonating the factory. Token, pool and price are those of a
/// launch.
abstract contract LockerTest is SlipwayTest {
    /// @dev A token whose supply the locker holds, and its pool at the start price.
    function openUnlocked(bool tokenIsToken0) internal returns (Launch memory opened) {
        bytes memory arguments = abi.encode("Tier", "TIER", "", address(locker));
        do {
            opened.token = deploy("LaunchToken", arguments);
        } while ((opened.token < address(weth)) != tokenIsToken0);
        opened.tokenIsToken0 = tokenIsToken0;
        opened.pool = uniswap.createPool(opened.token, address(weth), POOL_FEE);
        opened.splitter = deploySplitter();
        IUniswapV3Pool(opened.pool).initialize(tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1);
    }

    function positionFor(Launch memory opened) internal view returns (IFeeLocker.Position memory) {
        return IFeeLocker.Position({
            pool: opened.pool,
            splitter: opened.splitter,
            partner: address(0),
            partnerShareBps: 0,
            totalFeeBps: 100,
            protocolFeeBps: 10,
            tickLower: opened.tokenIsToken0 ? -startTick : -887_200,
            tickUpper: opened.tokenIsToken0 ? int24(887_200) : startTick,
            tokenIsToken0: opened.tokenIsToken0,
            liquidity: opened.tokenIsToken0 ? liquidityIfToken0 : liquidityIfToken1
        });
    }

    function lockAsFactory(address token, IFeeLocker.Position memory position) internal returns (uint256) {
        vm.prank(address(factory));
        return locker.lock(token, position);
    }

    /// @dev A launch with another fee policy than the factory's.
    function lockWithPolicy(bool tokenIsToken0, uint16 totalFeeBps, uint16 protocolFeeBps, uint16 partnerShareBps)
        internal
        returns (Launch memory opened)
    {
        opened = openUnlocked(tokenIsToken0);
        IFeeLocker.Position memory position = positionFor(opened);
        position.totalFeeBps = totalFeeBps;
        position.protocolFeeBps = protocolFeeBps;
        if (partnerShareBps != 0) (position.partner, position.partnerShareBps) = (partner, partnerShareBps);
        lockAsFactory(opened.token, position);
    }
}
