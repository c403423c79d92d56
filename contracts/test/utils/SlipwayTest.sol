// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IUniswapV3Factory} from "../../src/interfaces/external/IUniswapV3Factory.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {Artifacts} from "./Artifacts.sol";
import {Trader} from "./Trader.sol";

interface IUniswapOwner {
    function enableFeeAmount(uint24 fee, int24 tickSpacing) external;
    function setFeeProtocol(uint8 feeProtocol0, uint8 feeProtocol1) external;
}

/// @notice Deploys the published Uniswap v3 and wrapped native, and the launch contracts.
abstract contract SlipwayTest is Artifacts {
    uint256 internal constant SUPPLY = 1_000_000_000e18;
    /// @dev The greatest tick that every tier has.
    int24 internal constant MAX_TICK = 886_800;
    /// @dev The tier of a launch whose test does not depend on it, and its pool fee in Uniswap's unit.
    uint16 internal constant FEE_BPS = 100;
    uint24 internal constant POOL_FEE = 10_000;

    struct Launch {
        address token;
        address pool;
        address splitter;
        bool tokenIsToken0;
        IFeeLocker locker;
    }

    int24 internal startTick;
    uint160 internal sqrtPriceIfToken0;
    uint160 internal sqrtPriceIfToken1;
    uint128 internal liquidityIfToken0;
    uint128 internal liquidityIfToken1;

    IUniswapV3Factory internal uniswap;
    IWrappedNative internal weth;
    ISplitterFactory internal splitters;
    ILaunchFactory internal factory;
    IFeeLocker internal locker;
    Trader internal trader;
    address internal treasury = makeAddr("treasury");
    address internal creator = makeAddr("creator");
    address internal partner = makeAddr("partner");
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");

    uint256 private _nextSalt;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        readConstants();
        uniswap = IUniswapV3Factory(deployVendor("uniswap-v3/UniswapV3Factory", ""));
        // The tiers that packages/deploy adds to a Uniswap of its own.
        IUniswapOwner(address(uniswap)).enableFeeAmount(5_000, 100);
        IUniswapOwner(address(uniswap)).enableFeeAmount(1_000, 20);
        weth = IWrappedNative(deployVendor("wrapped-native/WETH9", ""));
        splitters = ISplitterFactory(deploy("SplitterFactory", abi.encode(weth)));
        factory = deployFactory();
        locker = IFeeLocker(factory.LOCKER());
        trader = deployTrader();
        fundNative(address(trader), 1_000 ether);
        vm.deal(creator, 1_000 ether);
        vm.label(address(uniswap), "uniswap");
        vm.label(address(weth), "weth");
        vm.label(address(factory), "factory");
        vm.label(address(locker), "locker");
    }

    function readConstants() internal {
        string memory json = vm.readFile("contracts/artifacts/launchConstants.json");
        startTick = int24(vm.parseJsonInt(json, ".startTick"));
        sqrtPriceIfToken0 = uint160(vm.parseJsonUint(json, ".sqrtPriceX96IfToken0"));
        sqrtPriceIfToken1 = uint160(vm.parseJsonUint(json, ".sqrtPriceX96IfToken1"));
        liquidityIfToken0 = uint128(vm.parseJsonUint(json, ".liquidityIfToken0"));
        liquidityIfToken1 = uint128(vm.parseJsonUint(json, ".liquidityIfToken1"));
    }

    function deployTrader() internal virtual returns (Trader) {
        return new Trader();
    }

    function deployFactory() internal returns (ILaunchFactory) {
        return ILaunchFactory(
            deploy(
                "LaunchFactory",
                abi.encode(
                    uniswap,
                    weth,
                    splitters,
                    treasury,
                    startTick,
                    sqrtPriceIfToken0,
                    sqrtPriceIfToken1,
                    liquidityIfToken0,
                    liquidityIfToken1
                )
            )
        );
    }

    function fundNative(address account, uint256 amount) internal {
        vm.deal(address(this), address(this).balance + amount);
        weth.deposit{value: amount}();
        weth.transfer(account, amount);
    }

    /// @dev By a creation transaction: does not check the allocations.
    function deploySplitter(address[] memory payees, uint16[] memory shares) internal returns (address) {
        return create(splitters.creationCode(payees, shares));
    }

    /// @dev Alice 70%, Bob 30%, by a creation transaction.
    function deploySplitter() internal returns (address) {
        (address[] memory payees, uint16[] memory shares) = _pair();
        return deploySplitter(payees, shares);
    }

    /// @dev Alice 70%, Bob 30%, by the splitter factory: `launchFor` accepts no other splitter.
    function makeSplitter() internal returns (address) {
        (address[] memory payees, uint16[] memory shares) = _pair();
        return splitters.create(payees, shares, bytes32(_nextSalt++));
    }

    function _pair() private view returns (address[] memory payees, uint16[] memory shares) {
        payees = new address[](2);
        shares = new uint16[](2);
        (payees[0], payees[1]) = (alice, bob);
        (shares[0], shares[1]) = (7_000, 3_000);
    }

    function noBuy() internal pure returns (ILaunchFactory.InitialBuyParams memory none) {}

    function paramsWith(address splitter) internal returns (ILaunchFactory.LaunchParams memory params) {
        params.name = "Slip";
        params.symbol = "SLIP";
        params.contractURI = "data:application/json,{}";
        params.splitter = splitter;
        params.salt = bytes32(_nextSalt++);
        params.feeBps = FEE_BPS;
    }

    /// @dev The tiers of launches, in basis points.
    function tiers() internal pure returns (uint16[4] memory) {
        return [uint16(100), 50, 30, 10];
    }

    /// @dev Tries salts until the token has the requested order in the pool.
    function paramsFor(bool tokenIsToken0) internal returns (ILaunchFactory.LaunchParams memory params) {
        params = paramsWith(deploySplitter());
        grind(params, creator, tokenIsToken0);
    }

    function paramsInTier(bool tokenIsToken0, uint16 feeBps)
        internal
        returns (ILaunchFactory.LaunchParams memory params)
    {
        params = paramsWith(deploySplitter());
        params.feeBps = feeBps;
        grind(params, creator, tokenIsToken0);
    }

    function grind(ILaunchFactory.LaunchParams memory params, address caller, bool tokenIsToken0) internal {
        while (true) {
            (address token,) = factory.predict(caller, params);
            if ((token < address(weth)) == tokenIsToken0) return;
            params.salt = bytes32(_nextSalt++);
        }
    }

    function launch(ILaunchFactory.LaunchParams memory params) internal returns (Launch memory launched) {
        vm.prank(creator);
        (launched.token, launched.pool,) = factory.launch(params, noBuy());
        launched.splitter = params.splitter;
        launched.tokenIsToken0 = launched.token < address(weth);
        launched.locker = locker;
    }

    function launchWith(bool tokenIsToken0) internal returns (Launch memory) {
        return launch(paramsFor(tokenIsToken0));
    }

    function launchInTier(bool tokenIsToken0, uint16 feeBps) internal returns (Launch memory) {
        return launch(paramsInTier(tokenIsToken0, feeBps));
    }

    function launchWithPartner(bool tokenIsToken0, uint16 partnerShareBps) internal returns (Launch memory) {
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        registerPartner(partner, partnerShareBps);
        params.partner = partner;
        grind(params, creator, tokenIsToken0);
        return launch(params);
    }

    function registerPartner(address account, uint16 shareBps) internal {
        address current = IFeeLocker(factory.LOCKER()).treasury();
        vm.prank(current);
        factory.setPartnerShare(account, shareBps);
    }

    /// @return amountOut Launch tokens bought with `amountIn` wrapped native.
    function buy(Launch memory launched, uint256 amountIn) internal returns (uint256 amountOut) {
        (int256 amount0, int256 amount1) = trader.swap(launched.pool, !launched.tokenIsToken0, int256(amountIn));
        return uint256(-(launched.tokenIsToken0 ? amount0 : amount1));
    }

    /// @return amountOut Wrapped native received for `amountIn` launch tokens.
    function sell(Launch memory launched, uint256 amountIn) internal returns (uint256 amountOut) {
        (int256 amount0, int256 amount1) = trader.swap(launched.pool, launched.tokenIsToken0, int256(amountIn));
        return uint256(-(launched.tokenIsToken0 ? amount1 : amount0));
    }

    /// @dev Makes the position earn fees in both assets.
    function makeFees(Launch memory launched) internal {
        uint256 bought = buy(launched, 1 ether);
        sell(launched, bought / 2);
    }

    function bothAssets(address token) internal view returns (address[] memory assets) {
        assets = new address[](2);
        (assets[0], assets[1]) = (token, address(weth));
    }

    function one(address asset) internal pure returns (address[] memory assets) {
        assets = new address[](1);
        assets[0] = asset;
    }

    function getPrice(address pool) internal view returns (uint160 sqrtPriceX96, int24 tick) {
        (sqrtPriceX96, tick,,,,,) = IUniswapV3Pool(pool).slot0();
    }

    function lockedLiquidity(Launch memory launched) internal view returns (uint128 liquidity) {
        IFeeLocker.Position memory position = launched.locker.positionOf(launched.token);
        bytes32 key = keccak256(abi.encodePacked(address(launched.locker), position.tickLower, position.tickUpper));
        (bool success, bytes memory result) =
            launched.pool.staticcall(abi.encodeWithSignature("positions(bytes32)", key));
        require(success, "positions");
        liquidity = abi.decode(result, (uint128));
    }

    function balance(address asset, address account) internal view returns (uint256) {
        return IERC20(asset).balanceOf(account);
    }

    function setPoolProtocolFee(address pool, uint8 denominator) internal {
        // The test deployed the Uniswap factory and is its owner.
        IUniswapOwner(pool).setFeeProtocol(denominator, denominator);
    }
}
