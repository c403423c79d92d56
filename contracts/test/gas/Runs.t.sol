// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {GasTest} from "./GasTest.sol";

/// @notice What the optimiser's setting changes. gasTable.ts runs this for each setting, with all contracts compiled with
/// it. SLIPWAY_RUNS names the setting; without it there is nothing to measure.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract RunsGasTest is GasTest {
    function test_EachSetting_IsMeasured() external {
        if (bytes(vm.envOr("SLIPWAY_RUNS", string(""))).length == 0) return;
        ILaunchFactory.LaunchParams memory params = paramsWith(deploySplitter());
        params.contractURI = repeat("x", 200);
        grindRandomly(params, true);
        Launch memory launched = launch(params);
        _record("launch, 200 bytes of metadata");

        buy(launched, 1 ether);
        for (uint256 i; i < 2; ++i) {
            vm.prank(address(trader));
            IERC20(launched.token).transfer(alice, 1e18);
        }
        _record("transfer of a token");

        address[] memory assets = bothAssets(launched.token);
        for (uint256 i; i < 3; ++i) {
            makeFees(launched);
            locker.collect(launched.token);
            _record("collect");
            locker.settle(launched.token, assets);
            _record("settle");
            IFeeSplitter(launched.splitter).release(assets, bob);
            _record("release");
        }
        _createSplitter();
        _topUp();
    }

    function _createSplitter() private {
        address[] memory payees = new address[](5);
        uint16[] memory shares = new uint16[](5);
        for (uint256 i; i < 5; ++i) {
            (payees[i], shares[i]) = (makeAddr(vm.toString(i)), 2_000);
        }
        splitters.create(payees, shares, keccak256("salt"));
        _record("splitter by the factory");
    }

    function _topUp() private {
        (address wallet, uint256 key) = makeAddrAndKey("wallet");
        address token = deploy("DevStablecoin", abi.encode(1_000_000e6));
        IGasStation station = IGasStation(deploy("GasStation", abi.encode(alice, address(this), bob)));
        vm.deal(address(station), 1 ether);
        IERC20(token).transfer(wallet, 100e6);
        vm.prank(wallet);
        IERC20(token).approve(address(station), 100e6);
        IGasStation.Permit memory none;
        for (uint256 i; i < 3; ++i) {
            IGasStation.TopUp memory quote =
                IGasStation.TopUp(bytes32(uint256(1_000) + i), wallet, token, 2_345_678, 1e15, vm.getBlockTimestamp());
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, station.digestOf(quote));
            station.topUp(quote, abi.encodePacked(r, s, v), none);
            _record("top-up");
        }
    }

    /// @dev A later measurement of the same name replaces the earlier one.
    function _record(string memory name) private {
        record(string.concat("Runs", vm.envString("SLIPWAY_RUNS")), name);
    }
}
