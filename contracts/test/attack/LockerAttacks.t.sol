// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";

/// @notice A contract of the attacker that calls the locker's mint callback.
contract AttackerPool {
    function requestPayment(address locker, address token, uint256 amount) external {
        IUniswapV3MintCallback(locker).uniswapV3MintCallback(amount, 0, abi.encode(token, true));
    }
}

contract ForcedSender {
    constructor(address to) payable {
        selfdestruct(payable(to));
    }
}

contract LockerAttacksTest is LockerTest {
    function test_C8_04_NoCallerReducesOrMovesThePosition() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        uint128 liquidity = lockedLiquidity(launched);
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        address[5] memory callers = [treasury, creator, address(factory), launched.splitter, makeAddr("anyone")];
        for (uint256 i; i < callers.length; ++i) {
            vm.startPrank(callers[i]);
            // A position belongs to the account that minted it: another account has no liquidity in the same range.
            (bool success,) = launched.pool.call(
                abi.encodeCall(IUniswapV3Pool.burn, (position.tickLower, position.tickUpper, 1))
            );
            assertFalse(success);
            (uint128 amount0, uint128 amount1) = IUniswapV3Pool(launched.pool).collect(
                callers[i], position.tickLower, position.tickUpper, type(uint128).max, type(uint128).max
            );
            assertEq(amount0 + amount1, 0);
            vm.stopPrank();
        }
        assertEq(lockedLiquidity(launched), liquidity);
    }

    function test_C8_04_NoFunctionOfTheLockerReducesTheLiquidity() external {
        Launch memory launched = launchWithPartner(false, 5_000);
        uint128 liquidity = lockedLiquidity(launched);
        makeFees(launched);
        locker.collect(launched.token);
        locker.settle(launched.token, bothAssets(launched.token));
        vm.prank(treasury);
        locker.proposeTreasury(alice);
        vm.prank(alice);
        locker.acceptTreasury();
        assertEq(lockedLiquidity(launched), liquidity);
        string[6] memory absent = [
            "burn(address)",
            "withdraw(address)",
            "multicall(bytes[])",
            "approve(address,uint256)",
            "decreaseLiquidity(address,uint128)",
            "onERC721Received(address,address,uint256,bytes)"
        ];
        for (uint256 i; i < absent.length; ++i) {
            (bool success,) = address(locker).call(abi.encodeWithSignature(absent[i], launched.token, 1, 1, ""));
            assertFalse(success, absent[i]);
        }
    }

    function test_C8_04_ForeignPoolIsNotPaid() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        locker.collect(launched.token);
        AttackerPool attackerPool = new AttackerPool();
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, address(attackerPool)));
        attackerPool.requestPayment(address(locker), launched.token, 1);
    }

    /// @dev A wrapped native that re-enters during settlement is paid out once.
    function test_C8_04_ReentryDuringSettlementPaysOnce() external {
        AdverseToken quote = new AdverseToken(AdverseToken.Fault.Callback, 18);
        // The test is the factory of this locker.
        IFeeLocker own = IFeeLocker(deploy("FeeLocker", abi.encode(treasury, quote)));
        StubPool pool = new StubPool();
        IFeeLocker.Position memory position;
        (position.pool, position.splitter, position.totalFeeBps, position.protocolFeeBps) =
            (address(pool), alice, 100, 10);
        own.lock(bob, position);
        pool.setCollected(1_000, 0);
        quote.mint(address(own), 5_000);
        own.collect(bob);
        quote.onTransferCall(address(own), abi.encodeCall(own.settle, (bob, one(address(quote)))));
        own.settle(bob, one(address(quote)));
        assertEq(quote.balanceOf(alice), 900);
        assertEq(quote.balanceOf(treasury), 100);
    }

    function test_C8_04_LiquidityMintedToTheLockerStaysAndEarnsFees() external {
        Launch memory launched = launchWith(true);
        uint128 liquidity = lockedLiquidity(launched);
        buy(launched, 1 ether);
        IFeeLocker.Position memory position = locker.positionOf(launched.token);
        trader.mint(launched.pool, address(locker), position.tickLower, position.tickUpper, 1e15);
        assertEq(lockedLiquidity(launched), liquidity + 1e15);
        buy(launched, 1 ether);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        assertApproxEqAbs(quoteAmount, 0.02 ether, 3);
        assertEq(lockedLiquidity(launched), liquidity + 1e15);
    }

    function testFuzz_C8_05_FeesAreConservedForAnyOrderAndSizeOfClaims(uint256 seed, uint16 shareBps) external {
        shareBps = uint16(bound(shareBps, 0, 5_000));
        Launch memory launched = shareBps == 0 ? launchWith(seed % 2 == 0) : launchWithPartner(seed % 2 == 0, shareBps);
        uint256 collected;
        for (uint256 i; i < 12; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            buy(launched, 1 + random % 10 ** (random % 19));
            if (random % 5 < 3) {
                (, uint256 quoteAmount) = locker.collect(launched.token);
                collected += quoteAmount;
            }
            if (random % 7 < 3) locker.settle(launched.token, one(address(weth)));
            if (random % 3 == 0) IFeeSplitter(launched.splitter).release(one(address(weth)), alice);
        }
        locker.settle(launched.token, one(address(weth)));
        IFeeSplitter(launched.splitter).release(one(address(weth)), alice);
        IFeeSplitter(launched.splitter).release(one(address(weth)), bob);
        uint256 protocol = collected / 10;
        assertEq(balance(address(weth), treasury) + balance(address(weth), partner), protocol, "10 of 100");
        uint256 paid = balance(address(weth), alice) + balance(address(weth), bob);
        uint256 dust = balance(address(weth), launched.splitter);
        assertEq(protocol + paid + dust, collected, "the parts sum to the collected amount");
        assertLe(dust, 1, "the remainder is below one unit for each payee");
        assertEq(balance(address(weth), address(locker)), 0);
    }

    function test_C8_05_SplitIsExactWhenUniswapEnablesItsProtocolFee() external {
        for (uint8 denominator = 4; denominator <= 10; ++denominator) {
            Launch memory launched = launchWith(denominator % 2 == 0);
            setPoolProtocolFee(launched.pool, denominator);
            buy(launched, 1 ether);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            uint256 uniswapPart = (0.01 ether - 1) / denominator;
            assertApproxEqAbs(quoteAmount, 0.01 ether - uniswapPart, 2, "1% minus the Uniswap protocol fee");
            locker.settle(launched.token, one(address(weth)));
            assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10, "90% of the remainder");
        }
    }

    function test_C8_07_StagesAreIdempotentInAnyOrderAndForAnyCaller() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWithPartner(order == 0, 1_000);
            IFeeSplitter splitter = IFeeSplitter(launched.splitter);
            address[] memory assets = bothAssets(launched.token);
            vm.startPrank(makeAddr("stranger"));
            splitter.release(assets, alice);
            locker.settle(launched.token, assets);
            locker.collect(launched.token);
            locker.settle(launched.token, assets);
            vm.stopPrank();
            makeFees(launched);
            vm.startPrank(makeAddr("stranger"));
            splitter.release(assets, alice);
            locker.collect(launched.token);
            locker.collect(launched.token);
            locker.settle(launched.token, assets);
            locker.settle(launched.token, assets);
            splitter.release(assets, alice);
            splitter.release(assets, alice);
            splitter.release(assets, bob);
            vm.stopPrank();
            assertEq(balance(launched.token, makeAddr("stranger")), 0);
            assertEq(balance(address(weth), makeAddr("stranger")), 0);
            uint256 collaborators = locker.ledgerOf(launched.token, launched.token).collaboratorsTotal;
            assertEq(balance(launched.token, alice), collaborators * 7 / 10);
            assertEq(balance(launched.token, bob), collaborators * 3 / 10);
        }
    }

    function test_C8_08_LaterDeploymentsDoNotChangeTheLaunchPolicy() external {
        Launch memory old = lockWithPolicy(true, 50, 10, 0);
        bytes32 recorded = keccak256(abi.encode(locker.positionOf(old.token)));
        // A later deployment, a later launch and another treasury.
        address oldFactory = address(factory);
        deployFactory();
        launchWithPartner(true, 5_000);
        vm.prank(treasury);
        locker.proposeTreasury(alice);
        vm.prank(alice);
        locker.acceptTreasury();
        assertEq(locker.FACTORY(), oldFactory);
        assertEq(keccak256(abi.encode(locker.positionOf(old.token))), recorded);
        buy(old, 1 ether);
        (, uint256 quoteAmount) = locker.collect(old.token);
        locker.settle(old.token, one(address(weth)));
        assertEq(balance(address(weth), old.splitter), quoteAmount - quoteAmount / 5, "50 bps: the protocol share is a fifth");
    }

    function test_C8_09_SystemContractsAreRefusedAsSplitter() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        // The launch's own token and pool are not possible: their addresses depend on the splitter.
        address[4] memory parts = [address(factory), address(locker), address(weth), address(uniswap)];
        for (uint256 i; i < parts.length; ++i) {
            params.splitter = parts[i];
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, parts[i]));
            launch(params);
        }
    }

    function test_C8_12_ForcedNativeAndDonationsDoNotChangeTheAccounting() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        address[2] memory targets = [address(factory), address(locker)];
        for (uint256 i; i < 2; ++i) {
            vm.deal(address(this), 1 ether);
            new ForcedSender{value: 1 ether}(targets[i]);
            fundNative(targets[i], 2 ether);
        }
        (, uint256 quoteAmount) = locker.collect(launched.token);
        assertEq(quoteAmount, 0.01 ether - 1);
        locker.settle(launched.token, one(address(weth)));
        assertEq(balance(address(weth), address(locker)), 2 ether, "the donation stays in the locker");
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        uint256 before = creator.balance;
        vm.prank(creator);
        factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(creator, 0));
        assertEq(creator.balance, before - 1 ether, "the donation is not refunded");
        assertEq(balance(address(weth), address(factory)), 2 ether);
    }
}
