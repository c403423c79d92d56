// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {BarePayer} from "./BarePayer.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of the three fee stages. The floor of `collect` is burn and collect of a position with the same fees by
/// its owner. The floor of `settle` and `release` is the transfers that they make, from a contract with the same
/// balances to accounts in the same state.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract FeesGasTest is GasTest {
    BarePayer private _payer;
    address private _otherSplitter = makeAddr("other splitter");
    address private _otherTreasury = makeAddr("other treasury");
    address private _otherPayee = makeAddr("other payee");

    function setUp() public override {
        super.setUp();
        _payer = new BarePayer();
    }

    function test_CollectOfToken0_StaysUnderUniswapV4sCollect() external {
        _compareCollect(true);
    }

    function test_CollectOfToken1_StaysUnderUniswapV4sCollect() external {
        _compareCollect(false);
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

    function _compareCollect(bool tokenIsToken0) private {
        Launch memory launched = launchWith(tokenIsToken0);
        Launch memory bare = launchBare(paramsWith(address(0)), tokenIsToken0);
        (int24 lower, int24 upper) = tokenIsToken0 ? (-startTick, int24(887_200)) : (int24(-887_200), startTick);
        for (uint256 i; i < 2; ++i) {
            string memory name = string.concat(i == 0 ? "first" : "next", " collect, ", orderName(tokenIsToken0));
            makeFees(launched);
            locker.collect(launched.token);
            uint256 gasUsed = record("Fees", name);
            makeFees(bare);
            bareLauncher.collect(IUniswapV3Pool(bare.pool), lower, upper);
            record("Fees", string.concat(name, ", floor"));
            // The first collection writes empty slots.
            if (i != 0) assertLt(gasUsed, 174_256);
        }
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
