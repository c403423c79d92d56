// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LockerTest} from "../utils/LockerTest.sol";

interface IPoolLiquidity {
    function liquidity() external view returns (uint128);
}

/// @notice Calls of creators, traders and other accounts: launches, trades, flash loans, liquidity, donations. All
/// inputs are bounded so that the call must succeed. The handler keeps its own account of what must be true.
abstract contract MarketHandler is LockerTest {
    /// @dev The terms that a launch must have, as the handler knows them.
    struct ExpectedTerms {
        address partner;
        uint16 partnerShareBps;
        uint16 totalFeeBps;
        uint16 protocolFeeBps;
        int24 tickLower;
        int24 tickUpper;
        uint128 liquidity;
        bool madeByFactory;
    }

    uint256 internal immutable MAX_LAUNCHES;

    Launch[] internal launches;
    mapping(address token => ExpectedTerms) internal terms;

    /// @dev The liquidity after the last call on the launch, and whether it ever decreased.
    mapping(address token => uint128) public liquiditySeen;
    bool public liquidityFell;
    mapping(address asset => mapping(address to => uint256)) public donated;
    /// @dev The share that each treasury has set for the partner.
    mapping(address treasury => uint16) internal sharesSet;
    address public expectedTreasury;
    uint256 internal creatorKey;

    constructor(uint256 maxLaunches) {
        MAX_LAUNCHES = maxLaunches;
    }

    /// @dev The share that the registry must have for the partner: that of the present treasury.
    function expectedShare() public view returns (uint16) {
        return sharesSet[expectedTreasury];
    }

    modifier tracksLiquidity(uint256 index) {
        _;
        Launch memory launched = _pick(index);
        uint128 liquidity = _liquidityOf(launched);
        if (liquidity < liquiditySeen[launched.token]) liquidityFell = true;
        liquiditySeen[launched.token] = liquidity;
    }

    function launchAnother(uint256 seed, uint256 value) external {
        if (launches.length >= MAX_LAUNCHES) return;
        bool madeByFactory = seed % 3 == 0;
        ILaunchFactory.LaunchParams memory params = paramsWith(madeByFactory ? makeSplitter() : deploySplitter());
        if (seed % 5 != 0) params.partner = partner;
        params.feeBps = tiers()[seed % 11 % 4];
        grind(params, creator, seed % 2 == 0);
        value = bound(value, 0, 10 ether);
        ILaunchFactory.InitialBuyParams memory buyParams = ILaunchFactory.InitialBuyParams(address(trader), 0);
        address token;
        address pool;
        if (madeByFactory && seed % 7 < 5) {
            (token, pool) = _launchFor(params, buyParams, value);
        } else {
            vm.deal(creator, value);
            vm.prank(creator);
            (token, pool,) = factory.launch{value: value}(params, buyParams);
        }
        IFeeLocker factoryLocker = IFeeLocker(factory.LOCKER());
        Launch memory launched = Launch(token, pool, params.splitter, token < address(weth), factoryLocker);
        uint16 shareBps = params.partner == address(0) ? 0 : expectedShare();
        _record(launched, params.partner, shareBps, params.feeBps, madeByFactory);
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
        // The trader must hold the fee, at most 1%.
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
        liquidity = uint128(bound(liquidity, 1, 1e15));
        ExpectedTerms storage expected = terms[launched.token];
        address owner = toLocker ? address(launched.locker) : address(trader);
        trader.mint(launched.pool, owner, expected.tickLower, expected.tickUpper, liquidity);
    }

    function switchPoolFee(uint256 index, uint8 denominator) external tracksLiquidity(index) {
        denominator = uint8(bound(denominator, 3, 10));
        setPoolProtocolFee(_pick(index).pool, denominator == 3 ? 0 : denominator);
    }

    function donate(uint256 index, uint256 amount, uint256 target, bool wrappedNative) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address[3] memory targets = [address(launched.locker), launched.splitter, address(factory)];
        address to = targets[target % 3];
        address asset = wrappedNative ? address(weth) : launched.token;
        amount = bound(amount, 0, balance(asset, address(trader)) / 1_000);
        donated[asset][to] += amount;
        vm.prank(address(trader));
        (bool success,) = asset.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        assertTrue(success);
    }

    /// @dev Native reaches a splitter by a call, or without one.
    function donateNative(uint256 index, uint256 amount, bool byCall) external {
        Launch memory launched = _pick(index);
        amount = bound(amount, 0, 1 ether);
        donated[address(0)][launched.splitter] += amount;
        if (!byCall) {
            vm.deal(launched.splitter, launched.splitter.balance + amount);
            return;
        }
        vm.deal(address(this), amount);
        (bool success,) = launched.splitter.call{value: amount}("");
        assertTrue(success);
    }

    function advanceTime(uint256 duration) external {
        vm.warp(block.timestamp + bound(duration, 1, 30 days));
    }

    function launchCount() external view returns (uint256) {
        return launches.length;
    }

    function launchAt(uint256 index) external view returns (Launch memory, ExpectedTerms memory) {
        return (launches[index], terms[launches[index].token]);
    }

    function _pick(uint256 index) internal view returns (Launch memory) {
        return launches[index % launches.length];
    }

    /// @dev Stores what must be true of a new launch: its terms, from what the handler passed and the registry's share.
    function _record(
        Launch memory launched,
        address partner_,
        uint16 partnerShareBps,
        uint16 feeBps,
        bool madeByFactory
    ) internal {
        bool isToken0 = launched.tokenIsToken0;
        launches.push(launched);
        terms[launched.token] = ExpectedTerms({
            partner: partner_,
            partnerShareBps: partnerShareBps,
            totalFeeBps: feeBps,
            protocolFeeBps: 10,
            tickLower: isToken0 ? -startTick : -MAX_TICK,
            tickUpper: isToken0 ? MAX_TICK : startTick,
            liquidity: isToken0 ? liquidityIfToken0 : liquidityIfToken1,
            madeByFactory: madeByFactory
        });
        liquiditySeen[launched.token] = _liquidityOf(launched);
        // The locker holds the rounding remainder of the supply from the start, outside every ledger.
        donated[launched.token][address(launched.locker)] = balance(launched.token, address(launched.locker));
    }

    /// @dev Read from the pool with the handler's ticks, not with those that the locker returns.
    function _liquidityOf(Launch memory launched) internal view returns (uint128 liquidity) {
        ExpectedTerms storage expected = terms[launched.token];
        bytes32 key =
            keccak256(abi.encodePacked(address(launched.locker), expected.tickLower, expected.tickUpper));
        (bool success, bytes memory result) =
            launched.pool.staticcall(abi.encodeWithSignature("positions(bytes32)", key));
        require(success, "positions");
        liquidity = abi.decode(result, (uint128));
    }

    function _launchFor(
        ILaunchFactory.LaunchParams memory params,
        ILaunchFactory.InitialBuyParams memory buyParams,
        uint256 value
    ) private returns (address token, address pool) {
        bytes32 digest = factory.digestOf(creator, params, buyParams, value, block.timestamp);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digest);
        bytes memory signature = abi.encodePacked(r, s, v);
        address sender = makeAddr("sender");
        vm.deal(sender, value);
        vm.prank(sender);
        (token, pool,) = factory.launchFor{value: value}(creator, params, buyParams, value, block.timestamp, signature);
    }
}
