// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ScriptedPool} from "../utils/ScriptedPool.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice The shipped bytecode and the real pool against exact integers and packages/protocol, bit for bit. The
/// cases come from contracts/tools/vectors.ts; SLIPWAY_VECTORS names another file of them.
contract DifferentialTest is SlipwayTest {
    uint256 private _launches = 0x10000;

    function test_C8_15_FeeArithmeticEqualsExactIntegers() external {
        _inChunks(".fees", 132, this.checkFees);
    }

    function test_C8_15_SplitterClaimsEqualThePackage() external {
        _inChunks(".splits", 66, this.checkSplits);
    }

    function test_C8_15_PoolTicksEqualThePackage() external {
        _inChunks(".prices", 23, this.checkPrices);
    }

    function test_C8_15_FirstBuysEqualExactIntegers() external {
        _inChunks(".buys", 48, this.checkBuys);
    }

    function checkFees(bytes memory cases) external {
        ScriptedPool pool = new ScriptedPool();
        bytes memory tokenCode = address(new PlainToken(18)).code;
        for (uint256 offset; offset < cases.length; offset += 132) {
            // The ledger is keyed by the launch token; each case is a launch of its own.
            address launched = address(uint160(++_launches));
            vm.etch(launched, tokenCode);
            _lockScripted(launched, address(pool), cases, offset);
            pool.script(uint128(_read(cases, offset + 4, 16)), 0);
            locker.collect(launched);
            _assertTotals(launched, cases, offset + 36);
            pool.script(uint128(_read(cases, offset + 20, 16)), 0);
            locker.collect(launched);
            _assertTotals(launched, cases, offset + 84);
        }
    }

    function checkSplits(bytes memory cases) external {
        PlainToken token = new PlainToken(18);
        address[] memory assets = one(address(token));
        bytes memory creationCode = creationCodeOf("FeeSplitter");
        for (uint256 offset; offset < cases.length; offset += 66) {
            uint16 share = uint16(_read(cases, offset, 2));
            IFeeSplitter splitter = IFeeSplitter(create(bytes.concat(creationCode, _pairOf(share))));
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
        Launch memory launched0 = launchWith(true);
        Launch memory launched1 = launchWith(false);
        for (uint256 offset; offset < cases.length; offset += 48) {
            uint256 amountIn = _read(cases, offset, 16);
            uint256 amountOut = _probe(abi.encodeCall(this.probeBuy, (launched0, amountIn)));
            assertEq(amountOut, _read(cases, offset + 16, 16));
            amountOut = _probe(abi.encodeCall(this.probeBuy, (launched1, amountIn)));
            assertEq(amountOut, _read(cases, offset + 32, 16));
        }
    }

    /// @dev Answers by reverting, so that every case finds the same state.
    function probePrice(address pool, uint160 sqrtPriceX96) external {
        IUniswapV3Pool(pool).initialize(sqrtPriceX96);
        (, int24 tick) = priceOf(pool);
        _answer(uint24(tick));
    }

    function probeBuy(Launch memory launched, uint256 amountIn) external {
        _answer(buy(launched, amountIn));
    }

    function test_C8_15_InitialBuyEqualsAPlainFirstBuy() external {
        for (uint256 order; order < 2; ++order) {
            uint256 expected = buy(launchWith(order == 0), 0.37 ether);
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            vm.prank(creator);
            (,, uint256 amountOut) =
                factory.launch{value: 0.37 ether}(params, ILaunchFactory.InitialBuy(creator, expected));
            assertEq(amountOut, expected);
        }
    }

    function test_C8_15_StartPricesAreTheExactBoundariesOfTheStartTick() external {
        uint160[2] memory prices = [sqrtPriceIfToken0, sqrtPriceIfToken1];
        int24[2] memory ticks = [-startTick, startTick];
        for (uint256 i; i < 2; ++i) {
            address pool = uniswap.createPool(address(uint160(0x20000000 + i)), address(weth), POOL_FEE);
            uint256 snapshot = vm.snapshotState();
            IUniswapV3Pool(pool).initialize(prices[i]);
            (, int24 tick) = priceOf(pool);
            assertEq(tick, ticks[i]);
            vm.revertToState(snapshot);
            IUniswapV3Pool(pool).initialize(prices[i] - 1);
            (, tick) = priceOf(pool);
            assertEq(tick, ticks[i] - 1);
        }
    }

    function test_C8_15_LiquidityIsTheMostThatTheSupplyPaysFor() external {
        (uint128 most0, uint128 most1) = (liquidityIfToken0, liquidityIfToken1);
        launchWith(true);
        launchWith(false);
        (liquidityIfToken0, liquidityIfToken1) = (most0 + 1, most1 + 1);
        factory = deployFactory();
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            vm.expectRevert();
            launch(params);
        }
    }

    function _lockScripted(address token, address pool, bytes memory cases, uint256 offset) private {
        IFeeLocker.Position memory position;
        position.pool = pool;
        position.splitter = alice;
        position.partner = partner;
        position.partnerShareBps = uint16(_read(cases, offset + 2, 2));
        position.totalFeeBps = uint16(_read(cases, offset, 2));
        position.protocolFeeBps = 10;
        position.tokenIsToken0 = true;
        vm.prank(address(factory));
        locker.lock(token, position);
    }

    function _assertTotals(address token, bytes memory cases, uint256 offset) private view {
        IFeeLocker.Ledger memory ledger = locker.ledgerOf(token, token);
        assertEq(ledger.protocolTotal, _read(cases, offset, 16), "protocol");
        assertEq(ledger.partnerTotal, _read(cases, offset + 16, 16), "partner");
        assertEq(ledger.collaboratorsTotal, _read(cases, offset + 32, 16), "collaborators");
    }

    /// @dev A call for each hundred cases: memory is only given back when a call ends.
    function _inChunks(string memory key, uint256 size, function(bytes memory) external check) private {
        bytes memory cases = _load(key, size);
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
        (bool success, bytes memory answer) = address(this).call(call);
        assertFalse(success);
        assertEq(answer.length, 32, "the probe itself failed");
        return abi.decode(answer, (uint256));
    }

    function _answer(uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(0, value)
            revert(0, 32)
        }
    }

    function _pairOf(uint16 share) private view returns (bytes memory) {
        address[] memory payees = new address[](2);
        uint16[] memory shares = new uint16[](2);
        (payees[0], payees[1]) = (alice, bob);
        (shares[0], shares[1]) = (share, 10_000 - share);
        return abi.encode(payees, shares);
    }

    function _load(string memory key, uint256 size) private view returns (bytes memory cases) {
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
