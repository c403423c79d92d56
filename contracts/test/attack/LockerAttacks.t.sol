// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {ScriptedPool} from "../utils/ScriptedPool.sol";

/// @notice A pool of the attacker's own that answers whatever it likes.
contract FalsePool {
    function askToBePaid(address locker, address token, uint256 amount) external {
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
            // A position belongs to whoever minted it: burning the same range as another has nothing to burn.
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

    function test_C8_04_EveryFunctionOfTheLockerKeepsTheLiquidity() external {
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

    function test_C8_04_FalsePoolIsNotPaid() external {
        Launch memory launched = launchWith(true);
        makeFees(launched);
        locker.collect(launched.token);
        FalsePool falsePool = new FalsePool();
        vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, address(falsePool)));
        falsePool.askToBePaid(address(locker), launched.token, 1);
    }

    /// @dev Even a wrapped native that calls out, and re-enters every stage while it pays, is paid out once.
    function test_C8_04_ReentryDuringSettlementPaysOnce() external {
        AdverseToken quote = new AdverseToken(AdverseToken.Fault.Callback, 18);
        // This contract is the factory of a locker of its own.
        IFeeLocker own = IFeeLocker(deploy("FeeLocker", abi.encode(treasury, quote)));
        ScriptedPool pool = new ScriptedPool();
        IFeeLocker.Position memory position;
        (position.pool, position.splitter, position.totalFeeBps, position.protocolFeeBps) =
            (address(pool), alice, 100, 10);
        own.lock(bob, position);
        pool.script(1_000, 0);
        quote.mint(address(own), 5_000);
        own.collect(bob);
        quote.onTransferCall(address(own), abi.encodeCall(own.settle, (bob, one(address(quote)))));
        own.settle(bob, one(address(quote)));
        assertEq(quote.balanceOf(alice), 900);
        assertEq(quote.balanceOf(treasury), 100);
    }

    function test_C8_04_LiquidityGivenToTheLockerStaysAndEarnsForTheLaunch() external {
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

    function testFuzz_C8_05_FeesConserveWhateverTheOrderAndSizeOfClaims(uint256 seed, uint16 shareBps) external {
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
        assertEq(protocol + paid + dust, collected, "nothing is lost");
        assertLe(dust, 1, "less than a unit a payee");
        assertEq(balance(address(weth), address(locker)), 0);
    }

    function test_C8_05_HonestSplitWhenUniswapSwitchesItsFeeOn() external {
        for (uint8 denominator = 4; denominator <= 10; ++denominator) {
            Launch memory launched = launchWith(denominator % 2 == 0);
            setPoolProtocolFee(launched.pool, denominator);
            buy(launched, 1 ether);
            (, uint256 quoteAmount) = locker.collect(launched.token);
            uint256 uniswapPart = (0.01 ether - 1) / denominator;
            assertApproxEqAbs(quoteAmount, 0.01 ether - uniswapPart, 2, "1% less Uniswap's part");
            locker.settle(launched.token, one(address(weth)));
            assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10, "90% of the rest");
        }
    }

    function test_C8_07_StagesOutOfOrderTwiceAndByStrangersAreIdempotent() external {
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

    function test_C8_08_LaunchKeepsItsPolicyWhateverIsDeployedLater() external {
        Launch memory old = lockWithPolicy(true, 50, 10, 0);
        bytes32 recorded = keccak256(abi.encode(locker.positionOf(old.token)));
        // A later deployment and later launches, and a moved treasury.
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
        assertEq(balance(address(weth), old.splitter), quoteAmount - quoteAmount / 5, "50 bp: a fifth, as ever");
    }

    function test_C8_09_PartsOfTheSystemAreRefusedAsSplitterPartnerAndRecipient() external {
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        // The launch's own token and pool cannot be named: their addresses bind the splitter itself.
        address[4] memory parts = [address(factory), address(locker), address(weth), address(uniswap)];
        for (uint256 i; i < parts.length; ++i) {
            params.splitter = parts[i];
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, parts[i]));
            launch(params);
        }
    }

    function test_C8_12_ForcedNativeAndDonationsChangeNoAccount() external {
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
        assertEq(balance(address(weth), address(locker)), 2 ether, "a donation stays where it is");
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        uint256 before = creator.balance;
        vm.prank(creator);
        factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuy(creator, 0));
        assertEq(creator.balance, before - 1 ether, "a donation is nobody's refund");
        assertEq(balance(address(weth), address(factory)), 2 ether);
    }
}
