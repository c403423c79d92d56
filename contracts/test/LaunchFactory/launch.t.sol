// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Vm} from "forge-std/Vm.sol";

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ILaunchToken} from "../../src/interfaces/ILaunchToken.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {LaunchedEvent} from "../utils/LaunchedEvent.sol";
import {StubPool, StubUniswapFactory} from "../utils/StubPool.sol";
import {IUniswapOwner, SlipwayTest} from "../utils/SlipwayTest.sol";

contract LaunchFactoryLaunchTest is SlipwayTest {
    function test_WhenTheSplitterHasNoCode() external {
        ILaunchFactory.LaunchParams memory params = paramsWith(alice);
        _expectInvalidSplitter(params);
        params.splitter = address(0);
        _expectInvalidSplitter(params);
    }

    function test_WhenTheSplitterIsAContractOfTheSystem() external {
        address[6] memory parts = [
            address(factory),
            address(locker),
            address(weth),
            address(uniswap),
            address(splitters),
            splitters.IMPLEMENTATION()
        ];
        for (uint256 i; i < parts.length; ++i) {
            _expectInvalidSplitter(paramsWith(parts[i]));
        }
    }

    function test_WhenTheCodeOfTheSplitterIsNotThatOfAClone() external {
        bytes memory code = deploySplitter().code;
        // Every byte of the proxy counts, the implementation included.
        for (uint256 i; i < 45; ++i) {
            bytes memory changed = bytes.concat(code);
            changed[i] ^= 0x01;
            _expectInvalidSplitter(paramsWith(_etch(changed)));
        }
        address other = deployVendor("wrapped-native/WETH9", "");
        ISplitterFactory foreign = ISplitterFactory(deploy("SplitterFactory", abi.encode(other)));
        _expectInvalidSplitter(paramsWith(create(foreign.creationCode(_one(alice), _shares(10_000)))));
    }

    function test_WhenTheSplitterHasNoEntryOrMoreThanTwentyOrAPart() external {
        bytes memory code = deploySplitter().code;
        bytes memory proxy = new bytes(45);
        for (uint256 i; i < 45; ++i) {
            proxy[i] = code[i];
        }
        _expectInvalidSplitter(paramsWith(_etch(proxy)));
        _expectInvalidSplitter(paramsWith(_etch(bytes.concat(code, hex"00"))));
        bytes memory entries;
        for (uint256 i; i < 21; ++i) {
            entries = bytes.concat(entries, bytes20(uint160(i + 1)), bytes2(uint16(i == 20 ? 500 : 475)));
        }
        _expectInvalidSplitter(paramsWith(_etch(bytes.concat(proxy, entries))));
    }

    function test_WhenAPayeeOfTheSplitterIsZero() external {
        _expectInvalidEntries(
            _two(alice, address(0)),
            [uint16(5_000), 5_000],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayee.selector, 1, address(0))
        );
    }

    function test_WhenAPayeeOfTheSplitterIsTheSplitterItself() external {
        address predicted = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        _expectInvalidEntries(
            _two(predicted, alice),
            [uint16(5_000), 5_000],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidPayee.selector, 0, predicted)
        );
    }

    function test_WhenAShareOfTheSplitterIsZero() external {
        _expectInvalidEntries(
            _two(alice, bob),
            [uint16(0), 10_000],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidShare.selector, 0)
        );
    }

    function test_WhenAPayeeOfTheSplitterIsListedTwice() external {
        _expectInvalidEntries(
            _two(alice, alice),
            [uint16(5_000), 5_000],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_DuplicatePayee.selector, alice)
        );
    }

    function test_WhenTheSharesOfTheSplitterDoNotSumTo10000() external {
        _expectInvalidEntries(
            _two(alice, bob),
            [uint16(5_000), 5_001],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, 10_001)
        );
        _expectInvalidEntries(
            _two(alice, bob),
            [uint16(4_999), 5_000],
            abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, 9_999)
        );
    }

    function test_WhenTheSplitterHasOneToTwentyPayees() external {
        for (uint256 count = 1; count <= 20; ++count) {
            address[] memory payees = new address[](count);
            uint16[] memory shares = new uint16[](count);
            for (uint256 i; i < count; ++i) {
                (payees[i], shares[i]) = (address(uint160(i + 1)), uint16(10_000 / count));
            }
            shares[0] += uint16(10_000 % count);
            launch(paramsWith(deploySplitter(payees, shares)));
            launch(paramsWith(splitters.create(payees, shares, 0)));
        }
    }

    function test_WhenTheFeeIsNoTierOfLaunches() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        // Uniswap has a pool fee of 5 basis points, launches do not.
        uint16[5] memory others = [uint16(0), 5, 20, 1, 110];
        for (uint256 i; i < others.length; ++i) {
            params.feeBps = others[i];
            _expectInvalidFee(params);
        }
    }

    function test_WhenTheUniswapFactoryLacksTheTier() external {
        uniswap = IUniswapV3Factory(deployVendor("uniswap-v3/UniswapV3Factory", ""));
        factory = deployFactory();
        for (uint256 i; i < 4; ++i) {
            // A canonical factory has 1% and 0.3%.
            ILaunchFactory.LaunchParams memory params = paramsInTier(true, tiers()[i]);
            if (i % 2 == 0) launch(params);
            else _expectInvalidFee(params);
        }
        IUniswapOwner(address(uniswap)).enableFeeAmount(5_000, 70);
        _expectInvalidFee(paramsInTier(true, 50));
        IUniswapOwner(address(uniswap)).enableFeeAmount(1_000, 20);
        launch(paramsInTier(true, 10));
    }

    function test_WhenThePartnerIsAContractOfTheSystem() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        // The launch's own token and pool are not possible: their addresses depend on the partner.
        address[6] memory parts = [
            address(factory),
            address(locker),
            address(weth),
            address(uniswap),
            address(splitters),
            splitters.IMPLEMENTATION()
        ];
        for (uint256 i; i < parts.length; ++i) {
            params.partner = parts[i];
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidPartner.selector, parts[i]));
            launch(params);
        }
    }

    function test_WhenThePartnerHasNoEntryInTheRegistry() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        params.partner = partner;
        vm.recordLogs();
        IFeeLocker.Position memory position = locker.positionOf(launch(params).token);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        LaunchedEvent.Data memory data = LaunchedEvent.decode(logs[LaunchedEvent.find(logs, address(factory))]);
        assertEq(position.partner, partner);
        assertEq(position.partnerShareBps, 0);
        assertEq(data.partner, partner);
        assertEq(data.partnerShareBps, 0);
    }

    function test_WhenTheMetadataExceedsTheContractSizeLimit() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        params.contractURI = string(new bytes(24_576 - bytes("SlipSLIP").length));
        vm.expectRevert(abi.encodeWithSelector(ILaunchToken.LaunchToken_MetadataTooLong.selector, 24_576, 24_575));
        launch(params);
        params.contractURI = string(new bytes(24_575 - bytes("SlipSLIP").length));
        assertEq(ILaunchToken(launch(params).token).contractURI(), params.contractURI);
    }

    function test_WhenTheCallerHasUsedTheSaltAndParametersBefore() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        address token = launch(params).token;
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
        launch(params);
    }

    function test_WhenTheStartPriceConstantsDoNotMatchTheStartTick() external {
        startTick = 204_000;
        factory = deployFactory();
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        vm.expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_StartPriceMissed.selector, -203_400, -204_000)
        );
        launch(params);
        params = paramsFor(false);
        vm.expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_StartPriceMissed.selector, 203_400, 204_000)
        );
        launch(params);
    }

    function test_WhenTheLiquidityDoesNotUseTheWholeSupply() external {
        // Each unit of liquidity costs about 26,095 base units of the token. 1e12 base units may stay unplaced.
        (uint128 max0, uint128 max1) = (liquidityIfToken0, liquidityIfToken1);
        (liquidityIfToken0, liquidityIfToken1) = (max0 - 39_000_000, max1 - 39_000_000);
        factory = deployFactory();
        _expectSupplyNotPlaced(true);
        _expectSupplyNotPlaced(false);
        (liquidityIfToken0, liquidityIfToken1) = (max0 - 38_000_000, max1 - 38_000_000);
        factory = deployFactory();
        launchWith(true);
        launchWith(false);
    }

    function test_WhenTheUnplacedSupplyIsExactlyTheMaximum() external {
        uniswap = IUniswapV3Factory(address(new StubUniswapFactory()));
        factory = deployFactory();
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        (, address predicted) = factory.predict(creator, params);
        vm.etch(predicted, address(new StubPool()).code);
        StubPool pool = StubPool(predicted);
        pool.setLaunchResult(sqrtPriceIfToken0, -startTick, SUPPLY - 1e12 - 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_SupplyNotPlaced.selector, SUPPLY - 1e12 - 1, SUPPLY
            )
        );
        launch(params);
        pool.setLaunchResult(sqrtPriceIfToken0, -startTick, SUPPLY - 1e12);
        launch(params);
    }

    function test_WhenTheStartPriceIsAboveItsTickAndTheTokenIsToken0() external {
        sqrtPriceIfToken0 += 1e12;
        factory = deployFactory();
        locker = IFeeLocker(factory.LOCKER());
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        (address token,) = factory.predict(creator, params);
        vm.expectPartialRevert(IFeeLocker.FeeLocker_NotSingleSided.selector);
        launch(params);
        assertEq(token.code.length, 0, "the launch reverts");
    }

    function test_GivenThePoolExistsUninitialised() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            (address token, address predicted) = factory.predict(creator, params);
            assertEq(uniswap.createPool(address(weth), token, POOL_FEE), predicted);
            assertEq(launch(params).pool, predicted);
            _assertAtStartPrice(predicted, order == 0);
        }
    }

    function test_GivenThePoolExistsAtTheStartPrice() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            (address token, address predicted) = factory.predict(creator, params);
            uniswap.createPool(token, address(weth), POOL_FEE);
            IUniswapV3Pool(predicted).initialize(order == 0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1);
            launch(params);
            _assertAtStartPrice(predicted, order == 0);
        }
    }

    function test_GivenThePoolExistsAtAnotherPrice() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            (address token, address pool) = factory.predict(creator, params);
            uniswap.createPool(token, address(weth), POOL_FEE);
            uint160 expected = order == 0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1;
            IUniswapV3Pool(pool).initialize(expected + 1);
            vm.expectRevert(
                abi.encodeWithSelector(
                    ILaunchFactory.LaunchFactory_PoolTaken.selector, pool, expected + 1, expected
                )
            );
            launch(params);
        }
    }

    function test_WhenEverythingIsValidAndTheTokenIsToken0() external {
        for (uint256 i; i < 4; ++i) {
            _launchAndCheck(true, tiers()[i], liquidityIfToken0, -startTick, -startTick, MAX_TICK);
        }
    }

    function test_WhenEverythingIsValidAndTheTokenIsToken1() external {
        for (uint256 i; i < 4; ++i) {
            _launchAndCheck(false, tiers()[i], liquidityIfToken1, startTick, -MAX_TICK, startTick);
        }
    }

    function _launchAndCheck(
        bool tokenIsToken0,
        uint16 feeBps,
        uint128 liquidity,
        int24 tickStart,
        int24 tickLower,
        int24 tickUpper
    ) private {
        ILaunchFactory.LaunchParams memory params = paramsInTier(tokenIsToken0, feeBps);
        registerPartner(partner, 2_500);
        params.partner = partner;
        grind(params, creator, tokenIsToken0);
        (address token, address pool) = factory.predict(creator, params);

        vm.expectEmit(address(locker));
        emit IFeeLocker.PositionLocked(token, pool, liquidity);
        vm.recordLogs();
        Launch memory launched = launch(params);
        LaunchedEvent.Data memory data = LaunchedEvent.Data({
            pool: pool,
            name: params.name,
            symbol: params.symbol,
            contractURI: params.contractURI,
            tickStart: tickStart,
            tickLower: tickLower,
            tickUpper: tickUpper,
            liquidity: liquidity,
            totalFeeBps: feeBps,
            protocolFeeBps: 10,
            partner: partner,
            partnerShareBps: 2_500,
            salt: params.salt
        });
        _checkLaunched(params, vm.getRecordedLogs(), abi.encode(data));

        assertEq(launched.token, token, "predicted token");
        assertEq(launched.pool, pool, "predicted pool");
        assertEq(uniswap.getPool(token, address(weth), uint24(feeBps) * 100), pool);
        _assertAtStartPrice(pool, tokenIsToken0);
        assertEq(lockedLiquidity(launched), liquidity);
        assertEq(IERC20(token).totalSupply(), SUPPLY);
        // The remainder is less than the cost of one more unit of liquidity.
        assertLt(balance(token, address(locker)), 26_096);
        assertEq(balance(token, pool) + balance(token, address(locker)), SUPPLY);

        IFeeLocker.Position memory position = locker.positionOf(token);
        IFeeLocker.Position memory expected = IFeeLocker.Position({
            pool: pool,
            splitter: params.splitter,
            partner: partner,
            partnerShareBps: 2_500,
            totalFeeBps: feeBps,
            protocolFeeBps: 10,
            tickLower: tickLower,
            tickUpper: tickUpper,
            tokenIsToken0: tokenIsToken0,
            liquidity: liquidity
        });
        assertEq(keccak256(abi.encode(position)), keccak256(abi.encode(expected)), "position");
    }

    function _checkLaunched(ILaunchFactory.LaunchParams memory params, Vm.Log[] memory logs, bytes memory expected)
        private
        view
    {
        Vm.Log memory log = logs[LaunchedEvent.find(logs, address(factory))];
        (address token,) = factory.predict(creator, params);
        assertEq(log.topics[1], bytes32(uint256(uint160(token))));
        assertEq(log.topics[2], bytes32(uint256(uint160(creator))));
        assertEq(log.topics[3], bytes32(uint256(uint160(params.splitter))));
        assertEq(abi.encode(LaunchedEvent.decode(log)), expected, "Launched");
    }

    function _assertAtStartPrice(address pool, bool tokenIsToken0) private view {
        (uint160 sqrtPriceX96, int24 tick) = getPrice(pool);
        assertEq(sqrtPriceX96, tokenIsToken0 ? sqrtPriceIfToken0 : sqrtPriceIfToken1, "start price");
        assertEq(tick, tokenIsToken0 ? -startTick : startTick, "start tick");
    }

    function _expectSupplyNotPlaced(bool tokenIsToken0) private {
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_SupplyNotPlaced.selector);
        launch(params);
    }

    function _expectInvalidFee(ILaunchFactory.LaunchParams memory params) private {
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidFee.selector, params.feeBps));
        launch(params);
    }

    function _expectInvalidSplitter(ILaunchFactory.LaunchParams memory params) private {
        vm.expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, params.splitter)
        );
        launch(params);
    }

    /// @dev Created by a creation transaction, which does not check the entries.
    function _expectInvalidEntries(address[] memory payees, uint16[2] memory pair, bytes memory reason) private {
        uint16[] memory shares = new uint16[](2);
        (shares[0], shares[1]) = (pair[0], pair[1]);
        ILaunchFactory.LaunchParams memory params = paramsWith(deploySplitter(payees, shares));
        vm.expectRevert(reason);
        launch(params);
    }

    function _etch(bytes memory code) private returns (address account) {
        account = address(uint160(uint256(keccak256(code))));
        vm.etch(account, code);
    }

    function _one(address payee) private pure returns (address[] memory payees) {
        payees = new address[](1);
        payees[0] = payee;
    }

    function _two(address first, address second) private pure returns (address[] memory payees) {
        payees = new address[](2);
        (payees[0], payees[1]) = (first, second);
    }

    function _shares(uint16 share) private pure returns (uint16[] memory shares) {
        shares = new uint16[](1);
        shares[0] = share;
    }
}
