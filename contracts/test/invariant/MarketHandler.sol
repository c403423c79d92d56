// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LockerTest} from "../utils/LockerTest.sol";

interface IPoolLiquidity {
    function liquidity() external view returns (uint128);
}

/// @notice Calls of creators, traders and other accounts: launches, trades, flash loans, liquidity, donations. All
/// inputs are bounded so that the call must succeed.
abstract contract MarketHandler is LockerTest {
    uint256 internal constant MAX_LAUNCHES = 4;

    Launch[] public launches;

    /// @dev Hash of the recorded terms at launch.
    mapping(address token => bytes32) public positionHash;
    /// @dev The liquidity after the last call on the launch, and whether it ever decreased.
    mapping(address token => uint128) public liquiditySeen;
    bool public liquidityFell;
    mapping(address asset => mapping(address to => uint256)) public donated;

    modifier tracksLiquidity(uint256 index) {
        _;
        Launch memory launched = _pick(index);
        uint128 liquidity = lockedLiquidity(launched);
        if (liquidity < liquiditySeen[launched.token]) liquidityFell = true;
        liquiditySeen[launched.token] = liquidity;
    }

    function setUp() public virtual override {
        super.setUp();
        fundNative(address(trader), 1_000_000 ether);
        _record(launchWith(true));
        _record(launchWithPartner(false, 5_000));
        _record(lockWithPolicy(true, 50, 10, 3_333));
    }

    function launchAnother(uint256 orderSeed, uint16 partnerShareBps, uint256 value) external {
        if (launches.length == MAX_LAUNCHES) return;
        ILaunchFactory.LaunchParams memory params = paramsWith(deploySplitter());
        params.partner = partner;
        params.partnerShareBps = partnerShareBps % 5_001;
        grind(params, creator, orderSeed % 2 == 0);
        value = bound(value, 0, 10 ether);
        vm.deal(creator, value);
        vm.prank(creator);
        (address token, address pool,) =
            factory.launch{value: value}(params, ILaunchFactory.InitialBuyParams(address(trader), 0));
        _record(Launch(token, pool, params.splitter, token < address(weth)));
    }

    function trade(uint256 index, uint256 amount, bool isBuy) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        uint256 held = balance(launched.token, address(trader));
        if (isBuy || held == 0) buy(launched, bound(amount, 1, 5 ether));
        else sell(launched, bound(amount, 1, held));
    }

    /// @dev In the empty range beyond the start price only the price changes.
    function pushPrice(uint256 index, uint160 limit) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        if (IPoolLiquidity(launched.pool).liquidity() != 0) return;
        (uint160 price,) = getPrice(launched.pool);
        bool zeroForOne = launched.tokenIsToken0;
        limit = uint160(zeroForOne ? bound(limit, price / 2, price - 1) : bound(limit, price + 1, uint256(price) * 2));
        trader.swapTo(launched.pool, zeroForOne, 1, limit);
    }

    function flashLoan(uint256 index, uint256 amount, bool quoteSide) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        if (IPoolLiquidity(launched.pool).liquidity() == 0) buy(launched, 0.1 ether);
        if (balance(launched.token, address(trader)) == 0) buy(launched, 0.1 ether);
        address asset = quoteSide ? address(weth) : launched.token;
        // The trader must hold the fee of 1%.
        uint256 maxAmount = balance(asset, launched.pool) < balance(asset, address(trader))
            ? balance(asset, launched.pool)
            : balance(asset, address(trader));
        amount = bound(amount, 0, maxAmount);
        bool isToken0 = launched.tokenIsToken0 != quoteSide;
        trader.flash(launched.pool, isToken0 ? amount : 0, isToken0 ? 0 : amount);
    }

    /// @dev Adds liquidity of another account in the same range, for itself or for the locker.
    function addLiquidity(uint256 index, uint128 liquidity, bool toLocker) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        if (balance(launched.token, address(trader)) < 1_000e18) buy(launched, 0.1 ether);
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        liquidity = uint128(bound(liquidity, 1, 1e15));
        trader.mint(
            launched.pool,
            toLocker ? address(locker) : address(trader),
            position.tickLower,
            position.tickUpper,
            liquidity
        );
    }

    function switchPoolFee(uint256 index, uint8 denominator) external tracksLiquidity(index) {
        denominator = uint8(bound(denominator, 3, 10));
        setPoolProtocolFee(_pick(index).pool, denominator == 3 ? 0 : denominator);
    }

    function donate(uint256 index, uint256 amount, uint256 target, bool wrappedNative) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address[3] memory targets = [address(locker), launched.splitter, address(factory)];
        address to = targets[target % 3];
        address asset = wrappedNative ? address(weth) : launched.token;
        amount = bound(amount, 0, balance(asset, address(trader)) / 1_000);
        donated[asset][to] += amount;
        vm.prank(address(trader));
        (bool success,) = asset.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        assertTrue(success);
    }

    function advanceTime(uint256 duration) external {
        vm.warp(block.timestamp + bound(duration, 1, 30 days));
    }

    function launchCount() external view returns (uint256) {
        return launches.length;
    }

    function launchAt(uint256 index) external view returns (Launch memory) {
        return launches[index];
    }

    function _pick(uint256 index) internal view returns (Launch memory) {
        return launches[index % launches.length];
    }

    function _record(Launch memory launched) private {
        launches.push(launched);
        positionHash[launched.token] = keccak256(abi.encode(locker.positionOf(launched.token)));
        liquiditySeen[launched.token] = lockedLiquidity(launched);
        // The locker holds the rounding remainder of the supply from the start, outside every ledger.
        donated[launched.token][address(locker)] = balance(launched.token, address(locker));
    }
}
