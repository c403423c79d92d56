// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {BarePayer} from "./BarePayer.sol";
import {GasTest} from "./GasTest.sol";

interface IMulticall3 {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    function aggregate3(Call3[] calldata calls) external payable;
}

/// @notice Gas of the three fee stages. The floor of `collect` is burn and collect of a position with the same fees by
/// its owner. The floor of `settle` and `release` is the transfers that they make, from a contract with the same
/// balances to accounts in the same state.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract FeesGasTest is GasTest {
    /// @dev What a fee collection costs in Uniswap v4.
    uint256 private constant UNISWAP_V4_COLLECT = 174_256;
    address private constant UNWRAPPED = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    BarePayer private _payer;
    IMulticall3 private _multicall;
    address private _otherSplitter = makeAddr("other splitter");
    address private _otherTreasury = makeAddr("other treasury");
    address private _otherPayee = makeAddr("other payee");

    function setUp() public override {
        super.setUp();
        _payer = BarePayer(payable(deployFloor("BarePayer", "")));
        _multicall = IMulticall3(create(readFixture("multicall3")));
    }

    function test_CollectOfToken0_StaysUnderUniswapV4sCollect() external {
        _compareCollect(true);
    }

    function test_CollectOfToken1_StaysUnderUniswapV4sCollect() external {
        _compareCollect(false);
    }

    function test_WholeClaimOfToken0_StaysBelow260000() external {
        _compareClaim(true);
    }

    function test_WholeClaimOfToken1_StaysBelow260000() external {
        _compareClaim(false);
    }

    function test_Settle_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _collect(launched);
        _compareSettle(launched, one(address(weth)), "first settle, wrapped native");
        _compareSettle(launched, one(launched.token), "first settle, launch token");
        _collect(launched);
        _compareSettle(launched, bothAssets(launched.token), "next settle, both assets");
    }

    function test_SettleOfBothAssets_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _collect(launched);
        _compareSettle(launched, bothAssets(launched.token), "first settle, both assets");
    }

    function test_Release_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _fillSplitter(launched);
        _compareRelease(launched, one(address(weth)), "first release, one asset");
        _fillSplitter(launched);
        _compareRelease(launched, one(address(weth)), "next release, one asset");
    }

    function test_ReleaseOfBothAssets_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _fillSplitter(launched);
        _compareRelease(launched, bothAssets(launched.token), "first release, both assets");
    }

    function test_ReleaseOfNative_IsMeasured() external {
        Launch memory launched = launchWith(true);
        vm.deal(launched.splitter, 1 ether);
        _compareRelease(launched, one(address(0)), "first release, native");
    }

    function test_ReleaseUnwrapped_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _fillSplitter(launched);
        IFeeSplitter(launched.splitter).release(one(UNWRAPPED), alice);
        record("Fees", "first release, unwrapped");
        _fillSplitter(launched);
        IFeeSplitter(launched.splitter).release(one(UNWRAPPED), alice);
        record("Fees", "next release, unwrapped");
    }

    function test_ReleaseToAPayout_IsMeasured() external {
        Launch memory launched = launchWith(true);
        _fillSplitter(launched);
        vm.prank(alice);
        IFeeSplitter(launched.splitter).setPayout(_otherPayee);
        record("Fees", "setting a payout");
        IFeeSplitter(launched.splitter).release(one(address(weth)), alice);
        record("Fees", "first release, one asset, to a payout");
    }

    /// @dev The first collection, one without a settlement since, and one after a settlement, when the locker holds none
    /// of the assets' fees.
    function _compareCollect(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
        Launch memory bare = launchBare(paramsWith(address(0)), tokenIsToken0);
        string[3] memory names = ["first collect, ", "next collect, ", "next collect after a settle, "];
        for (uint256 i; i < 3; ++i) {
            string memory name = string.concat(names[i], orderName(tokenIsToken0));
            if (i == 2) {
                locker.settle(launched.token, bothAssets(launched.token));
                bareLauncher.send(address(weth), _otherTreasury, balance(address(weth), address(bareLauncher)));
                // The locker keeps the remainder of the supply.
                bareLauncher.send(bare.token, _otherTreasury, balance(bare.token, address(bareLauncher)) - 1);
            }
            makeFees(launched);
            locker.collect(launched.token);
            uint256 gasUsed = record("Fees", name);
            makeFees(bare);
            _collectBare(bare);
            record("Fees", string.concat(name, ", floor"));
            assertLt(gasUsed, UNISWAP_V4_COLLECT);
        }
    }

    /// @dev Collect, settle and two releases of both assets, in one transaction. The floor collects and pays treasury
    /// and payees. A claim that finds the splitter without a remainder, which is one of ten for these shares, pays for a
    /// new slot: it is recorded separately.
    function _compareClaim(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
        Launch memory bare = launchBare(paramsWith(address(0)), tokenIsToken0);
        _claim(launched);
        record("Fees", string.concat("first whole claim, ", orderName(tokenIsToken0)));
        _claimBare(bare);
        record("Fees", string.concat("first whole claim, ", orderName(tokenIsToken0), ", floor"));
        uint256 typical;
        for (uint256 i; i < 12; ++i) {
            uint256 empty = _countEmpty(launched.splitter, launched.token);
            _claim(launched);
            uint256 gasUsed = vm.lastCallGas().gasTotalUsed;
            if (empty != 0 || _countEmpty(launched.splitter, launched.token) != 0) continue;
            ++typical;
            recordValue("Fees", string.concat("next whole claim, ", orderName(tokenIsToken0)), gasUsed);
            assertLt(gasUsed, 260_000);
        }
        assertGt(typical, 5);
        _claimBare(bare);
        record("Fees", string.concat("next whole claim, ", orderName(tokenIsToken0), ", floor"));
    }

    function test_WholeClaimOfASplitterWithoutRemainder_CostsANewSlotForEachAsset() external {
        Launch memory launched = launchWith(true);
        for (uint256 i; i < 2; ++i) {
            _claim(launched);
        }
        deal(launched.token, launched.splitter, 0);
        deal(address(weth), launched.splitter, 0);
        _claim(launched);
        assertLt(record("Fees", "next whole claim, splitter without remainders"), 260_000 + 2 * 20_000);
    }

    function _claim(Launch memory launched) private {
        makeFees(launched);
        _multicall.aggregate3(_claimCalls(launched));
    }

    function _countEmpty(address splitter, address token) private view returns (uint256 count) {
        if (balance(token, splitter) == 0) ++count;
        if (balance(address(weth), splitter) == 0) ++count;
    }

    function _claimCalls(Launch memory launched) private view returns (IMulticall3.Call3[] memory calls) {
        address[] memory assets = bothAssets(launched.token);
        calls = new IMulticall3.Call3[](4);
        calls[0] = IMulticall3.Call3(address(locker), false, abi.encodeCall(locker.collect, (launched.token)));
        calls[1] = IMulticall3.Call3(address(locker), false, abi.encodeCall(locker.settle, (launched.token, assets)));
        calls[2] =
            IMulticall3.Call3(launched.splitter, false, abi.encodeCall(IFeeSplitter.release, (assets, alice)));
        calls[3] = IMulticall3.Call3(launched.splitter, false, abi.encodeCall(IFeeSplitter.release, (assets, bob)));
    }

    function _collectBare(Launch memory bare) private {
        (int24 lower, int24 upper) = _range(bare);
        bareLauncher.collect(IUniswapV3Pool(bare.pool), lower, upper);
    }

    function _claimBare(Launch memory bare) private {
        makeFees(bare);
        (int24 lower, int24 upper) = _range(bare);
        BarePayer.Payment[] memory payments = new BarePayer.Payment[](6);
        address[3] memory receivers = [_otherTreasury, _otherPayee, _otherSplitter];
        for (uint256 i; i < 6; ++i) {
            payments[i] = BarePayer.Payment(i < 3 ? bare.token : address(weth), receivers[i % 3], 0.003 ether);
        }
        bareLauncher.claim(IUniswapV3Pool(bare.pool), lower, upper, payments);
    }

    function _range(Launch memory bare) private view returns (int24, int24) {
        return bare.tokenIsToken0 ? (-startTick, MAX_TICK) : (-MAX_TICK, startTick);
    }

    function _compareSettle(Launch memory launched, address[] memory assets, string memory name) private {
        BarePayer.Payment[] memory payments = new BarePayer.Payment[](2 * assets.length);
        for (uint256 i; i < assets.length; ++i) {
            _fundPayerLike(address(locker), assets[i]);
            uint256 toTreasury = locker.ledgerOf(launched.token, assets[i]).protocolCredit;
            uint256 toSplitter = locker.ledgerOf(launched.token, assets[i]).collaboratorsCredit;
            payments[2 * i] = BarePayer.Payment(assets[i], _otherSplitter, toSplitter);
            payments[2 * i + 1] = BarePayer.Payment(assets[i], _otherTreasury, toTreasury);
        }
        locker.settle(launched.token, assets);
        record("Fees", name);
        _payer.pay(payments);
        record("Fees", string.concat(name, ", floor"));
    }

    function _compareRelease(Launch memory launched, address[] memory assets, string memory name) private {
        BarePayer.Payment[] memory payments = new BarePayer.Payment[](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            _fundPayerLike(launched.splitter, assets[i]);
            uint256 amount = IFeeSplitter(launched.splitter).claimable(assets[i], alice);
            payments[i] = BarePayer.Payment(assets[i], _otherPayee, amount);
        }
        IFeeSplitter(launched.splitter).release(assets, alice);
        record("Fees", name);
        _payer.pay(payments);
        record("Fees", string.concat(name, ", floor"));
    }

    function _collect(Launch memory launched) private {
        makeFees(launched);
        locker.collect(launched.token);
    }

    function _fillSplitter(Launch memory launched) private {
        _collect(launched);
        locker.settle(launched.token, bothAssets(launched.token));
    }

    /// @dev Gives the payer the same balance, so that it clears a slot in the same cases as the measured contract.
    function _fundPayerLike(address holder, address asset) private {
        if (asset == address(0)) vm.deal(address(_payer), holder.balance);
        else deal(asset, address(_payer), balance(asset, holder));
    }
}
