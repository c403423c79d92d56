// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IWrappedNative} from "../../src/interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {AdverseToken} from "../utils/AdverseTokens.sol";
import {LockerTest} from "../utils/LockerTest.sol";
import {StubPool} from "../utils/StubPool.sol";

/// @notice A contract of the attacker that calls the locker's mint callback.
contract AttackerPool {
    function requestPayment(address locker, address token, uint256 amount) external {
        IUniswapV3MintCallback(locker).uniswapV3MintCallback(amount, 0, abi.encode(token));
    }
}

contract ForcedSender {
    constructor(address to) payable {
        selfdestruct(payable(to));
    }
}

contract LockerAttacksTest is LockerTest {
    function test_C8_04_NoCallerReducesOrMovesThePosition() external {
        _noCallerReduces(launchWith(true));
        _noCallerReduces(launchWith(false));
    }

    function _noCallerReduces(Launch memory launched) private {
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

    /// @dev Every function of the artifact, with the launch's token as first argument and different words after it, by
    /// every account with a role.
    function test_C8_04_NoFunctionOfTheLockerReducesTheLiquidity() external {
        string memory json = vm.readFile("contracts/artifacts/FeeLocker.json");
        string[] memory signatures = vm.parseJsonKeys(json, ".methodIdentifiers");
        assertGt(signatures.length, 10);
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWithPartner(order == 0, 5_000);
            makeFees(launched);
            uint128 liquidity = lockedLiquidity(launched);
            address[6] memory callers =
                [locker.treasury(), creator, address(factory), launched.splitter, launched.pool, makeAddr("anyone")];
            uint256 succeeded;
            for (uint256 i; i < signatures.length; ++i) {
                for (uint256 j; j < callers.length; ++j) {
                    for (uint256 k; k < 3; ++k) {
                        vm.prank(callers[j]);
                        (bool success,) = address(locker).call(_encodeCall(signatures[i], launched, k));
                        if (success) ++succeeded;
                        assertGe(lockedLiquidity(launched), liquidity, signatures[i]);
                    }
                }
            }
            assertGt(succeeded, 100, "views and stages succeed");
        }
    }

    function test_C8_04_TheLockerHasNoFallback() external {
        (bool success,) = address(locker).call{value: 1}("");
        assertFalse(success);
        (success,) = address(locker).call(hex"00000001");
        assertFalse(success);
    }

    function test_C8_04_ForeignPoolIsNotPaid() external {
        AttackerPool attackerPool = new AttackerPool();
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWith(order == 0);
            makeFees(launched);
            locker.collect(launched.token);
            vm.expectRevert(abi.encodeWithSelector(IFeeLocker.FeeLocker_NotPool.selector, address(attackerPool)));
            attackerPool.requestPayment(address(locker), launched.token, 1);
        }
    }

    /// @dev A wrapped native that re-enters during settlement is paid out once.
    function test_C8_04_ReentryDuringSettlementPaysOnce() external {
        AdverseToken quote = new AdverseToken(AdverseToken.Fault.Callback, 18);
        weth = IWrappedNative(address(quote));
        locker = deployLocker(treasury);
        Terms memory terms;
        terms.splitter = alice;
        StubPool pool = lockWithStub(address(1), terms);
        pool.setCollected(0, 1_000);
        quote.mint(address(locker), 5_000);
        locker.collect(address(1));
        quote.onTransferCall(address(locker), abi.encodeCall(locker.settle, (address(1), one(address(quote)))));
        locker.settle(address(1), one(address(quote)));
        assertEq(quote.balanceOf(alice), 900);
        assertEq(quote.balanceOf(treasury), 100);
    }

    function test_C8_04_LiquidityMintedToTheLockerStaysAndEarnsFees() external {
        _mintToLocker(launchWith(true));
        _mintToLocker(launchWith(false));
    }

    function _mintToLocker(Launch memory launched) private {
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

    /// @dev For every gas limit a settlement fails as a whole, or every party is paid: no one can make a transfer fail by
    /// withholding gas, so that it is only owed.
    function test_C8_20_NoGasLimitTurnsAPaymentIntoADebt() external {
        for (uint256 order; order < 2; ++order) {
            Launch memory launched = launchWithPartner(order == 0, 5_000);
            makeFees(launched);
            locker.collect(launched.token);
            address[] memory assets = bothAssets(launched.token);
            bytes memory call = abi.encodeCall(locker.settle, (launched.token, assets));
            address[3] memory parties = [launched.splitter, treasury, partner];
            uint256 successes;
            for (uint256 gas = 30_000; gas < 330_000; gas += 1_000) {
                uint256 snapshot = vm.snapshotState();
                (bool success,) = address(locker).call{gas: gas}(call);
                if (success) ++successes;
                for (uint256 i; i < 3; ++i) {
                    for (uint256 j; j < 2; ++j) {
                        assertEq(locker.owed(assets[j], parties[i]), 0);
                        if (success) assertGt(balance(assets[j], parties[i]), 0);
                    }
                }
                vm.revertToState(snapshot);
            }
            assertGt(successes, 0);
        }
    }

    /// @dev The quote asset fails in each way that a token can fail, for one party. The others are paid.
    function test_C8_20_APartyThatCannotBePaidHoldsUpNobody() external {
        AdverseToken.Fault[6] memory faults = [
            AdverseToken.Fault.FalseReturn,
            AdverseToken.Fault.ReturnsTwo,
            AdverseToken.Fault.Paused,
            AdverseToken.Fault.EmptyRevert,
            AdverseToken.Fault.ShortReturn,
            AdverseToken.Fault.Blocklist
        ];
        for (uint256 i; i < faults.length; ++i) {
            AdverseToken quote = new AdverseToken(faults[i], 18);
            weth = IWrappedNative(address(quote));
            locker = deployLocker(treasury);
            Terms memory terms;
            (terms.splitter, terms.partner, terms.partnerShareBps) = (alice, partner, 5_000);
            StubPool pool = lockWithStub(address(1), terms);
            if (faults[i] == AdverseToken.Fault.Blocklist) quote.setBlocked(alice, true);
            pool.setCollected(0, 1_000);
            quote.mint(address(locker), 1_000);
            locker.collect(address(1));
            locker.settle(address(1), one(address(quote)));
            assertEq(locker.owed(address(quote), alice), 900);
            bool allFail = faults[i] != AdverseToken.Fault.Blocklist;
            assertEq(locker.owed(address(quote), treasury), allFail ? 50 : 0);
            assertEq(locker.owed(address(quote), partner), allFail ? 50 : 0);
        }
    }

    function test_C8_20_OwedAmountsArePaidOnceAndToTheirPartyOnly() external {
        AdverseToken quote = new AdverseToken(AdverseToken.Fault.Blocklist, 18);
        weth = IWrappedNative(address(quote));
        locker = deployLocker(treasury);
        Terms memory terms;
        terms.splitter = alice;
        StubPool pool = lockWithStub(address(1), terms);
        quote.setBlocked(alice, true);
        pool.setCollected(0, 1_000);
        // Twice the fees: the other half belongs to another launch.
        quote.mint(address(locker), 2_000);
        locker.collect(address(1));
        locker.settle(address(1), one(address(quote)));
        quote.setBlocked(alice, false);
        address[4] memory callers = [makeAddr("stranger"), alice, treasury, address(this)];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            locker.payOwed(address(quote), alice);
            locker.settle(address(1), one(address(quote)));
        }
        assertEq(quote.balanceOf(alice), 900);
        assertEq(quote.balanceOf(address(locker)), 1_000);
    }

    function test_C8_08_LaterDeploymentsDoNotChangeTheLaunchPolicy() external {
        _changeEverythingElse(true);
    }

    function test_C8_08_LaterDeploymentsDoNotChangeTheLaunchPolicyOfToken1() external {
        _changeEverythingElse(false);
    }

    function _changeEverythingElse(bool tokenIsToken0) private {
        Launch memory old = lockElsewhere(tokenIsToken0, 50, 0);
        bytes32 recorded = keccak256(abi.encode(locker.positionOf(old.token)));
        // A later deployment, a later launch, another treasury and other shares of partners.
        factory = deployFactory();
        vm.prank(treasury);
        locker.proposeTreasury(alice);
        vm.prank(alice);
        locker.acceptTreasury();
        locker = IFeeLocker(factory.LOCKER());
        launchWithPartner(tokenIsToken0, 5_000);
        registerPartner(partner, 1);
        locker = old.locker;
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
        _donate(true);
    }

    function test_C8_12_ForcedNativeAndDonationsDoNotChangeTheAccountingOfToken1() external {
        _donate(false);
    }

    function _donate(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
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
        ILaunchFactory.LaunchParams memory params = paramsFor(tokenIsToken0);
        uint256 before = creator.balance;
        vm.prank(creator);
        factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(creator, 0));
        assertEq(creator.balance, before - 1 ether, "the donation is not refunded");
        assertEq(balance(address(weth), address(factory)), 2 ether);
    }

    /// @param variant Selects the words after the first one: zeros, other accounts of the launch, or ones.
    function _encodeCall(string memory signature, Launch memory launched, uint256 variant)
        private
        view
        returns (bytes memory)
    {
        bytes memory arguments = variant == 0
            ? abi.encode(launched.token, 0, 0, 0, 0, 0, 0, 0)
            : variant == 1
                ? abi.encode(launched.token, launched.pool, launched.splitter, partner, 1, 1)
                : abi.encode(launched.token, 64, 2, launched.token, address(weth), 1, 1, 1);
        return bytes.concat(bytes4(keccak256(bytes(signature))), arguments);
    }
}
