// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

contract UniswapWithTickSpacing70 {
    function feeAmountTickSpacing(uint24) external pure returns (int24) {
        return 70;
    }
}

contract LaunchFactoryConstructorTest is SlipwayTest {
    /// @dev External, so that `vm.expectRevert` applies to the whole deployment.
    function deployFromFields() external returns (ILaunchFactory) {
        return deployFactory();
    }

    function test_WhenTheUniswapFactoryHasNoCode() external {
        uniswap = IUniswapV3Factory(alice);
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidAddress.selector, alice));
    }

    function test_WhenTheWrappedNativeTokenHasNoCode() external {
        weth = IWrappedNative(alice);
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidAddress.selector, alice));
    }

    function test_WhenTheSplitterFactoryHasNoCode() external {
        splitters = ISplitterFactory(alice);
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidAddress.selector, alice));
    }

    function test_WhenTheSplitterFactoryIsForAnotherWrappedNativeToken() external {
        address other = deployVendor("wrapped-native/WETH9", "");
        splitters = ISplitterFactory(deploy("SplitterFactory", abi.encode(other)));
        _expectRevert(
            abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidAddress.selector, address(splitters))
        );
    }

    function test_WhenTheUniswapFactoryLacksTheTierOf1Percent() external {
        uniswap = IUniswapV3Factory(address(new UniswapWithTickSpacing70()));
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidFee.selector, 100));
    }

    function test_WhenTheStartTickIsNotAMultipleOf600() external {
        int24[6] memory others = [int24(203_401), 203_399, 203_420, 203_460, 203_500, 203_200];
        for (uint256 i; i < others.length; ++i) {
            startTick = others[i];
            _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidStartTick.selector, startTick));
        }
    }

    function test_WhenTheStartTickIsAnEndOfTheRange() external {
        startTick = 886_800;
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidStartTick.selector, startTick));
        startTick = -886_800;
        _expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidStartTick.selector, startTick));
    }

    function test_WhenTheStartPricesAreNotReciprocal() external {
        uint160 valid = sqrtPriceIfToken0;
        // One tick is 5e-5 of the square root price. Smaller deviations must be detected, in both directions.
        sqrtPriceIfToken0 = valid + valid / 1e9;
        _expectInvalidPrices();
        sqrtPriceIfToken0 = valid - valid / 1e9;
        _expectInvalidPrices();
    }

    function test_WhenAStartPriceIsOutOfBounds() external {
        (uint160 valid0, uint160 valid1) = (sqrtPriceIfToken0, sqrtPriceIfToken1);
        sqrtPriceIfToken0 = 4_295_128_738;
        _expectInvalidPrices();
        (sqrtPriceIfToken0, sqrtPriceIfToken1) = (valid0, 4_295_128_738);
        _expectInvalidPrices();
        sqrtPriceIfToken1 = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342;
        _expectInvalidPrices();
        (sqrtPriceIfToken0, sqrtPriceIfToken1) = (sqrtPriceIfToken1, valid1);
        _expectInvalidPrices();
    }

    function test_WhenALiquidityIsZero() external {
        uint128 valid = liquidityIfToken0;
        liquidityIfToken0 = 0;
        _expectInvalidLiquidity();
        (liquidityIfToken0, liquidityIfToken1) = (valid, 0);
        _expectInvalidLiquidity();
    }

    function test_WhenALiquidityIsTooLargeToStore() external {
        uint128 valid = liquidityIfToken0;
        liquidityIfToken0 = 1 << 96;
        _expectInvalidLiquidity();
        (liquidityIfToken0, liquidityIfToken1) = (valid, 1 << 96);
        _expectInvalidLiquidity();
        liquidityIfToken1 = (1 << 96) - 1;
        deployFactory();
    }

    function test_WhenTheTreasuryIsZero() external {
        treasury = address(0);
        _expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_InvalidTreasury.selector, address(0)));
    }

    function test_WhenEverythingIsValid() external view {
        assertEq(locker.FACTORY(), address(factory), "factory of the locker");
        assertEq(locker.treasury(), treasury);
        assertEq(locker.WRAPPED_NATIVE(), address(weth));
        assertEq(factory.UNISWAP_FACTORY(), address(uniswap));
        assertEq(factory.WRAPPED_NATIVE(), address(weth));
        assertEq(factory.SPLITTER_FACTORY(), address(splitters));
        assertEq(factory.SPLITTER_IMPLEMENTATION(), splitters.IMPLEMENTATION());
        assertEq(factory.START_TICK(), 203_400);
        assertEq(locker.UNISWAP_FACTORY(), address(uniswap));
        assertEq(locker.START_TICK(), 203_400);
        assertEq(locker.PROTOCOL_FEE_BPS(), 10);
        assertEq(factory.PROTOCOL_FEE_BPS(), 10);
        assertEq(factory.MAX_PARTNER_SHARE_BPS(), 5_000);
    }

    function _expectInvalidPrices() private {
        _expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_InvalidStartPrices.selector, sqrtPriceIfToken0, sqrtPriceIfToken1
            )
        );
    }

    function _expectInvalidLiquidity() private {
        _expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_InvalidLiquidity.selector, liquidityIfToken0, liquidityIfToken1
            )
        );
    }

    function _expectRevert(bytes memory reason) private {
        vm.expectRevert(reason);
        this.deployFromFields();
    }
}
