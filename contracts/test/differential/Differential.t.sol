// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {StubPool} from "../utils/StubPool.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

interface IUniswapV3Spacing {
    function tickSpacing() external view returns (int24);
}

/// @notice Compares the released bytecode and the published pool with exact integers and with packages/protocol, bit
/// for bit. contracts/tools/vectors.ts generates the cases; SLIPWAY_VECTORS selects another file.
contract DifferentialTest is LockerTest {
    uint256 private _launches = 0x10000;

    function test_C8_15_FeeArithmeticEqualsExactIntegers() external {
        _checkInChunks(".fees", 132, this.checkFees);
    }

    function test_C8_15_SplitterClaimsEqualThePackage() external {
        _checkInChunks(".splits", 66, this.checkSplits);
    }

    function test_C8_15_PoolTicksEqualThePackage() external {
        _checkInChunks(".prices", 23, this.checkPrices);
    }

    function test_C8_15_FirstBuysEqualExactIntegers() external {
        _checkInChunks(".buys", 50, this.checkBuys);
    }

    function checkFees(bytes memory cases) external {
        locker = deployLocker(treasury);
        for (uint256 offset; offset < cases.length; offset += 132) {
            // The ledger is keyed by the launch token. Each case uses another token, below the wrapped native token.
            address launched = address(uint160(++_launches));
            Terms memory terms;
            terms.splitter = alice;
            terms.feeBps = uint16(_read(cases, offset, 2));
            terms.partner = partner;
            terms.partnerShareBps = uint16(_read(cases, offset + 2, 2));
            StubPool pool = lockWithStub(launched, terms);
            pool.setCollected(uint128(_read(cases, offset + 4, 16)), 0);
            locker.collect(launched);
            _assertTotals(launched, cases, offset + 36);
            pool.setCollected(uint128(_read(cases, offset + 20, 16)), 0);
            locker.collect(launched);
            _assertTotals(launched, cases, offset + 84);
        }
    }

    function checkSplits(bytes memory cases) external {
        PlainToken token = new PlainToken(18);
        address[] memory assets = one(address(token));
        for (uint256 offset; offset < cases.length; offset += 66) {
            uint16 share = uint16(_read(cases, offset, 2));
            IFeeSplitter splitter = IFeeSplitter(_deployPair(share));
            token.mint(address(splitter), _read(cases, offset + 2, 16));
            assertEq(splitter.claimable(address(token), alice), _read(cases, offset + 34, 16));
            splitter.release(assets, alice);
            token.mint(address(splitter), _read(cases, offset + 18, 16));
            assertEq(splitter.claimable(address(token), alice), _read(cases, offset + 50, 16));
        }
    }

    function checkPrices(bytes memory cases) external {
        address pool = uniswap.createPool(address(uint160(++_launches)), address(weth), POOL_FEE);
        for (uint256 offset; offset < cases.length; offset += 23) {
            uint256 tick = _probe(abi.encodeCall(this.probePrice, (pool, uint160(_read(cases, offset, 20)))));
            assertEq(uint24(tick), _read(cases, offset + 20, 3));
        }
    }

    function checkBuys(bytes memory cases) external {
        Launch[2][4] memory launched;
        for (uint256 i; i < 8; ++i) {
            launched[i / 2][i % 2] = launchInTier(i % 2 == 0, tiers()[i / 2]);
        }
        for (uint256 offset; offset < cases.length; offset += 50) {
            Launch[2] memory pair = launched[_indexOfTier(_read(cases, offset, 2))];
            uint256 amountIn = _read(cases, offset + 2, 16);
            for (uint256 order; order < 2; ++order) {
                uint256 amountOut = _probe(abi.encodeCall(this.probeBuy, (pair[order], amountIn)));
                assertEq(amountOut, _read(cases, offset + 18 + 16 * order, 16));
            }
        }
    }

    /// @dev Returns the result by reverting, so that every case starts from the same state.
    function probePrice(address pool, uint160 sqrtPriceX96) external {
        IUniswapV3Pool(pool).initialize(sqrtPriceX96);
        (, int24 tick) = getPrice(pool);
        _returnResult(uint24(tick));
    }

    function probeBuy(Launch memory launched, uint256 amountIn) external {
        _returnResult(buy(launched, amountIn));
    }

    function test_C8_15_InitialBuyEqualsAPlainFirstBuy() external {
        for (uint256 i; i < 8; ++i) {
            uint256 expected = buy(launchInTier(i < 4, tiers()[i % 4]), 0.37 ether);
            ILaunchFactory.LaunchParams memory params = paramsInTier(i < 4, tiers()[i % 4]);
            vm.prank(creator);
            (,, uint256 amountOut) =
                factory.launch{value: 0.37 ether}(params, ILaunchFactory.InitialBuyParams(creator, expected));
            assertEq(amountOut, expected);
        }
    }

    function test_C8_15_StartPricesAreTheExactBoundariesOfTheStartTick() external {
        uint160[2] memory prices = [sqrtPriceIfToken0, sqrtPriceIfToken1];
        int24[2] memory ticks = [-startTick, startTick];
        for (uint256 i; i < 8; ++i) {
            (uint160 price, int24 expected) = (prices[i % 2], ticks[i % 2]);
            uint24 poolFee = uint24(tiers()[i / 2]) * 100;
            address pool = uniswap.createPool(address(uint160(0x20000000 + i)), address(weth), poolFee);
            uint256 snapshot = vm.snapshotState();
            IUniswapV3Pool(pool).initialize(price);
            (, int24 tick) = getPrice(pool);
            assertEq(tick, expected);
            assertEq(tick % IUniswapV3Spacing(pool).tickSpacing(), 0);
            vm.revertToState(snapshot);
            IUniswapV3Pool(pool).initialize(price - 1);
            (, tick) = getPrice(pool);
            assertEq(tick, expected - 1);
        }
    }

    function test_C8_15_LiquidityIsTheMaximumThatTheSupplyFunds() external {
        (uint128 max0, uint128 max1) = (liquidityIfToken0, liquidityIfToken1);
        for (uint256 i; i < 8; ++i) {
            launchInTier(i < 4, tiers()[i % 4]);
        }
        (liquidityIfToken0, liquidityIfToken1) = (max0 + 1, max1 + 1);
        factory = deployFactory();
        for (uint256 i; i < 8; ++i) {
            ILaunchFactory.LaunchParams memory params = paramsInTier(i < 4, tiers()[i % 4]);
            vm.expectRevert();
            launch(params);
        }
    }

    function _indexOfTier(uint256 feeBps) private pure returns (uint256 index) {
        while (tiers()[index] != feeBps) ++index;
    }

    function _assertTotals(address token, bytes memory cases, uint256 offset) private view {
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(token, token);
        assertEq(ledger.protocolTotal, _read(cases, offset, 16), "protocol");
        assertEq(ledger.partnerTotal, _read(cases, offset + 16, 16), "partner");
        assertEq(ledger.collaboratorsTotal, _read(cases, offset + 32, 16), "collaborators");
    }

    /// @dev One call for each hundred cases: memory is released only when a call ends.
    function _checkInChunks(string memory key, uint256 size, function(bytes memory) external check) private {
        bytes memory cases = _readCases(key, size);
        for (uint256 offset; offset < cases.length; offset += 100 * size) {
            uint256 left = cases.length - offset;
            bytes memory chunk = new bytes(left < 100 * size ? left : 100 * size);
            assembly ("memory-safe") {
                mcopy(add(chunk, 32), add(add(cases, 32), offset), mload(chunk))
            }
            check(chunk);
        }
    }

    function _probe(bytes memory call) private returns (uint256) {
        (bool success, bytes memory result) = address(this).call(call);
        assertFalse(success);
        assertEq(result.length, 32, "the probe failed");
        return abi.decode(result, (uint256));
    }

    function _returnResult(uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(0, value)
            revert(0, 32)
        }
    }

    function _deployPair(uint16 share) private returns (address) {
        address[] memory payees = new address[](2);
        uint16[] memory shares = new uint16[](2);
        (payees[0], payees[1]) = (alice, bob);
        (shares[0], shares[1]) = (share, 10_000 - share);
        return deploySplitter(payees, shares);
    }

    function _readCases(string memory key, uint256 size) private view returns (bytes memory cases) {
        string memory path = vm.envOr("SLIPWAY_VECTORS", string("contracts/test/differential/vectors.json"));
        cases = vm.parseJsonBytes(vm.readFile(path), key);
        assertGt(cases.length, 0);
        assertEq(cases.length % size, 0);
    }

    /// @dev The big-endian number of `size` bytes at an offset.
    function _read(bytes memory cases, uint256 offset, uint256 size) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := shr(sub(256, mul(8, size)), mload(add(add(cases, 32), offset)))
        }
    }
}
